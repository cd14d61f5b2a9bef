extension Machine {
    /// Returns a sentence for each place where the machine behaves differently than under earlier semantics.
    ///
    /// Guards and data may prevent a reported difference at run time. Costs O(n) in the size of the machine.
    ///
    /// - Parameter source: The definition's text.
    package func differences(from earlier: Semantics, in source: String) -> [String] {
        guard earlier == .first, semantics != .first else { return [] }
        return conflictDifferences + historyDifferences + lateDifferences(in: source) + languageDifferences(in: source)
    }

    /// The transitions that conflict only under the current semantics. A leaf's transition to itself leaves no active
    /// state below the leaf, so the conflict exists only if the source counts as left.
    private var conflictDifferences: [String] {
        let others = Set(transitions.filter { !isInner($0) && !$0.targets.isEmpty }.map(\.descriptor))
        let hasFamilies = others.contains { $0?.hasSuffix("*") ?? false }
        return transitions.filter { transition in
            guard isInner(transition), hasParallelAncestor(transition.source) else { return false }
            guard let descriptor = transition.descriptor else { return others.contains(nil) }
            return others.contains(descriptor) || hasFamilies
                || descriptor.hasSuffix("*") && others.contains { $0 != nil }
        }.map { transition in
            let event = transition.descriptor.map { " with '\($0)'" } ?? ""
            return "line \(transition.line): the transition of '\(self[transition.source].path)' to itself\(event) "
                + "preempts those of its ancestors and of other regions that leave it"
        }
    }

    /// Returns true if a transition leads from a leaf to itself without leaving it.
    private func isInner(_ transition: Transition) -> Bool {
        self[transition.source].isLeaf && !transition.reenters && transition.targets == [transition.source]
    }

    private func hasParallelAncestor(_ index: StateIndex) -> Bool {
        var next = self[index].parent
        while let ancestor = next {
            if self[ancestor].kind == .parallel { return true }
            next = self[ancestor].parent
        }
        return false
    }

    private var historyDifferences: [String] {
        transitions.filter { transition in
            guard !transition.reenters, !transition.targets.contains(transition.source) else { return false }
            return transition.targets.contains { mayStand(self[$0], for: self[transition.source]) }
        }.map { transition in
            "line \(transition.line): where history stands for '\(self[transition.source].path)' itself, the state is "
                + "left and entered"
        }
    }

    /// Returns true if a history state can stand for a state; false for every other kind of target.
    package func mayStand(_ history: State, for state: State) -> Bool {
        switch history.kind {
        case .shallowHistory: state.parent == history.parent || isDefault(state, of: history)
        case .deepHistory:
            state.isLeaf && history.parent.map { self[$0].isProperAncestor(of: state.index) } ?? false
                || isDefault(state, of: history)
        case .atomic, .compound, .parallel, .final: false
        }
    }

    private func isDefault(_ state: State, of history: State) -> Bool {
        history.initial?.targets.contains(state.index) ?? false
    }

    private func lateDifferences(in source: String) -> [String] {
        guard source.count(of: "misfire") > 0 else { return [] }
        return states.compactMap { state in
            let delays = state.candidates.exact.filter {
                $0.value.count > 1 && $0.key.hasPrefix(EventName.timeoutPrefix)
            }
            guard let line = delays.values.compactMap(\.first).min().map({ self[$0].line }) else { return nil }
            return "line \(line): when a timer of '\(state.path)' comes late, each transition of its delay has its own "
                + "'misfire', and one that is too late lets the next be tried"
        }
    }

    private func languageDifferences(in source: String) -> [String] {
        var differences: [String] = []
        let writtenOut = source.count(of: "duration('") + source.count(of: "duration(\"")
        if source.count(of: "duration") > writtenOut {
            differences.append("durations in texts that are computed, or are data, may be '30d', '1w' or 'P3D'")
        }
        if source.count(of: "%0") > 0 { differences.append("'format' knows '%02d'") }
        return differences
    }
}

extension String {
    /// Counts the occurrences of a word in the text.
    ///
    /// - Parameter word: A word whose first character occurs only once.
    fileprivate func count(of word: String) -> Int {
        let word = Array(word.utf8)
        var (count, matched) = (0, 0)
        for byte in utf8 {
            matched = byte == word[matched] ? matched + 1 : byte == word[0] ? 1 : 0
            guard matched == word.count else { continue }
            count += 1
            matched = 0
        }
        return count
    }
}
