import WorkflowCEL
import WorkflowJSON

/// Arming timers. Delays are computed here, from the macrostep's time; clocks are not read.
extension Interpreter {
    /// Arms a timer of `after`; one whose delay cannot be computed raises `error.execution` instead.
    mutating func arm(_ timeout: Timeout, of state: StateIndex) {
        do throws(ActionFailure) {
            let delay = try milliseconds(of: timeout.delay, in: state, as: "after ")
            try arm(
                .timer, event: timeout.event, data: nil, after: delay, owner: .state(state), misfire: timeout.misfire,
                line: timeout.line, of: state)
        } catch {
            raise(error)
        }
    }

    /// How long a delay is.
    mutating func milliseconds(
        of delay: Delay, in state: StateIndex, as prefix: @autoclosure () -> String
    ) throws(ActionFailure) -> Int64 {
        guard case .expression(let expression) = delay else {
            guard case .milliseconds(let milliseconds) = delay else { return 0 }
            return milliseconds
        }
        let value = try value(of: expression, in: state, as: prefix())
        do throws(DelayError) {
            return try DelayText.milliseconds(of: value)
        } catch {
            throw ActionFailure(
                state: state, line: expression.line, expression: prefix() + expression.source, message: error.message,
                discreet: "the value is no delay; one is written \(DelayText.rule)")
        }
    }

    /// Arms a timer, or puts an event that was sent without delay in line.
    mutating func arm(
        _ kind: Pending.Kind, event name: String, data: JSONValue?, after delay: Int64, owner: Pending.Owner,
        misfire: Misfire, line: Int, of state: StateIndex
    ) throws(ActionFailure) {
        guard armed.count < StepLimits.timers else {
            throw ActionFailure(
                state: state, line: line, expression: name,
                message: "an instance has at most \(StepLimits.timers) timers and sent events at a time")
        }
        let due = LogicalTime(milliseconds: event.at.milliseconds + delay)
        guard due.milliseconds <= StepLimits.latestDue else {
            throw ActionFailure(
                state: state, line: line, expression: name, message: "the timer would be due after the year 9999")
        }
        let pending = Pending(
            id: nextID(), kind: kind, event: name, data: data, due: due, owner: owner, misfire: misfire)
        armed.append(pending)
        requests.append(.arm(pending))
    }

    /// Ends what is armed, as far as it matches. What the same macrostep armed was never asked for.
    mutating func cancel(_ matches: (Pending) -> Bool) {
        let cancelled = armed.filter(matches)
        if cancelled.isEmpty { return }
        armed.removeAll(where: matches)
        for pending in cancelled {
            if pending.id.seq == seq {
                requests.removeAll { $0 == .arm(pending) }
            } else {
                requests.append(.cancel(pending.id))
            }
        }
    }
}
