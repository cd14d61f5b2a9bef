import WorkflowJSON

/// The outcomes of events that depend on nothing but the active leaf: not on context, data, time, or pending items.
///
/// Such an event takes a transition without guard and actions, between states without actions and timers, or no active
/// state takes it. The step itself computes each outcome once; the table only repeats it.
package final class FlatTable: Sendable {
    /// The most pairs of state and event. A machine with more has no table.
    private static let limit = 4_096

    private struct Entry {
        let event: String
        let outcome: Outcome
    }

    /// The entries of each state, by state.
    private let rows: [[Entry]]

    /// Computes the outcomes of these events. Returns `nil` if several leaves can be active at a time.
    package init?(_ machine: Machine, events: [String]) {
        guard let plan = machine.plan, machine.states.count * events.count <= Self.limit else { return nil }
        rows = machine.states.map { state in
            guard state.isLeaf else { return [] }
            return events.compactMap { event in
                machine.flatOutcome(of: event, in: state, plan).map { Entry(event: event, outcome: $0) }
            }
        }
    }

    /// Returns the outcome of a caller's event in a leaf of a running instance without pending items. Returns `nil` if
    /// only the step knows it.
    ///
    /// A macrostep tells the configuration, and the states that were left and entered. In other respects an instance
    /// only gets the next number.
    package func outcome(of event: String, in leaf: StateIndex) -> Outcome? {
        rows[leaf.offset].first { $0.event == event }?.outcome
    }
}

extension Machine {
    /// Returns the outcome of an event. Returns `nil` if it could depend on more than the active leaf.
    fileprivate func flatOutcome(of event: String, in leaf: State, _ plan: SequentialPlan) -> Outcome? {
        // Declared data are checked before a transition is selected.
        guard eventData[event] == nil else { return nil }
        let taken = firstCandidate(for: event, in: leaf)
        let isFlat = taken.map { self[$0].condition == nil && self[$0].actions.isEmpty } ?? isStrict
        guard isFlat else { return nil }
        let snapshot = Snapshot(
            status: .running, configuration: plan.configurations[leaf.index.offset], context: JSONObject(), memory: [])
        let identity = InstanceIdentity(name: "", version: 1, startedAt: .zero)
        let outcome = apply(.event(Event(name: event)), to: snapshot, as: identity)
        guard case .accepted(let macrostep) = outcome else { return taken == nil ? outcome : nil }
        let touched = snapshot.configuration + macrostep.entered + macrostep.snapshot.configuration
        let isQuiet =
            macrostep.exited.allSatisfy { self[$0].exit.isEmpty }
            && macrostep.entered.allSatisfy { self[$0].isQuietlyEntered } && touched.allSatisfy { self[$0].isQuiet }
        return isQuiet ? outcome : nil
    }

    /// Returns the transition that an event takes if it has no guard.
    private func firstCandidate(for event: String, in leaf: State) -> TransitionIndex? {
        var next: State? = leaf
        while let state = next {
            if let first = state.first(for: .event(Event(name: event)), where: { _ in true }) { return first }
            next = state.parent.map { self[$0] }
        }
        return nil
    }
}

extension State {
    /// True if entering the state runs no action, arms nothing and raises no event.
    fileprivate var isQuietlyEntered: Bool { entry.isEmpty && !armsAnything && kind != .final }

    /// True if the state takes no transition by itself while it is active, and its initial transition has no action.
    fileprivate var isQuiet: Bool { eventless.isEmpty && initial?.actions.isEmpty ?? true }
}
