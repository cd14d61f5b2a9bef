extension MachineDraft {
    /// Checks that states which are targets of one transition can be active together, each in its own region.
    func checkTogether(_ diagnostics: inout DiagnosticList) {
        for state in states {
            if let initial = state.initial { check(initial.targets, &diagnostics) }
            for transition in state.transitions { check(transition.targets, &diagnostics) }
        }
    }

    /// Checks neighbouring targets in document order. Neighbours suffice: the common ancestor of any two targets is
    /// also the common ancestor of some neighbours between them.
    private func check(_ targets: [TargetDraft], _ diagnostics: inout DiagnosticList) {
        guard targets.count > 1 else { return }
        let found = targets.compactMap { target in target.state.map { (place(of: $0), target) } }
            .sorted { $0.0 < $1.0 }
        for (left, right) in zip(found, found.dropFirst()) where !canBeActiveTogether(left.0, right.0) {
            let words = [left.1.word, right.1.word].sorted { $0.position < $1.position }
            let names = words.map(\.text.quoted).joined(separator: " and ")
            let rule = "cannot be active together: they are not in different regions of a parallel state"
            diagnostics.error("targets \(names) \(rule)", at: words[1].position)
        }
    }

    /// Returns the parent of a history state, and every other state itself.
    private func place(of index: StateIndex) -> StateIndex {
        self[index].isHistory ? self[index].parent ?? index : index
    }

    private func canBeActiveTogether(_ left: StateIndex, _ right: StateIndex) -> Bool {
        guard left != right, !isAncestor(left, of: right), !isAncestor(right, of: left) else { return false }
        var common = left
        while !isAncestor(common, of: right) {
            guard let parent = self[common].parent else { return false }
            common = parent
        }
        return self[common].kind == .parallel
    }
}
