extension MachineDraft {
    /// Finds the states of all targets. Reports targets that do not exist, or that are not allowed in their place.
    mutating func resolveTargets(_ diagnostics: inout DiagnosticList) {
        let resolver = TargetResolver(self, diagnostics: &diagnostics)
        let errors = diagnostics.errors.count
        for index in states.indices {
            for transition in states[index].transitions.indices {
                for target in states[index].transitions[transition].targets.indices {
                    let word = states[index].transitions[transition].targets[target].word
                    let state = resolver.find(word, from: .transition(of: StateIndex(index)), &diagnostics)
                    states[index].transitions[transition].targets[target].state = state
                }
            }
            resolveInitial(of: index, resolver, &diagnostics)
        }
        isResolved = isResolved && diagnostics.errors.count == errors
    }

    private mutating func resolveInitial(
        of index: Int, _ resolver: TargetResolver, _ diagnostics: inout DiagnosticList
    ) {
        let state = states[index]
        // An empty or unreadable `states` was already reported.
        guard var initial = state.initial, state.isHistory || !state.children.isEmpty else { return }
        let base: TargetResolver.Base = state.isHistory ? .transition(of: state.index) : .initial(of: state.index)
        for target in initial.targets.indices {
            initial.targets[target].state = resolver.find(initial.targets[target].word, from: base, &diagnostics)
        }
        states[index].initial = initial
    }
}

extension TargetResolver {
    fileprivate func find(_ word: SourceWord, from base: Base, _ diagnostics: inout DiagnosticList) -> StateIndex? {
        let state = state(word.text, from: base)
        if state == nil { diagnostics.error(message(word.text, from: base, diagnostics), at: word.position) }
        return state
    }
}
