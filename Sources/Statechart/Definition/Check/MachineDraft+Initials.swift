extension MachineDraft {
    /// Checks the initial states of compound states and the defaults of history states.
    func checkInitials(_ diagnostics: inout DiagnosticList) {
        for state in states {
            if state.isHistory {
                checkDefault(of: state, &diagnostics)
            } else {
                checkInitial(of: state, &diagnostics)
                checkBorrowedDefaults(from: state, &diagnostics)
            }
        }
    }

    private func checkInitial(of state: StateDraft, _ diagnostics: inout DiagnosticList) {
        for target in state.initial?.targets ?? [] {
            guard let found = target.state, !isAncestor(state.index, of: found) else { continue }
            let message = "'initial' of \(state.nameInMessages) must lie below it; \(name(of: found)) does not"
            diagnostics.error(message, at: target.word.position)
        }
    }

    private func checkDefault(of history: StateDraft, _ diagnostics: inout DiagnosticList) {
        guard let parent = history.parent else { return }
        for target in history.initial?.targets ?? [] {
            guard let found = target.state else { continue }
            if !isAncestor(parent, of: found) {
                let message = "'target' of \(history.nameInMessages) must lie below \(name(of: parent))"
                diagnostics.error(message, at: target.word.position)
            } else if self[found].isHistory {
                let message = "'target' of \(history.nameInMessages) cannot be a history state"
                diagnostics.error(message, at: target.word.position)
            }
        }
    }

    /// Checks history states without a target. Such a state uses its parent's `initial`, which must not be that state.
    private func checkBorrowedDefaults(from parent: StateDraft, _ diagnostics: inout DiagnosticList) {
        for index in Set(parent.initial?.targets.compactMap(\.state) ?? []) where self[index].parent == parent.index {
            checkBorrowedDefault(of: self[index], from: parent, &diagnostics)
        }
    }

    private func checkBorrowedDefault(
        of history: StateDraft, from parent: StateDraft, _ diagnostics: inout DiagnosticList
    ) {
        guard history.isHistory, history.initial == nil else { return }
        let message = "\(history.nameInMessages) needs a 'target': it is where \(parent.nameInMessages) begins"
        diagnostics.error(message, at: history.position)
    }
}
