package import Statechart

extension Machine {
    /// Returns the state's own name: the last part of its path, which may contain dots. The root has the machine's
    /// name.
    package func key(of index: StateIndex) -> String {
        let state = self[index]
        guard let parent = state.parent else { return name }
        let prefix = parent == .root ? 0 : self[parent].path.utf8.count + 1
        return String(decoding: state.path.utf8.dropFirst(prefix), as: UTF8.self)
    }

    /// Returns the label of a history state: `H` or `H*`, with its name if its parent has several.
    package func historyName(of index: StateIndex) -> String {
        let sign = self[index].kind == .deepHistory ? "H*" : "H"
        let isAlone = self[index].parent.map { self[$0].histories.count == 1 } ?? true
        return isAlone ? sign : sign + " " + key(of: index)
    }

    /// Returns the children through which a state begins, with their labels, in document order.
    package func beginnings(of index: StateIndex) -> [(child: StateIndex, label: String)] {
        let state = self[index]
        guard state.kind == .compound, let initial = state.initial else { return [] }
        return state.children.compactMap { child in
            let targets = initial.targets.filter { $0 == child || self[child].isProperAncestor(of: $0) }
            guard !targets.isEmpty else { return nil }
            let prefix = index == .root ? 0 : state.path.utf8.count + 1
            let below = targets.filter { $0 != child }.map {
                String(decoding: self[$0].path.utf8.dropFirst(prefix), as: UTF8.self)
            }
            return (child, TransitionLabel.text(of: initial, below: below.joined(separator: ", ")))
        }
    }

    /// Returns the children of a state, including history states, in document order.
    package func members(of index: StateIndex) -> [StateIndex] {
        (self[index].children + self[index].histories).sorted()
    }

    /// True if diagrams need a box for the machine itself, because a transition starts or ends there.
    package var isDrawn: Bool {
        self[.root].kind == .parallel
            || transitions.contains { $0.source == .root || $0.targets.contains(.root) }
    }

    /// Returns the default targets of a history state that need an arrow: those that differ from its parent's initial
    /// states.
    package func defaults(of history: StateIndex) -> [StateIndex] {
        guard let targets = self[history].initial?.targets, let parent = self[history].parent else { return [] }
        let parentTargets = self[parent].initial?.targets ?? self[parent].children
        return targets == parentTargets ? [] : targets
    }
}
