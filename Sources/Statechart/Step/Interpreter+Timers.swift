import WorkflowCEL
import WorkflowJSON

/// Arming of timers. Delays are computed from the macrostep's time; no clock is read.
extension Interpreter {
    /// Arms the timers of a state. Its invocations start when the machine is stable.
    mutating func arm(of state: State) {
        for timeout in state.timeouts { arm(timeout, of: state.index) }
        if !state.invocations.isEmpty { statesToInvoke.append(state.index) }
    }

    /// Arms a timer of `after`. A delay that cannot be computed raises `error.execution` instead.
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

    /// Returns the length of a delay in milliseconds.
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

    /// Arms a timer, or queues an event that was sent without delay.
    mutating func arm(
        _ kind: Pending.Kind, event name: String, data: JSONValue?, after delay: Int64, owner: Pending.Owner,
        misfire: Misfire, line: Int, of state: StateIndex
    ) throws(ActionFailure) {
        let due = LogicalTime(milliseconds: event.at.milliseconds + delay)
        try requireRoom(name, due: due.milliseconds, of: state, line: line)
        let pending = Pending(
            id: nextID(), kind: kind, event: name, data: data, due: due, owner: owner, misfire: misfire)
        try append(pending, as: name, of: state, line: line)
        requests.append(.arm(pending))
    }

    /// Adds a pending item. Past the limit on armed bytes the macrostep is refused, unless it has freed at least as
    /// many bytes as it armed. So an instance that was over the limit before can continue.
    mutating func append(
        _ pending: Pending, as name: String, of state: StateIndex, line: Int
    ) throws(ActionFailure) {
        chargeWork(StepLimits.armingCost)
        let bytes = bytes(of: pending)
        let total = (armedBytes ?? armed.reduce(0) { $0 + self.bytes(of: $1) }) + bytes
        armed.append(pending)
        armedBytes = total
        armedGrowth += bytes
        guard total > bounds.armedBytes, armedGrowth > 0 else { return }
        throw refusing(
            ActionFailure(
                state: state, line: line, expression: name,
                message: "the instance would have \(total) bytes armed; it has at most \(bounds.armedBytes)"))
    }

    /// Returns the size of a pending item in bytes, roughly as stored.
    func bytes(of pending: Pending) -> Int {
        let owner =
            switch pending.owner {
            case .state(let state): machine[state].path.utf8.count
            case .send(let id): id?.utf8.count ?? 0
            }
        return 128 + pending.event.utf8.count + owner + pending.dataBytes
    }

    /// Throws if the instance has too many pending items, or if a due time is past the maximum.
    func requireRoom(
        _ name: String, places: Int = 1, due: Int64, of state: StateIndex, line: Int
    ) throws(ActionFailure) {
        let message: String
        if armed.count + places > StepLimits.timers {
            message = "an instance has at most \(StepLimits.timers) timers, sent events and invocations at a time"
        } else if due > StepLimits.latestDue {
            message = "the timer would be due after the year 9999"
        } else {
            return
        }
        throw ActionFailure(state: state, line: line, expression: name, message: message)
    }

    /// Cancels the pending items that match. An item of the same macrostep is removed from the requests instead.
    mutating func cancel(_ matches: (Pending) -> Bool) {
        chargePass(armed.count)
        guard armed.contains(where: matches) else { return }
        chargePass(armed.count)
        let cancelled = armed.filter(matches)
        armed.removeAll(where: matches)
        let freed = cancelled.reduce(0) { $0 + bytes(of: $1) }
        armedBytes = armedBytes.map { $0 - freed }
        armedGrowth -= freed
        var unasked: Set<Pending.ID> = []
        for pending in cancelled {
            if pending.id.seq == seq { unasked.insert(pending.id) } else { requests.append(.cancel(pending.id)) }
        }
        if unasked.isEmpty { return }
        chargePass(requests.count)
        requests.removeAll { request in request.armed.map(unasked.contains) ?? false }
    }
}
