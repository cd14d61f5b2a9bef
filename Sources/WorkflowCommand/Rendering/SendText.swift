import WorkflowAPI

/// What an event came to, for people.
enum SendText {
    /// `order-1042: draft -> review   (seq 4 -> 5)`, and what was asked for beside it.
    static func lines(for answer: SendAnswer) -> String {
        var facts = ["seq \(answer.fromSeq) -> \(answer.seq)"]
        if answer.status != .running { facts.append(answer.status.rawValue) }
        if answer.dryRun == true { facts.append("dry run: nothing was changed") }
        return "\(answer.instance): \(StateText.leaves(answer.from)) -> \(StateText.leaves(answer.to))"
            + "   (\(facts.joined(separator: ", ")))\n"
            + StateText.detail(exited: answer.exited, entered: answer.entered)
            + (answer.output.map { "  output: \(StateText.data($0))\n" } ?? "")
            + candidates(answer.candidates ?? []).map { "  \($0)\n" }.joined()
    }

    /// A line for each transition in the order tried: its verdict, and the values that its guard read.
    static func candidates(_ candidates: [Candidate]) -> [String] {
        let width = candidates.map(\.verdict.rawValue.count).max() ?? 0
        return candidates.map { candidate in
            let verdict = candidate.verdict.rawValue
            let padding = String(repeating: " ", count: width - verdict.count)
            let targets = candidate.targets.isEmpty ? "" : " -> " + candidate.targets.joined(separator: ", ")
            let guarded = candidate.guard.map { " [\($0)]" } ?? ""
            let reads = candidate.reads.map { read in "\(read.expression) = \(read.value?.text ?? "unreadable")" }
            let values = reads.isEmpty ? "" : "   (\(reads.joined(separator: ", ")))"
            let failure = candidate.failure.map { ": \($0)" } ?? ""
            let place = "\(StateText.path(candidate.state)), line \(candidate.line)"
            return Printable.text(
                "\(verdict)\(padding)   \(place): \(candidate.on)\(guarded)\(targets)\(failure)\(values)")
        }
    }
}
