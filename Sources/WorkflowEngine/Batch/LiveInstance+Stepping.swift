import Statechart
import WorkflowStore

// What the machine says about an event for the instance as it is.

extension LiveInstance {
    /// What an input leads to.
    ///
    /// - Parameter spent: Grows by what a refused input used; a macrostep says so itself.
    func chain(_ input: Input, spending spent: inout Int) -> Result<Chain, Refusal> {
        machine.chain(input, from: snapshot, as: identity, spending: &spent)
    }

    /// Every candidate transition for an event, in the order tried.
    func explained(_ event: Event) -> [CandidateView] {
        machine.explain(snapshot, event, as: identity).map { CandidateView($0, of: machine) }
    }

    func rejection(_ refusal: Refusal, of event: Event) -> Rejection {
        .refused(refusal, event: event.name, machine: machine, facts: facts)
    }

    /// Throws why a command cannot be carried out whatever its event is.
    func refuse(_ command: SendCommand) throws(Rejection) {
        switch record.status {
        case .running: break
        case .failed: throw .failed(facts)
        case .done, .cancelled, .purging: throw .finished(facts)
        }
        try refuse(unless: command.expectedSeq)
        guard let path = command.expectedState else { return }
        let isActive = machine.state(atPath: path).map(snapshot.configuration.contains) ?? false
        if !isActive { throw .preconditionFailed("state '\(path)'", facts) }
    }

    /// Throws when the instance has another seq than expected.
    func refuse(unless expected: Seq?) throws(Rejection) {
        if let expected, expected != record.seq { throw .preconditionFailed("seq \(expected.rawValue)", facts) }
    }
}
