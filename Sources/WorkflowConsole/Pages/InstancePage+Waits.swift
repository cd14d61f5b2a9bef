import WorkflowAPI
import WorkflowCalls

extension InstancePage {
    /// Returns timers, effects and attempts: what comes without anybody's event.
    static func waiting(_ instance: Instance, _ client: WorkflowClient) async -> Markup {
        let name = instance.instance
        return await ConsolePages.part("What it waits for", id: "waits") {
            let timers = try await client.timers(ofInstance: name)
            let effects = try await client.effects(EffectListParameters(instance: name))
            let attempts = try await client.attempts(of: name, PageParameters(limit: 20))
            return self.timers(timers.items) + self.effects(effects, of: name) + self.attempts(attempts.items)
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
                timer.waits == true
                    ? Markup(text: "waits until the instance goes on")
                    : Words.countdown(timer.dueInMilliseconds)
                Words.time(timer.due)
                timer.state.map { Words.states([$0]) } ?? Markup(text: "–")
            }
        }
        return table.markup
    }

    private static func effects(_ effects: WorkflowAPI.Page<EffectItem>, of name: String) -> Markup {
        guard !effects.items.isEmpty else { return Markup() }
        let all = Tag.p { Tag.a(.href(Link("effects", nil, [("instance", name)]))) { "All its effects" } }
        return EffectPages.table(of: effects.items, "Tasks, calls and programs").markup
            + (effects.nextPage == nil ? Markup() : all)
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
