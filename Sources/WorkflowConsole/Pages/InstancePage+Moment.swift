import WorkflowAPI

// A moment that is past: an instance as it was after a macrostep.

extension InstancePage {
    /// The most microsteps that a page lists.
    private static let shownMicrosteps = 50

    static func past(_ moment: Moment, _ request: PageRequest, _ visitor: Visitor) async -> PageContent {
        let instance = moment.instance
        let (name, seq) = (instance.instance, moment.row.seq)
        let tree = await tree(of: instance.machine, version: instance.version, visitor.client)
        let history = await history(of: name, newest: moment.newest, around: seq, request, visitor.client)
        let command = command(["replay", "--trace", "--from", "\(seq)", "--to", "\(seq)"], name)
        return PageContent("\(name) at seq \(seq)", command) {
            Tag.p(.class("past")) {
                "This is how it was after seq \(seq) of \(moment.newest). Timers, effects and accepted events are of "
                    + "now alone: "
                Tag.a(.href(.instance(name))) { "Now" }
            }
            SeqSlider.markup(name, seq: seq, newest: moment.newest)
            InstanceActions.past(name, seq: seq, visitor)
            facts(instance)
            if let failure = instance.failure { self.failure(failure, instance) }
            step(moment)
            state(instance, tree, taken: moment.microsteps?.flatMap(\.transitions) ?? [], request)
            context(moment)
            output(of: instance)
            history
        }
    }

    /// Returns the row of the macrostep, and the transitions that were taken.
    private static func step(_ moment: Moment) -> Markup {
        let row = moment.row
        return ConsolePages.section("Step \(row.seq)", id: "step") {
            if row.redacted == true { Tag.p(.class("bad")) { "A redaction erased data of this row." } }
            Words.facts([
                ("Event", Tag.code { row.event }),
                ("Kind", Markup(text: row.kind + (row.retry == true ? ", retried" : ""))),
                ("From", row.from.isEmpty ? nil : Words.states(row.from)),
                ("To", row.to == row.from ? Markup(text: "stays") : Words.states(row.to)),
                ("At", Words.time(row.at)), ("By", row.actor.map { Markup(text: $0) }),
                ("Key", row.key.map { key in Tag.code { key } }),
                ("Data", row.data.map { Words.json($0) }), ("Note", row.note.map { Words.json($0) }),
            ])
            if let problem = moment.problem {
                ConsolePages.note(problem)
            } else if let microsteps = moment.microsteps {
                transitions(microsteps, moment.instance)
            } else {
                Tag.p { "A redaction erased which transitions were taken." }
            }
        }
    }

    private static func transitions(_ microsteps: [ReplayMicrostep], _ instance: Instance) -> Markup {
        guard microsteps.contains(where: { !$0.transitions.isEmpty || !$0.actions.isEmpty }) else {
            return Tag.p { "No transition was taken." }
        }
        return Tag.ol(.class("steps"), .label("Transitions that were taken")) {
            for microstep in microsteps.prefix(shownMicrosteps) {
                Tag.li {
                    microstep.event.map { name in Tag.code { name } } ?? Markup(text: "always")
                    for transition in microstep.transitions {
                        Markup(text: ": ") + Words.states([transition.source])
                        if !transition.targets.isEmpty { Markup(text: " → ") + Words.states(transition.targets) }
                        Markup(text: " ") + line(transition.line, instance)
                    }
                    if !microstep.actions.isEmpty {
                        Tag.ul {
                            for action in microstep.actions {
                                Tag.li {
                                    line(action.line, instance)
                                    ": \(Words.shortened(action.text))"
                                }
                            }
                        }
                    }
                }
            }
            if microsteps.count > shownMicrosteps { Tag.li { "and \(microsteps.count - shownMicrosteps) more" } }
        }
    }

    /// Returns the link to a line of the definition.
    static func line(_ number: Int, _ instance: Instance) -> Markup {
        Tag.a(.href(.machine(instance.machine, version: instance.version, line: number))) { "line \(number)" }
    }

    /// Returns the context, with a sign before each line that the macrostep changed.
    private static func context(_ moment: Moment) -> Markup {
        ConsolePages.section("Context", id: "context") {
            if moment.isErased {
                Tag.p(.class("bad")) { "A redaction erased the context of this moment." }
            } else if let before = moment.before {
                ContextChanges(from: before, to: moment.instance.context).markup
            } else {
                if moment.row.seq > 1 {
                    Tag.p(.class("note")) { "What the step changed is not known: the context before it is not." }
                }
                Words.json(moment.instance.context)
            }
        }
    }
}
