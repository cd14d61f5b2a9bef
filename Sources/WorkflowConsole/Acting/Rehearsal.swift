import WorkflowAPI
import WorkflowJSON

/// The page with what a request would do: the path, the guards with their values, what begins and ends, the context.
struct Rehearsal {
    let page: InstanceForm
    let answer: SendAnswer
    /// The timers of the instance as it is.
    let timers: [TimerItem]
    /// The states of the version that the instance would have.
    let tree: StateTree?

    private var instance: Instance { page.instance }

    var content: PageContent {
        let verb = page.verb
        let command = page.command(["--dry-run"] + ("\(verb.word)" == "send" ? ["--explain"] : []))
        return PageContent("Rehearsal: \(verb.heading(instance.instance, page.form))", command) {
            page.back
            Tag.p(.class("past")) { "Nothing has changed yet. This is what it would do." }
            if page.subject.effect != nil { Tag.p { verb.effect } }
            outcome
            ConsolePages.section("Path", id: "path") { path }
            if let candidates = answer.candidates, !candidates.isEmpty {
                ConsolePages.section("Guards", id: "guards") {
                    Self.candidates(candidates, instance, version: answer.migration?.to ?? answer.reset?.toVersion)
                }
            }
            ConsolePages.section("What begins and ends", id: "begins") { changes }
            ConsolePages.section("Context", id: "context") { context }
            ConsolePages.section("Do it", id: "do") {
                page.button(seq: page.expectedSeq, key: page.visitor.newKey())
            }
        }
    }

    private var outcome: Markup {
        let versions = [(instance.version, answer.migration?.to ?? answer.reset?.toVersion ?? instance.version)]
        return Words.facts([
            ("Status", Words.status(answer.status)), ("From", Words.states(answer.from)),
            ("To", answer.to == answer.from ? Markup(text: "stays") : Words.states(answer.to)),
            ("Seq", Markup(text: "\(answer.fromSeq) → \(answer.seq)")),
            ("Version", versions.first { $0.0 != $0.1 }.map { Markup(text: "\($0.0) → \($0.1)") }),
            ("Output", answer.output.map { Words.json($0) }),
            ("Failure", answer.failure.map { Markup(text: $0.detail) }),
        ])
            + (answer.status == .failed && instance.status != .running
                ? Tag.p(.class("bad")) { "The instance would still be failed." } : Markup())
            + (answer.status == .failed && instance.status == .running
                ? Tag.p(.class("bad")) { "The instance would fail on what follows." } : Markup())
    }

    // MARK: The path

    private var moves: (left: [String], entered: [String]) {
        if let exited = answer.exited, let entered = answer.entered { return (exited, entered) }
        let before = (page.subject.tree ?? tree)?.lineages(answer.from) ?? answer.from
        let after = tree?.lineages(answer.to) ?? answer.to
        return (before.filter { !after.contains($0) }, after.filter { !before.contains($0) })
    }

    private var taken: [ReplayMicrostep.Taken] { (answer.microsteps ?? []).flatMap(\.transitions) }

    private var path: Markup {
        let (left, entered) = moves
        let steps = Words.facts([
            ("Leaves", left.isEmpty ? Markup(text: "nothing") : Words.states(left)),
            ("Enters", entered.isEmpty ? Markup(text: "nothing") : Words.states(entered)),
        ])
        guard let tree else { return steps }
        // A folded state opens on the page of the instance.
        let request = PageRequest(words: ["instances", instance.instance], query: [], target: "")
        return steps
            + tree.chart(active: answer.to, taken: tree.numbers(of: taken), in: request) { path in
                if left.contains(path) { return Tag.b(.class("here")) { " left" } }
                return entered.contains(path) ? Tag.b(.class("here")) { " entered" } : Markup()
            }
    }

    /// Returns the table of transitions in the order in which they were tried.
    ///
    /// - Parameter version: The version whose lines they have; `nil` for that of the instance.
    static func candidates(_ candidates: [Candidate], _ instance: Instance, version: Int64? = nil) -> Markup {
        guard !candidates.isEmpty else { return Markup() }
        var table = DataTable("Transitions in the order tried", "Verdict", "State", "Guard", "Values", "To", "Line")
        for candidate in candidates {
            table.add {
                candidate.verdict.rawValue
                Words.states([candidate.state])
                (candidate.guard.map { text in Tag.code { text } } ?? Markup(text: "–"))
                    + Markup(text: candidate.failure.map { ": \($0)" } ?? "")
                Tag.ul {
                    for read in candidate.reads {
                        Tag.li {
                            Tag.code { read.expression }
                            " = "
                            read.value.map { Words.brief($0.value) } ?? Markup(text: "unreadable")
                        }
                    }
                }
                candidate.targets.isEmpty ? Markup(text: "stays") : Words.states(candidate.targets)
                Tag.a(.href(.machine(instance.machine, version: version ?? instance.version))) { "\(candidate.line)" }
            }
        }
        return table.markup
    }

    // MARK: What begins and ends

    private var changes: Markup {
        let (left, entered) = moves
        var table = DataTable("Timers and effects", "What", "Name", "Then")
        func add(_ what: String, _ name: String, _ fate: String) {
            table.add {
                what
                Tag.code { name }
                fate
            }
        }
        if let reset = answer.reset {
            for timer in reset.timers { add("timer", timer.event, "due \(timer.due.text)") }
            if let others = reset.otherTimers { add("timers", "\(others)", "more are armed") }
            for invocation in reset.invocations { add("invocation", invocation.id, Self.fate(invocation.fate)) }
        } else if let migration = answer.migration {
            for timer in migration.kept { add("timer", timer.event, "is kept, due \(timer.due.text)") }
            for timer in migration.new { add("timer", timer.event, "begins, due \(timer.due.text)") }
            for event in migration.ended { add("timer", event, "ends") }
            for id in migration.cancelled { add("invocation", id, "is cancelled") }
            for path in migration.forgotten { add("history state", path, "forgets") }
            for key in migration.undeclared { add("value", "context.\(key)", "is not declared, and stays") }
        } else {
            for timer in timers where timer.state.map(left.contains) == true { add("timer", timer.event, "ends") }
            for path in entered { for event in tree?.timeouts(of: path) ?? [] { add("timer", event, "begins") } }
            for id in answer.cancelled ?? [] { add("invocation", id, "is cancelled") }
        }
        for effect in answer.begun ?? [] { add("effect", effect.id, "begins in \(effect.queue)") }
        return table.rows.isEmpty ? Tag.p { "Nothing." } : table.markup
    }

    private static func fate(_ fate: ResetAnswer.Invocation.Fate) -> String {
        switch fate {
        case .stays: "goes on"
        case .cancelled: "is cancelled"
        case .again: "begins again: its service acts twice"
        case .answered: "has its answer again"
        }
    }

    private var context: Markup {
        guard page.subject.effect == nil else {
            return Tag.p { "A decision about an effect is rehearsed without the context." }
        }
        guard let after = answer.context else {
            return Tag.p { "The context is too large to be shown here now." }
        }
        return ContextChanges(from: instance.context, to: after, isRehearsed: true).markup
    }
}
