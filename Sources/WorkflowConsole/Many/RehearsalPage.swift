import WorkflowAPI
import WorkflowTerminal

/// The page of a rehearsal, with the form that begins the run. It is a class, which needs no code to copy its fields.
final class RehearsalPage {
    private let draft: BulkDraft
    private let rehearsal: BulkRehearsal
    private let begin: BeginForm
    private let typed: FormRequest?
    private let visitor: Visitor
    /// The form that asked for what the verb needs; `nil` for a verb that needs nothing.
    private let asked: (fields: ManyFields, form: FormRequest)?
    /// The form that was refused, and the answer to it.
    private let before: (begin: BeginForm, problem: Problem)?

    init(
        _ draft: BulkDraft, _ rehearsal: BulkRehearsal, _ visitor: Visitor, typed: FormRequest? = nil,
        before: (BeginForm, Problem)? = nil, asked: (ManyFields, FormRequest)? = nil
    ) {
        (self.draft, self.rehearsal, self.typed, self.visitor) = (draft, rehearsal, typed, visitor)
        self.asked = asked.map { (fields: $0.0, form: $0.1) }
        begin = BeginForm(draft, rehearsal, visitor, run: before?.0.run)
        self.before = before.map { (begin: $0.0, problem: $0.1) }
    }

    var content: PageContent {
        PageContent("Rehearsal: \(draft.verb.rawValue)", draft.rehearsalCommand) {
            if let before { moved(since: before.begin, before.problem) }
            outcome
            back
            if rehearsal.counts.done > 0 {
                ConsolePages.section("Do it", id: "begin") {
                    Tag.p {
                        "The run does what was rehearsed, for the instances of this rehearsal. It leaves an instance "
                            + "alone that moves before its turn, and counts it."
                    }
                    begin.markup(typed, count: isSame ? typed?.text("count") : nil)
                    ConsolePages.commandLine(begin.command)
                }
            }
            groups
            misfits
            told
            Self.targets(draft.request.select, draft.names)
        }
    }

    /// The problem of a rehearsal that takes longer than a page waits.
    static let tooLong = Problem(
        .overloaded,
        detail: "The rehearsal takes longer than a page waits, and was ended; nothing was changed. Select fewer "
            + "instances, or use wfctl, whose line is above: it waits as long as it takes. Its run is then shown here")

    /// The page of a rehearsal that was ended.
    static func ended(_ draft: BulkDraft) -> PageContent {
        PageContent("Rehearsal: \(draft.verb.rawValue)", draft.rehearsalCommand) {
            Tag.p(.class("problem")) { tooLong.detail + "." }
            targets(draft.request.select, draft.names)
        }
    }

    // MARK: Parts

    /// The ways back: to what was typed, and to the list.
    private var back: Markup {
        let list = draft.request.select.map { select in
            Link.instances(
                InstanceListParameters(
                    prefix: select.prefix, machines: select.machines, versions: select.versions,
                    statuses: select.statuses, states: select.states, olderThan: select.olderThan,
                    failures: select.failures, condition: select.condition))
        }
        return (asked.map { $0.fields.change($0.form, visitor) } ?? Markup())
            + Tag.p { Tag.a(.href(list ?? Link("instances"))) { "Back to the list" } }
    }

    private var outcome: Markup {
        ConsolePages.section("What would happen", id: "outcome") {
            Words.facts([
                ("Instances", Markup(text: Self.words(rehearsal.counts, draft.verb))),
                ("Digest", Tag.code { "\(rehearsal.digest.prefix(6))" }),
                ("Begins", rehearsal.begun.map { Markup(text: Words.count($0, "invocation or call")) }),
                (
                    "Begins again",
                    rehearsal.again.map { Markup(text: "\(Words.count($0, "invocation")); their services act twice") }
                ),
                ("Cancels", rehearsal.cancelled.map { Markup(text: Words.count($0, "invocation")) }),
                (
                    "Left out",
                    rehearsal.search?.failed.map { failed in
                        Markup(text: "\(failed), for which the expression has no value")
                    }
                ),
            ])
            if draft.verb == .undo {
                Tag.p(.class("note")) { "What the instances have asked of the world stays asked." }
            }
        }
    }

    private static func words(_ counts: BulkCounts, _ verb: BulkAction.Verb) -> String {
        let parts = counts.would(verb).map { "\(CountText.grouped($0.count)) \($0.words)" }
        return parts.isEmpty ? "nothing is selected" : parts.joined(separator: "; ")
    }

    /// True if an earlier rehearsal had the same outcome.
    private var isSame: Bool { before?.begin.digest == rehearsal.digest }

    /// Returns the refusal of an earlier form, and what is different from its rehearsal.
    private func moved(since former: BeginForm, _ problem: Problem) -> Markup {
        ConsolePages.note(problem)
            + (isSame
                ? Markup()
                : Words.facts([
                    ("Rehearsed before", Markup(text: Self.words(former.counts, draft.verb))),
                    ("Rehearsed now", Markup(text: Self.words(rehearsal.counts, draft.verb))),
                ]))
    }

    private var groups: Markup {
        guard !rehearsal.groups.isEmpty else { return Markup() }
        let isMigration = draft.verb == .migrate
        var table = DataTable(
            "Groups of instances, by where they would be",
            (isMigration ? ["From", "To"] : []) + ["Then in"] + ["Instances"] + (isMigration ? ["Timers"] : []))
        for group in rehearsal.groups {
            let end = group.configuration.map { Words.states($0) } ?? Markup(text: "elsewhere")
            let count = Markup(text: CountText.grouped(group.count))
            table.rows.append(
                isMigration
                    ? [
                        Words.states(group.from ?? []), Words.states(group.targets ?? []), end, count,
                        Self.timers(group),
                    ] : [end, count])
        }
        return ConsolePages.section("Where they would be", id: "groups") { table.markup }
    }

    private static func timers(_ group: BulkRehearsal.Group) -> Markup {
        guard let timers = group.timers else { return Markup(text: "–") }
        let parts = [(timers.kept, "kept"), (timers.ended, "ended")] + timers.new.map { ($0.count, "new \($0.event)") }
        return Markup(
            text: (parts + [(timers.due, "due at once")]).filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
                .joined(separator: ", "))
    }

    private var misfits: Markup {
        guard let misfits = rehearsal.misfits, !misfits.isEmpty else { return Markup() }
        var table = DataTable("What has no place in the other version", "Place", "Instances", "Why")
        for misfit in misfits {
            table.add {
                Tag.code { misfit.place }
                CountText.grouped(misfit.count)
                misfit.reason
            }
        }
        return ConsolePages.section("What does not fit", id: "misfits") { table.markup }
    }

    private var told: Markup {
        guard !rehearsal.told.isEmpty else { return Markup() }
        return ConsolePages.section("Instances that would not go on", id: "told") {
            RunPages.table(of: rehearsal.told, "The first instances of each outcome").markup
        }
    }

    /// Returns the selection, or the names.
    static func targets(_ select: BulkSelect?, _ names: [String]) -> Markup {
        ConsolePages.section("Which instances", id: "targets") {
            if let select {
                Words.json(select)
            } else if !names.isEmpty {
                Tag.details {
                    Tag.summary { Words.count(Int64(names.count), "ticked instance") }
                    Tag.pre { names.joined(separator: "\n") }
                }
                Tag.p(.class("note")) { "wfctl reads these names from its input, one a line." }
            }
        }
    }
}
