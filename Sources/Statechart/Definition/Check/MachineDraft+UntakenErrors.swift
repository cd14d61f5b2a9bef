extension MachineDraft {
    /// Warns about invocations whose failure no transition can take: the instance fails with the invocation.
    ///
    /// The check assumes that every guard is true. O(n log n) in the size of the machine, for states of bounded depth.
    ///
    /// - Precondition: The definition has no mistakes.
    func checkUntakenErrors(_ diagnostics: inout DiagnosticList) {
        guard states.contains(where: { !$0.invocations.isEmpty }) else { return }
        let takers = ErrorTakers(of: self)
        for state in states {
            for invocation in state.invocations {
                let event = EventName.failed + id(of: invocation, in: state)
                if takers.canTake(event, during: state) { continue }
                diagnostics.warning(
                    "no transition takes \(event.quoted): when this invocation fails, the instance fails and waits for "
                        + "somebody; add 'onError'", at: invocation.position)
            }
        }
    }
}

/// The states that have transitions for errors of invocations.
private struct ErrorTakers {
    private let draft: MachineDraft
    /// The states by descriptor; each list is in document order.
    private var states: [String: [StateIndex]] = [:]

    init(of draft: MachineDraft) {
        self.draft = draft
        for state in draft.states {
            for transition in state.transitions {
                guard let descriptor = draft.descriptor(of: transition, in: state) else { continue }
                // Under `strict`, `*` never takes an error.
                let takesAny = descriptor == "*" && !draft.isStrict
                if takesAny || descriptor.hasPrefix(EventName.errorPrefix) {
                    states[descriptor, default: []].append(state.index)
                }
            }
        }
    }

    /// Returns true if a state that takes an event can be active together with a given state. Such a state is the given
    /// state itself, an ancestor or descendant, or a state in another region of a parallel ancestor.
    func canTake(_ event: String, during state: StateDraft) -> Bool {
        for descriptor in Self.descriptors(of: event) {
            guard let takers = states[descriptor] else { continue }
            if Self.hasAny(takers, through: state.lastDescendant, from: { $0 >= state.index }) { return true }
            var below = state
            while let index = below.parent {
                let above = draft[index]
                if takers.containsSorted(index) { return true }
                // The other regions are before or after this region.
                if above.kind == .parallel,
                    Self.hasAny(takers, through: below.index, from: { $0 > index })
                        || Self.hasAny(takers, through: above.lastDescendant, from: { $0 > below.lastDescendant })
                {
                    return true
                }
                below = above
            }
        }
        return false
    }

    /// Returns the descriptors that match an event: its name, each prefix with `.*`, and `*`.
    private static func descriptors(of event: String) -> [String] {
        var descriptors = [event, "\(event).*", "*"]
        var prefix = event[...]
        while let dot = prefix.lastIndex(of: ".") {
            prefix = prefix[..<dot]
            descriptors.append("\(prefix).*")
        }
        return descriptors
    }

    /// Returns true if a sorted list has a state from the first one that satisfies a condition to a given last state.
    private static func hasAny(
        _ sorted: [StateIndex], through last: StateIndex, from isReached: (StateIndex) -> Bool
    ) -> Bool {
        let offset = sorted.firstOffset(where: isReached)
        return offset < sorted.count && sorted[offset] <= last
    }
}
