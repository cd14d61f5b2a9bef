import WorkflowAPI
import WorkflowJSON
import WorkflowTerminal

/// Runs over many instances, for people.
enum BulkText {
    /// Returns a line for a run: `ops-12: 88 of 88: 87 went on, 1 changed`.
    ///
    /// For an undo, the line counts the instances that have gone on: `ops-13: 1,590 put back, 12 had gone on (listed)`.
    static func line(for run: BulkRun) -> StyledText {
        let counts = outcome(run.counts, run.action.verb)
        if let undone = run.action.undone, run.state == .done {
            let told = lines(for: run.told ?? [], of: run.counts.left)
            let what = counts.isEmpty ? "nothing to put back" : counts
            return "\(undone): \(what)\(run.counts.left == 0 ? "" : " (listed)")\n" + deeds(run.counts, .undo) + told
        }
        let state = run.state == .stopped ? ", stopped" : run.undoneBy.map { "; undone by '\($0)'" } ?? ""
        let count = "\(grouped(run.counts.total)) of \(grouped(run.selected))"
        let left = run.unevaluated.map { "; the expression has no value for \(grouped($0)), which are left out" } ?? ""
        return "\(run.run): \(count)\(counts.isEmpty ? "" : ": ")\(counts)\(state)\(left)\n"
    }

    /// Returns the rehearsal, `88 would go on: shipped 86, packing 2    digest 5f3c9a`, and the instances that would be
    /// left out.
    static func lines(for rehearsal: BulkRehearsal, _ action: BulkAction) -> StyledText {
        if action.verb == .migrate { return MigrationText.lines(for: rehearsal, action) }
        let (verb, counts) = (action.verb, rehearsal.counts)
        let groups = rehearsal.groups.map { group in
            "\(group.configuration?.joined(separator: " + ") ?? "elsewhere") \(grouped(group.count))"
        }
        var parts = counts.would(verb).map { "\(grouped($0.count)) \($0.words)" }
        // Proof: the first part is of those that are done.
        if counts.done > 0, !groups.isEmpty { parts[0] += ": \(groups.joined(separator: ", "))" }
        let what = parts.isEmpty ? "nothing is selected" : parts.joined(separator: "; ")
        let head: StyledText = "\(what)    digest \(rehearsal.digest.prefix(6))\n"
        return head + deeds(counts, verb) + effects(of: rehearsal) + lines(for: rehearsal.told, of: counts.left)
    }

    /// Returns the warning that an undo leaves requests to the outside as they are; empty for other verbs, and if
    /// nothing is put back.
    private static func deeds(_ counts: BulkCounts, _ verb: BulkAction.Verb) -> StyledText {
        guard verb == .undo, counts.done + counts.failed > 0 else { return "" }
        return "  deeds stay done: what the instances have asked of the world stays asked\n"
    }

    /// Returns the effects of a run on the outside, such as `  begins 240 invocations or calls`; empty if there are
    /// none.
    static func effects(of rehearsal: BulkRehearsal) -> StyledText {
        var text: StyledText = ""
        if let begun = rehearsal.begun { text = text + "  begins \(grouped(begun)) invocations or calls\n" }
        if let again = rehearsal.again {
            text = text + "  begins \(grouped(again)) invocations again; their services act twice\n"
        }
        if let cancelled = rehearsal.cancelled { text = text + "  cancels \(grouped(cancelled)) invocations\n" }
        return text
    }

    /// Returns a line for each left-out instance, `  refused  order-7: …`, and the number of those without a line.
    static func lines(for told: [BulkTold], of count: Int64) -> StyledText {
        let left = told.filter { !["done", "passedOver"].contains($0.outcome) }
        let lines = left.reduce(StyledText("")) { text, told in
            text + "  \(told.outcome, .bad)  \(line(for: told))\n"
        }
        let more = count - Int64(left.count)
        return more > 0 ? lines + "  and \(grouped(more)) more\n" : lines
    }

    /// Returns a left-out instance with the reason, which may begin with its name: `order-7: it runs`.
    static func line(for told: BulkTold) -> String {
        guard let why = told.message else { return told.instance }
        let isNamed = [", ", ": ", " "].contains { why.hasPrefix(told.instance + $0) }
        return isNamed ? why : "\(told.instance): \(why)"
    }

    /// Returns the counts: `87 went on, 1 changed`; empty if no instance was processed.
    static func outcome(_ counts: BulkCounts, _ verb: BulkAction.Verb) -> String {
        counts.did(verb).map { "\(grouped($0.count)) \($0.words)" }.joined(separator: ", ")
    }

    /// Returns the number with separators: `1,602`.
    static func grouped(_ number: Int64) -> String { CountText.grouped(number) }

    /// Returns the selection of a run: `machine order, version 1`.
    static func selection(of run: BulkRun) -> String {
        if let names = run.names { return "\(grouped(names)) names" }
        guard let select = run.select else { return "" }
        let parts = [
            either("machine", select.machines), either("version", select.versions.map { String($0) }),
            either("status", select.statuses.map(\.rawValue)), either("state", select.states),
            select.olderThan.map { "older than \($0)" }, either("failure", select.failures.map { "'\($0)'" }),
            select.prefix.map { "prefix '\($0)'" }, select.condition.map { "where \($0)" },
            select.suspendedBy.map { "suspended by its \($0)" },
        ].compactMap(\.self)
        return parts.isEmpty ? "all" : parts.joined(separator: ", ")
    }

    /// Returns alternatives, such as `status failed or suspended`, or `nil` for all.
    private static func either(_ what: String, _ values: [String]) -> String? {
        values.isEmpty ? nil : "\(what) \(values.joined(separator: " or "))"
    }

    /// Returns all data of a run.
    static func page(of run: BulkRun) -> StyledText {
        var text: StyledText = "run:      \(run.run)\nverb:     \(verb(run.action))\nfor:      \(selection(of: run))\n"
        let state: StyledText = "\(run.state.rawValue, run.state == .stopped ? .bad : nil)"
        let more = run.paused.map { ", pauses: \($0)" } ?? run.undoneBy.map { ", undone by '\($0)'" } ?? ""
        text = text + "state:    \(state)\(more)\n"
        let counts = outcome(run.counts, run.action.verb)
        text =
            text + "turns:    \(grouped(run.counts.total)) of \(grouped(run.selected))"
            + "\(counts.isEmpty ? "" : ": ")\(counts)\n"
        if let count = run.unevaluated {
            text = text + "left out: \(grouped(count)), for which the expression has no value\n"
        }
        if let reason = run.reason { text = text + "reason:   \(reason)\n" }
        if let actor = run.actor { text = text + "actor:    \(actor)\n" }
        text = text + "begun:    \(run.begunAt.text)\n"
        text = text + (run.endedAt.map { "ended:    \($0.text)\n" } ?? "changed:  \(run.updatedAt.text)\n")
        let left = run.selected - run.counts.total
        if run.state == .done, run.action.verb == .migrate || run.undoneBy != nil, left > 0 {
            text = text + "no turn:  \(grouped(left)), because its undo has ended it\n"
        }
        return text + lines(for: run.told ?? [], of: run.counts.left)
    }

    private static func verb(_ action: BulkAction) -> String {
        [
            action.verb.rawValue, action.undone, action.to.map { "to \($0)" }, action.event,
            action.set.map { StateText.data(.object($0)) },
        ].compactMap(\.self)
            .joined(separator: " ")
    }
}

extension BulkCounts {
    /// The number of selected instances that were left out or failed afterwards.
    var left: Int64 { total - done - passedOver }
}
