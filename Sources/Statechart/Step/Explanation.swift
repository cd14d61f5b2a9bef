import WorkflowCEL
import WorkflowJSON

/// The verdict on one candidate transition, with its reasons.
package struct CandidateFinding: Sendable, Equatable {
    /// The verdict on a candidate.
    package enum Verdict: String, Sendable {
        case taken
        /// The transition is enabled, but a transition of a descendant or of an earlier region takes precedence.
        case preempted
        /// The guard is false.
        case rejected
        /// The guard could not be evaluated.
        case failed
        /// The guard was not evaluated: an earlier candidate of the same state, or of a state below, was enabled.
        case notAsked = "not asked"
    }

    package let transition: TransitionIndex
    package let verdict: Verdict
    /// The reason why the guard could not be evaluated.
    package let failure: String?
    /// The values that the guard read.
    package let reads: [ValueRead]
}

extension Machine {
    /// Returns every transition of the configuration that an event could enable, in the order of trial. That order goes
    /// from each active leaf, in document order, to the root.
    package func explain(
        _ snapshot: Snapshot, _ event: Event, as identity: InstanceIdentity
    ) -> [CandidateFinding] {
        guard snapshot.status == .running else { return [] }
        var event = event
        do throws(JSONMismatch) {
            let data = try converted(event.data, of: event.name)
            event = Event(name: event.name, data: data, at: event.at)
        } catch {
            // No transition is tried for data of the wrong type.
            return []
        }
        var interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: event, mode: StepMode(isTracing: false))
        let enabled = interpreter.enabledTransitions(for: .event(event))
        let taken = interpreter.removeConflictingTransitions(enabled)
        return interpreter.findings(for: .event(event), enabled: enabled, taken: taken)
    }
}

extension Interpreter {
    /// Adds the findings of the last selection to those of the macrostep, in a machine without parallel states.
    // Not inlined: few steps are traced, and the others shall not pay for it.
    @inline(never)
    mutating func addFindings(for selector: Selector, taken: TransitionIndex?) {
        let taken = taken.map { [$0] } ?? []
        addFindings(for: selector, enabled: taken, taken: taken)
    }

    /// Adds the findings of the last selection to those of the macrostep.
    @inline(never)
    mutating func addFindings(for selector: Selector, enabled: [TransitionIndex], taken: [TransitionIndex]) {
        guard let count = trace?.findings.count, count < StepLimits.findings else { return }
        let found = findings(for: selector, enabled: enabled, taken: taken)
        trace?.findings += found
    }

    /// Returns every transition that the last selection could enable, in the order of trial.
    ///
    /// - Parameters:
    ///   - enabled: The transitions that the selection found enabled.
    ///   - taken: Those without the preempted ones.
    func findings(
        for selector: Selector, enabled: [TransitionIndex], taken: [TransitionIndex]
    ) -> [CandidateFinding] {
        candidates(for: selector).map { index in
            var verdict: CandidateFinding.Verdict =
                taken.contains(index) ? .taken : enabled.contains(index) ? .preempted : .notAsked
            var failure: String?
            switch verdicts[index] {
            case .holds, nil: break
            case .rejected: verdict = .rejected
            case .failed(let reason):
                verdict = .failed
                failure = reason.message
            }
            let reads = verdict == .notAsked ? [] : machine[index].condition?.reads(in: scope) ?? []
            return CandidateFinding(transition: index, verdict: verdict, failure: failure, reads: reads)
        }
    }
}
