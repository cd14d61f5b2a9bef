extension MachineDraft {
    /// The tables of the machine.
    ///
    /// - Precondition: the draft and its named actions have no mistakes.
    func compiled(_ actions: ActionExpansion) -> Machine {
        var transitions: [Transition] = []
        let compiled = states.map { state in
            let first = transitions.count
            transitions += state.transitions.enumerated().map { offset, transition in
                self.transition(transition, TransitionIndex(first + offset), of: state, actions)
            }
            return self.state(state, firstTransition: first, actions)
        }
        return Machine(
            name: name, isStrict: isStrict, description: description, states: compiled, transitions: transitions,
            context: context)
    }

    private func state(_ state: StateDraft, firstTransition: Int, _ actions: ActionExpansion) -> State {
        State(
            index: state.index, parent: state.parent, path: state.path, id: id(of: state), kind: state.kind,
            lastDescendant: state.lastDescendant,
            children: state.children.filter { !self[$0].isHistory },
            histories: state.children.filter { self[$0].isHistory },
            initial: initial(of: state, actions), entry: actions.actions(state.entry),
            exit: actions.actions(state.exit),
            candidates: candidates(of: state, firstTransition: firstTransition),
            eventless: indices(of: state, firstTransition: firstTransition) { $0.trigger == .always },
            line: state.position.line)
    }

    private func initial(of state: StateDraft, _ actions: ActionExpansion) -> Initial? {
        if let initial = state.initial {
            return Initial(
                targets: initial.targets.compactMap(\.state), actions: actions.actions(initial.actions))
        }
        // A history state without a target falls back to where its parent begins.
        guard state.isHistory, let parent = state.parent else { return nil }
        let targets =
            self[parent].initial?.targets.compactMap(\.state) ?? self[parent].children.filter { !self[$0].isHistory }
        return Initial(targets: targets, actions: [])
    }

    private func transition(
        _ transition: TransitionDraft, _ index: TransitionIndex, of state: StateDraft, _ actions: ActionExpansion
    ) -> Transition {
        Transition(
            index: index, source: state.index, targets: transition.targets.compactMap(\.state),
            reenters: transition.reenters, actions: actions.actions(transition.actions),
            descriptor: descriptor(of: transition, in: state), line: transition.position.line)
    }

    private func indices(
        of state: StateDraft, firstTransition: Int, where isWanted: (TransitionDraft) -> Bool
    ) -> [TransitionIndex] {
        state.transitions.indices.filter { isWanted(state.transitions[$0]) }
            .map { TransitionIndex(firstTransition + $0) }
    }

    private func candidates(of state: StateDraft, firstTransition: Int) -> CandidateTable {
        var byDescriptor: [String: [TransitionIndex]] = [:]
        // `onDone` comes after what `on` says about the same event.
        let handled = indices(of: state, firstTransition: firstTransition) {
            $0.trigger != .always && $0.trigger != .done
        }
        let done = indices(of: state, firstTransition: firstTransition) { $0.trigger == .done }
        for index in handled + done {
            let transition = state.transitions[index.offset - firstTransition]
            guard let descriptor = descriptor(of: transition, in: state) else { continue }
            byDescriptor[descriptor, default: []].append(index)
        }
        let any = byDescriptor.removeValue(forKey: "*") ?? []
        let prefixes = byDescriptor.filter { $0.key.hasSuffix(".*") }
        return CandidateTable(
            exact: byDescriptor.filter { !$0.key.hasSuffix(".*") },
            prefixes: prefixes.map { CandidateTable.Prefix(name: String($0.key.dropLast(2)), transitions: $0.value) },
            any: any)
    }
}
