/// The tables that are computed in advance for a machine without parallel and history states. Its active states form
/// one line from the root to a leaf, and the states that a transition leaves do not depend on the past.
final class SequentialPlan: Sendable {
    /// The configuration that ends with each state, from the root down, by state.
    let configurations: [[StateIndex]]
    /// The domain of each transition, by transition; `nil` for a transition without targets.
    let domains: [StateIndex?]

    /// Returns `nil` for every other machine.
    init?(states: [State], transitions: [Transition], by semantics: Semantics) {
        let isSequential =
            states.allSatisfy { state in
                state.kind != .parallel && !state.isHistory && state.initial?.targets.count ?? 1 == 1
            } && transitions.allSatisfy { $0.targets.count <= 1 }
        guard isSequential else { return nil }
        var configurations: [[StateIndex]] = []
        configurations.reserveCapacity(states.count)
        // A parent precedes its children.
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
    /// Returns the transition domain (`getTransitionDomain` of SCXML, with the rule of `reenter`). Without `reenter`, a
    /// transition whose targets are its source or below it does not leave the source. A source that is reached through
    /// a history state is left and entered, as in SCXML.
    ///
    /// - Parameter targets: The transition's targets, with history states replaced by the states that they stand for.
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
