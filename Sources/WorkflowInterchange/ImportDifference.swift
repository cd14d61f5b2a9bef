import Drawing
import Statechart

/// A difference between a machine and the original, at one place.
struct ImportDifference {
    /// The line in the definition.
    let line: Int
    let message: String
    /// True if the difference can change the machine's course.
    var decides = false

    /// Returns the difference for history that leads below a state that stays active. The letter of SCXML's Appendix D,
    /// and XState, enter that state again. Returns `nil` if the transition has no such target.
    ///
    /// - Parameter language: The language of the original.
    static func historyBelow(_ transition: Transition, in machine: Machine, _ language: String) -> ImportDifference? {
        guard let state = machine.stateKeptByHistory(transition) else { return nil }
        let name = machine.key(of: state)
        return ImportDifference(
            line: transition.line,
            message: "where history leads to a state below '\(name)', which is not left, \(language) enters '\(name)' "
                + "again; here it is not entered")
    }
}

extension Machine {
    /// Returns the innermost state that stays active while deep history leads below it.
    fileprivate func stateKeptByHistory(_ transition: Transition) -> StateIndex? {
        let histories = transition.targets.map { self[$0] }.filter { $0.kind == .deepHistory }
        guard !histories.isEmpty else { return nil }
        let others = transition.targets.filter { self[$0].kind != .deepHistory }
        var next = transition.reenters ? self[transition.source].parent : transition.source
        while let index = next {
            let state = self[index]
            let mayStay = index == transition.source ? !state.isLeaf : state.kind == .compound
            let isBelow = histories.allSatisfy { $0.parent.map { self[$0].isProperAncestor(of: index) } ?? false }
            if mayStay, isBelow, others.allSatisfy(state.isProperAncestor) { return index }
            next = state.parent
        }
        return nil
    }
}
