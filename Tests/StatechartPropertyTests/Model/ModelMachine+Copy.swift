import NaiveStatechart

extension ModelMachine {
    /// Returns a copy without some states, the states below them, and everything that led to them.
    ///
    /// A state that loses all its children becomes atomic. A state that loses the target of its `initial` begins with
    /// its first child. The missing parts may break every other rule of the language.
    ///
    /// - Parameter lifted: States that one of their children replaces, and that vanish with all other children.
    func copy(without removed: [ModelState] = [], lifting lifted: [ModelState: ModelState] = [:]) -> ModelMachine {
        var copies: [ModelState: ModelState] = [:]
        return copy(without: removed, lifting: lifted, telling: &copies)
    }

    /// Returns a copy, as above.
    ///
    /// - Parameter copies: Receives the states of the copy by those that they were made from.
    func copy(
        without removed: [ModelState], lifting lifted: [ModelState: ModelState] = [:],
        telling copies: inout [ModelState: ModelState]
    ) -> ModelMachine {
        let root = Self.copyTree(root, removed, lifted, &copies)
        for (original, copy) in copies { Self.copyContent(of: original, to: copy, copies) }
        return ModelMachine(root: root, isStrict: isStrict, context: context, isFirst: isFirst)
    }

    private static func copyTree(
        _ state: ModelState, _ removed: [ModelState], _ lifted: [ModelState: ModelState],
        _ copies: inout [ModelState: ModelState]
    ) -> ModelState {
        let copy = ModelState(key: state.key, kind: state.kind)
        copy.id = state.id
        copies[state] = copy
        for child in state.children where !removed.contains(child) {
            copy.add(copyTree(lifted[child] ?? child, removed, lifted, &copies))
        }
        if copy.childStates.isEmpty, !state.children.isEmpty {
            for child in state.subtree.dropFirst() { copies[child] = nil }
            copy.children = []
            copy.kind = .atomic
        }
        return copy
    }

    private static func copyContent(
        of original: ModelState, to copy: ModelState, _ copies: [ModelState: ModelState]
    ) {
        copy.entry = original.entry
        copy.exit = original.exit
        copy.timeouts = original.timeouts
        copy.invocations = original.invocations
        copy.transitions = original.transitions.compactMap { transition in
            let targets = mapped(transition.targets, copies)
            let isCut = targets.isEmpty && !transition.targets.isEmpty
            let isDoneOfAtomic = transition.trigger == .done && copy.kind == .atomic
            return isCut || isDoneOfAtomic ? nil : copied(transition, of: copy, to: targets, copies)
        }
        guard let initial = original.initial, copy.kind != .atomic else { return }
        var targets = mapped(initial.targets, copies)
        if targets.isEmpty, copy.isHistory { return }
        if targets.isEmpty, let first = copy.childStates.first { targets = [ModelTarget(state: first, spelling: 0)] }
        copy.initial = copied(initial, of: copy, to: targets, copies)
    }

    private static func copied(
        _ transition: ModelTransition, of source: ModelState, to targets: [ModelTarget],
        _ copies: [ModelState: ModelState]
    ) -> ModelTransition {
        let copy = ModelTransition(of: source, on: transition.trigger, to: targets)
        copy.reenters = transition.reenters
        copy.misfire = transition.misfire
        copy.condition = transition.condition.map { mapped($0, copies) }
        copy.actions = transition.actions
        return copy
    }

    private static func mapped(_ targets: [ModelTarget], _ copies: [ModelState: ModelState]) -> [ModelTarget] {
        targets.compactMap { target in
            copies[target.state].map { ModelTarget(state: $0, spelling: target.spelling) }
        }
    }

    private static func mapped(_ condition: ModelGuard, _ copies: [ModelState: ModelState]) -> ModelGuard {
        switch condition {
        case .always, .never, .countIsBelow, .fails, .written: condition
        case .isIn(let target): mapped([target], copies).first.map(ModelGuard.isIn) ?? .never
        case .isNotIn(let target): mapped([target], copies).first.map(ModelGuard.isNotIn) ?? .always
        case .both(let left, let right): .both(mapped(left, copies), mapped(right, copies))
        case .either(let left, let right): .either(mapped(left, copies), mapped(right, copies))
        }
    }
}
