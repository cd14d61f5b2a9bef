import WorkflowAPI
import WorkflowCalls

/// The pages of effects and of the queues that serve them.
enum EffectPages {
    static func effects(_ request: PageRequest, _ client: WorkflowClient) async throws -> PageContent {
        var parameters = try EffectListParameters(query: request.query)
        parameters.limit = parameters.limit ?? 100
        let effects = try await client.effects(parameters)
        let command =
            ["wfctl", "effects"] + parameters.queues.flatMap { ["--queue", $0] }
            + parameters.states.flatMap { ["--state", $0.rawValue] }
        return PageContent("Effects", command) {
            FilterForm(link: Link("effects"), request: request).markup {
                FilterForm.field("instance", "Instance", in: request)
                FilterForm.field("queue", "Queue", in: request)
                FilterForm.choice("state", "State", EffectItem.State.allCases.map(\.rawValue), in: request)
            }
            if effects.items.isEmpty {
                Words.emptyPage {
                    "No effect is open"
                    request.query.isEmpty ? ": no instance waits for a task, a call or a program." : " that fits."
                }
            } else {
                table(of: effects.items, "Effects that have not ended", isDeciding: true).markup
                Words.next(effects.nextPage, "effects", nil, request)
            }
        }
    }

    /// Returns the table of effects, each with its instance.
    ///
    /// - Parameter isDeciding: True for a column with links to the forms that decide about an effect.
    static func table(of effects: [EffectItem], _ caption: String, isDeciding: Bool = false) -> DataTable {
        let columns = ["Instance", "Effect", "Queue", "State", "Due", "Attempts", "Last error"]
        var table = DataTable(caption, columns + (isDeciding ? ["Decide"] : []))
        for effect in effects {
            table.add {
                Tag.a(.href(.instance(effect.instance))) { effect.instance }
                Tag.code { effect.id }
                Tag.a(.href(Link("effects", nil, [("queue", effect.queue)]))) { effect.queue }
                Markup(text: state(effect))
                Words.countdown(effect.dueInMilliseconds)
                Markup(text: "\(effect.attempts)")
                Markup(text: Words.error(effect.error))
            }
            if isDeciding { table.rows[table.rows.count - 1].append(decisions(effect)) }  // Proof: it was added above
        }
        return table
    }

    private static func decisions(_ effect: EffectItem) -> Markup {
        func link(_ word: StaticString, _ label: String) -> Markup {
            Tag.a(.href(Link(form: word, of: effect.instance, [("effect", effect.id)]))) { label }
        }
        return link("retry-effect", "Retry") + Markup(text: " ") + link("skip-effect", "Skip") + Markup(text: " ")
            + link("cancel-effect", "Cancel")
    }

    /// Returns the state of an effect in words: `ready, its queue is paused`.
    static func state(_ effect: EffectItem) -> String {
        switch (effect.state, effect.turn) {
        case (.ready, .running?): "an attempt runs"
        case (.ready, .paused?): "ready, its queue is paused"
        case (.ready, .held?): "ready, effects are held"
        case (.leased, _): "leased by \(effect.worker ?? "a worker")"
        case (.held, _): "held: a secret or a program is missing"
        case (.failed, _): "failed, needs a decision"
        case (.answered, _): "answered, the result waits"
        default: effect.state.rawValue
        }
    }

    static func queues(_ request: PageRequest, _ client: WorkflowClient) async throws -> PageContent {
        let queues = try await client.queues(QueueListParameters(query: request.query))
        return PageContent("Queues", ["wfctl", "queues"]) {
            if queues.items.isEmpty {
                Words.emptyPage { "There is no queue yet: a state that invokes a task, a call or a program makes one." }
            } else {
                table(of: queues.items, "Queues of effects").markup
                Words.next(queues.nextPage, "queues", nil, request)
            }
        }
    }

    /// Returns the table of queues.
    static func table(of queues: [QueueItem], _ caption: String) -> DataTable {
        var table = DataTable(
            caption, "Queue", "Ready", "Waiting", "Leased", "Running", "Failed", "Held", "Answered", "Workers",
            "First due", "Settings")
        for queue in queues {
            let counts = [
                queue.ready, queue.waiting, queue.leased, queue.running, queue.failed, queue.held, queue.answered,
            ]
            let name = Tag.a(.href(Link("effects", nil, [("queue", queue.queue)]))) { queue.queue }
            table.rows.append(
                [name] + counts.map { Markup(text: Words.bounded($0)) }
                    + [
                        Markup(text: queue.workers.map { "\($0)" } ?? "–"),
                        queue.oldestDueInMilliseconds.map { Words.countdown($0) } ?? Markup(text: "–"),
                        Tag.a(.href(Link("queues", queue.queue))) { settings(queue.settings, ifNone: "set") },
                    ])
        }
        return table
    }

    /// Returns the settings of a queue in words; a dash for none.
    static func settings(_ settings: QueueSettingsItem, ifNone: String = "–") -> String {
        var parts = settings.paused ? ["paused"] : []
        if let concurrency = settings.concurrency { parts.append("\(concurrency) at once") }
        if let rate = settings.rate { parts.append("\(rate.count) in \(Words.span(rate.milliseconds))") }
        if !parts.isEmpty, let actor = settings.actor { parts.append("by \(actor)") }
        return parts.isEmpty ? ifNone : parts.joined(separator: ", ")
    }
}
