/// What is known beforehand of a machine without parallel and history states: its active states are one line from the
/// root to a leaf, and what a transition leaves does not depend on the past.
final class SequentialPlan: Sendable {
    /// By state: the configuration in which it is the last, from the root to it.
    let configurations: [[StateIndex]]
    /// By transition: its domain; nil when it has no targets.
    let domains: [StateIndex?]

    /// Nil for every other machine.
    init?(states: [State], transitions: [Transition], by semantics: Semantics) {
        let isSequential =
            states.allSatisfy { state in
                state.kind != .parallel && !state.isHistory && state.initial?.targets.count ?? 1 == 1
            } && transitions.allSatisfy { $0.targets.count <= 1 }
        guard isSequential else { return nil }
        var configurations: [[StateIndex]] = []
        configurations.reserveCapacity(states.count)
        // A parent comes before its children.
        for state in states {
            configurations.append((state.parent.map { configurations[$0.offset] } ?? []) + [state.index])
        }
        self.configurations = configurations
        domains = transitions.map { transition in
            transition.targets.isEmpty
                ? nil : Machine.domain(of: transition, reaching: transition.targets, among: states, by: semantics)
        }
    }
}

extension Machine {
    /// `getTransitionDomain`, with the rule of `reenter` (a transition whose targets are its source or below it
    /// leaves the source alone). A source that is reached through a history state is left and entered, as in SCXML.
    ///
    /// - Parameter targets: The transition's, with history states replaced by what they stand for.
    static func domain(
        of transition: Transition, reaching targets: [StateIndex], among states: [State], by semantics: Semantics
    ) -> StateIndex {
        let source = states[transition.source.offset]
        let mayBeSource = semantics == .first || transition.targets.contains(source.index)
        let staysInside = targets.allSatisfy { target in
            target == source.index ? mayBeSource : source.isProperAncestor(of: target)
        }
        if !transition.reenters, staysInside { return source.index }
        // `findLCCA`
        var next = source.parent
        while let index = next {
            let ancestor = states[index.offset]
            if ancestor.kind == .compound, targets.allSatisfy(ancestor.isProperAncestor) { return index }
            next = ancestor.parent
        }
        return .root
    }
}
