import WorkflowCEL
import WorkflowJSON

/// The migration to another version: new states are entered as by a transition.
extension Interpreter {
    /// - Parameters:
    ///   - ended: The pending items that the migration ends.
    ///   - units: The units of `Budget` that were used before.
    mutating func beginMigration(ending ended: [Pending], charging units: Int) {
        trace?.microsteps.append(Microstep(event: event.name, transitions: []))
        isContextChanged = true
        charge(units)
        for pending in ended { requests.append(.cancel(pending.id)) }
    }

    /// Arms timers of states that are already active. Returns the due times of the armed timers by event.
    mutating func arm(
        _ timeouts: [(state: StateIndex, timeout: Timeout)], _ dues: Migration.Dues
    ) -> JSONObject {
        var armed = JSONObject()
        for (state, timeout) in timeouts {
            do throws(ActionFailure) {
                let due = try due(of: timeout, in: state, dues)
                try arm(
                    .timer, event: timeout.event, data: nil, after: due - event.at.milliseconds, owner: .state(state),
                    misfire: timeout.misfire, line: timeout.line, of: state)
                armed[timeout.event] = .int(due)
            } catch {
                raise(error)
            }
        }
        return armed
    }

    private mutating func due(
        of timeout: Timeout, in state: StateIndex, _ dues: Migration.Dues
    ) throws(ActionFailure) -> Int64 {
        // The delay is evaluated even if the row records the due time, so that the cost is the same.
        let delay = try milliseconds(of: timeout.delay, in: state, as: "after ")
        switch dues {
        case .since(let time): return time.milliseconds + delay
        case .recorded(let recorded):
            return recorded.number(timeout.event, in: 0...StepLimits.latestDue) ?? event.at.milliseconds + delay
        }
    }

    /// Starts an invocation of a state that is already active.
    mutating func beginNew(_ invocation: Invocation, of state: StateIndex) {
        do throws(ActionFailure) {
            try begin(invocation, of: state)
        } catch {
            raise(error)
        }
    }

    /// Settles the machine, unless the instance is not running.
    ///
    /// - Throws: `notAccepted` if an event is raised that a stopped instance cannot take now.
    consuming func endMigration(
        as status: Snapshot.Status, spending spent: inout Int
    ) throws(Refusal) -> Macrostep {
        do throws(Refusal) {
            if status == .running {
                try settle()
            } else {
                if !statesToInvoke.isEmpty { beginInvocations() }
                try checkExhaustion()
                guard isRunning, !hasRaised else { throw Refusal.notAccepted }
            }
            try checkContext()
        } catch {
            spent += cost
            throw error
        }
        let macrostep = macrostep()
        if status == .running { return macrostep }
        var snapshot = macrostep.snapshot
        snapshot.status = status
        return Macrostep(
            snapshot: snapshot, exited: macrostep.exited, entered: macrostep.entered,
            trace: macrostep.trace, requests: macrostep.requests, emitted: macrostep.emitted, cost: macrostep.cost)
    }
}
