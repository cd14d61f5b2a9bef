import WorkflowAPI

/// The result of an event, for people.
enum SendText {
    /// Returns the result, `order-1042: draft -> review   (seq 4 -> 5)`, with the requested details.
    ///
    /// - Parameter isRepair: True for an operator's verb: the status is printed, and the state may be unchanged.
    static func lines(for answer: SendAnswer, ofRepair isRepair: Bool = false) -> StyledText {
        var facts: [StyledText] = ["seq \(answer.fromSeq) -> \(answer.seq)"]
        if answer.status != .running || isRepair {
            facts.append(StyledText(answer.status.rawValue, StateText.style(of: answer.status)))
        }
        if answer.dryRun == true { facts.append("dry run: nothing was changed") }
        if let migration = answer.migration { facts.append("version \(migration.from) -> \(migration.to)") }
        if let old = answer.reset?.fromVersion, let new = answer.reset?.toVersion {
            facts.append("version \(old) -> \(new)")
        }
        let move: StyledText =
            isRepair && answer.from == answer.to
            ? StateText.styled(answer.to) : "\(StateText.styled(answer.from)) -> \(StateText.styled(answer.to))"
        var text: StyledText = "\(answer.instance): \(move)   (\(facts.joined(separator: ", ")))\n"
        text = text + StateText.detail(exited: answer.exited, entered: answer.entered)
        if let output = answer.output { text = text + "  output: \(StateText.data(output))\n" }
        for effect in answer.begun ?? [] { text = text + "  begins: \(effect.id) (\(effect.queue))\n" }
        // The lines of a migration list cancelled invocations like its timers, rehearsed or done.
        if answer.migration == nil { for id in answer.cancelled ?? [] { text = text + "  cancels: \(id)\n" } }
        if let reset = answer.reset { text = text + lines(for: reset) }
        if let migration = answer.migration { text = text + lines(of: migration) }
        for line in candidates(answer.candidates ?? []) { text = text + "  \(line)\n" }
        return text
    }

    /// Returns the outcome of the pending items.
    private static func lines(for reset: ResetAnswer) -> StyledText {
        var text: StyledText = "  as after seq \(reset.to)\n"
        for timer in reset.timers { text = text + "  due \(timer.due.text): \(timer.event)\n" }
        if let others = reset.otherTimers { text = text + "  and \(others) more timers\n" }
        for invocation in reset.invocations {
            let fate =
                switch invocation.fate {
                case .stays: "goes on: \(invocation.id)"
                case .cancelled: "cancels: \(invocation.id)"
                case .again: "begins again: \(invocation.id); its service acts twice"
                case .answered: "has its answer again: \(invocation.id)"
                }
            text = text + "  \(fate)\n"
        }
        return text
    }

    /// Returns the changes of timers, invocations, memory and context; unchanged ones are left out.
    private static func lines(of migration: MigrationItem) -> StyledText {
        var text: StyledText = ""
        for timer in migration.kept { text = text + "  kept: \(timer.event), due \(timer.due.text)\n" }
        for timer in migration.new { text = text + "  new: \(timer.event), due \(timer.due.text)\n" }
        for event in migration.ended { text = text + "  ended: \(event)\n" }
        for id in migration.cancelled { text = text + "  cancelled: \(id)\n" }
        for path in migration.forgotten { text = text + "  forgotten: \(path)\n" }
        for key in migration.undeclared { text = text + "  not declared: context.\(key)\n" }
        return text
    }

    /// Returns a line for each transition in the order tried: its verdict, and the values that its guard read.
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
            return "\(verdict)\(padding)   \(place): \(candidate.on)\(guarded)\(targets)\(failure)\(values)"
        }
    }
}
