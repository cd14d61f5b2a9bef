import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// The page of one instance, as it is or as it was after a macrostep.
enum InstancePage {
    private static let historyRows = 100

    static func content(
        _ name: String, _ request: PageRequest, _ client: WorkflowClient
    ) async throws -> PageContent {
        let seq = try seq(in: request)
        let instance = try await client.instance(name, seq: seq)
        let machine = try? await client.machine(instance.machine, version: instance.version)
        let tree = machine.flatMap { StateTree($0) }
        let isNow = seq == nil
        let events = isNow ? await accepted(name, instance, tree, client) : Markup()
        let waits = isNow ? await waiting(name, instance, client) : Markup()
        let history = await ConsolePages.part("History", id: "history") {
            try await self.history(name, seq, request, client)
        }
        let command = seq.map { ["replay", "--to", "\($0)"] } ?? ["show"]
        let stream = isNow ? Link.stream(ofInstance: name, after: request.cursor) : nil
        return PageContent(seq.map { "\(name) at seq \($0)" } ?? name, self.command(command, name), stream: stream) {
            if !isNow {
                Tag.p(.class("past")) {
                    "This is an earlier moment. "
                    Tag.a(.href(.instance(name))) { "Now" }
                }
            }
            facts(instance)
            if let failure = instance.failure { self.failure(failure, instance) }
            ConsolePages.section("State", id: "state") {
                if let tree { tree.chart(active: instance.configuration, drawn: request.drawn) { _ in Markup() } }
            }
            events
            waits
            ConsolePages.section("Context", id: "context") { Words.json(instance.context) }
            if let output = instance.output { ConsolePages.section("Output", id: "output") { Words.json(output) } }
            history
        }
    }

    /// Returns the command line of a verb for an instance, whose name may begin like an option.
    private static func command(_ verb: [String], _ name: String) -> [String] {
        ["wfctl"] + verb + (name.hasPrefix("-") ? ["--"] : []) + [name]
    }

    private static func seq(in request: PageRequest) throws -> Int64? {
        guard let text = request.values("seq").first else { return nil }
        guard let seq = Int64(text), seq > 0 else {
            throw ClientError.problem(Problem(.invalidParameter, detail: "Parameter 'seq' must be a seq: 1, 2, …"))
        }
        return seq
    }

    private static func facts(_ instance: Instance) -> Markup {
        Words.facts([
            ("Status", Words.status(instance.status) + Markup(text: instance.suspended.map(suspension) ?? "")),
            (
                "Machine",
                Tag.a(.href(.machine(instance.machine, version: instance.version))) {
                    "\(instance.machine) version \(instance.version)"
                }
            ),
            (
                "Machine suspended",
                instance.machineSuspended.map {
                    Markup(text: "since \($0.at.text)" + ($0.reason.map { ": \($0)" } ?? ""))
                }
            ),
            ("Active", Words.states(instance.configuration)),
            ("Tags", instance.tags.map { Markup(text: $0.joined(separator: ", ")) }),
            ("Seq", Markup(text: "\(instance.seq)")), ("In it since", instance.enteredAt.map { Words.time($0) }),
            ("Started", Words.time(instance.createdAt)), ("Last step", Words.time(instance.updatedAt)),
            ("Erased", instance.redacted == true ? Markup(text: "a part of its history") : nil),
        ])
    }

    private static func suspension(_ item: InstanceSuspensionItem) -> String {
        " since \(item.at.text)" + (item.actor.map { " by \($0)" } ?? "") + (item.reason.map { ": \($0)" } ?? "")
    }

    private static func failure(_ failure: Instance.Failure, _ instance: Instance) -> Markup {
        ConsolePages.section("Why it failed", id: "failure") {
            Tag.div(.class("problem")) {
                Tag.p { failure.detail + "." }
                Words.facts([
                    ("On", Tag.code { failure.event } + Markup(text: " ") + Words.brief(failure.data)),
                    ("At", Words.time(failure.at) + Markup(text: " seq \(failure.seq)")),
                    ("In state", failure.state.map { Words.states([$0]) }),
                    (
                        "Line",
                        failure.line.map { line in
                            Tag.a(.href(.machine(instance.machine, version: instance.version))) {
                                "\(line) of version \(instance.version)"
                            }
                        }
                    ),
                    ("Expression", failure.expression.map { text in Tag.code { text } }),
                    ("Message", Markup(text: failure.message)),
                ])
                if failure.seq > 1 {
                    Tag.p {
                        Tag.a(.href(.instance(instance.instance, seq: failure.seq - 1))) { "The moment before" }
                    }
                }
            }
            ConsolePages.commandLine(command(["retry"], instance.instance))
        }
    }

    /// Returns what the instance takes now, and of the rest why not.
    private static func accepted(
        _ name: String, _ instance: Instance, _ tree: StateTree?, _ client: WorkflowClient
    ) async -> Markup {
        await ConsolePages.part("What it takes now", id: "events") {
            let events = try await client.events(ofInstance: name)
            guard events.status == .running else {
                return Tag.p { "Nothing: it is \(events.status.rawValue)." }
            }
            guard !events.items.isEmpty else { return Tag.p { "Its machine takes no events." } }
            var table = DataTable("Events of its machine", "Event", "Taken", "Why")
            let order = events.items.filter { $0.accepted != false } + events.items.filter { $0.accepted == false }
            for item in order {
                let why: Markup? =
                    switch item.accepted {
                    case true?: nil
                    case nil: Markup(text: "it depends on the data")
                    case false?: tree?.reason(against: item.event, in: instance.configuration)
                    }
                table.add {
                    Tag.code { item.event }
                    item.accepted.map { $0 ? "yes" : "no" } ?? "perhaps"
                    why ?? Markup()
                }
            }
            let pause = Tag.p(.class("bad")) { "Its machine is suspended: until it is resumed, no event is taken." }
            return (instance.machineSuspended == nil ? Markup() : pause) + table.markup
                + ConsolePages.commandLine(command(["events"], name))
        }
    }

    /// Returns timers, effects and attempts: what comes without anybody's event.
    private static func waiting(_ name: String, _ instance: Instance, _ client: WorkflowClient) async -> Markup {
        await ConsolePages.part("What it waits for", id: "waits") {
            let timers = try await client.timers(ofInstance: name)
            let effects = try await client.effects(EffectListParameters(instance: name))
            let attempts = try await client.attempts(of: name, PageParameters(limit: 20))
            return self.timers(timers.items) + self.effects(effects.items) + self.attempts(attempts.items)
                + skipped(instance.timerSkipped)
                + (timers.items.isEmpty && effects.items.isEmpty && instance.timerSkipped == nil
                    ? Tag.p { "Nothing comes by itself." } : Markup())
        }
    }

    private static func timers(_ timers: [TimerItem]) -> Markup {
        guard !timers.isEmpty else { return Markup() }
        var table = DataTable("Timers and delayed events", "Event", "Due", "At", "Of state")
        for timer in timers {
            table.add {
                Tag.code { timer.event }
                timer.waits == true ? "waits until the instance goes on" : Words.until(timer.dueInMilliseconds)
                Words.time(timer.due)
                timer.state.map { Words.states([$0]) } ?? Markup(text: "–")
            }
        }
        return table.markup
    }

    private static func effects(_ effects: [EffectItem]) -> Markup {
        effects.isEmpty ? Markup() : EffectPages.table(of: effects, "Tasks, calls and programs").markup
    }

    private static func attempts(_ attempts: [AttemptItem]) -> Markup {
        guard !attempts.isEmpty else { return Markup() }
        var table = DataTable("Attempts that failed", "Effect", "Attempt", "Begun", "Ended", "Outcome", "Error")
        for item in attempts {
            table.add {
                Tag.code { item.id ?? "seq \(item.seq)" }
                "\(item.attempt.attempt)"
                Words.time(item.attempt.begun)
                Words.time(item.attempt.ended)
                item.attempt.outcome
                Words.error(item.attempt.error)
            }
        }
        return table.markup
    }

    private static func skipped(_ timer: SkippedTimerItem?) -> Markup {
        guard let timer else { return Markup() }
        return Tag.p(.class("bad")) {
            "Its last timer, "
            Tag.code { timer.event }
            ", came \(Words.span(timer.lateMilliseconds)) too late and was skipped. Nothing comes by itself."
        }
    }
}

// MARK: History

extension InstancePage {
    /// Returns a page of the history: the newest rows first, or those around an earlier moment.
    private static func history(
        _ name: String, _ seq: Int64?, _ request: PageRequest, _ client: WorkflowClient
    ) async throws -> Markup {
        let token = request.values("page").first
        let isAround = seq != nil && token == nil
        let first = isAround ? max(0, (seq ?? 0) - Int64(historyRows / 2)) : nil
        let page = try await client.history(
            ofInstance: name,
            HistoryParameters(limit: historyRows, after: first, reverse: seq == nil, page: token))
        var table = DataTable(
            "Steps of the instance", "Seq", "At", "Kind", "Event", "Data and notes", "From", "To", "By")
        for row in page.items {
            table.add {
                Tag.a(.href(.instance(name, seq: row.seq)), .current(row.seq == seq)) { "\(row.seq)" }
                Words.time(row.at)
                row.kind + (row.retry == true ? ", retried" : "")
                Tag.code { row.event }
                (row.redacted == true ? Markup(text: "erased") : Words.brief(row.data)) + Words.brief(row.note)
                Words.states(row.from)
                row.to == row.from ? Markup(text: "stays") : Words.states(row.to)
                row.actor ?? "–"
            }
        }
        let command = command(["history", "--actors"] + (seq == nil ? ["--reverse"] : []), name)
        return table.markup + Words.next(page.nextPage, "instances", name, request)
            + ConsolePages.commandLine(command)
    }
}
