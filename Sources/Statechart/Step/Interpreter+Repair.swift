import WorkflowCEL

/// Macrosteps that a person requests instead of a transition.
extension Interpreter {
    /// Settles the machine with eventless transitions and the events that they raise. No transition takes the event
    /// itself.
    ///
    /// - Parameters:
    ///   - deeds: The person's changes, for the trace.
    ///   - spent: Increases by the units of `Budget` that a refused macrostep used.
    consuming func runSettled(telling deeds: [String] = [], spending spent: inout Int) -> Outcome {
        beginTrace(deeds)
        do throws(Refusal) {
            try settle()
            try checkContext()
        } catch {
            spent += cost
            return .refused(error)
        }
        return .accepted(macrostep())
    }

    /// Settles the machine, then takes the item that the instance failed on. If settling has left the item's state or
    /// ended the machine, the item no longer exists.
    consuming func runSettled(before kept: Pending.ID, spending spent: inout Int) -> Outcome {
        isAwaited = false
        do throws(Refusal) {
            try settle()
            if isRunning, let place = armed.firstIndex(where: { $0.id == kept }) {
                take(at: place)
                event = macrostepEvent
                try takeEvent()
                try settle()
            }
            try checkContext()
        } catch {
            spent += cost
            return .refused(error)
        }
        return .accepted(macrostep())
    }

    /// Ends the instance in its current configuration. Events that its exit actions raise or send to it are discarded.
    consuming func runCancelling(withActions: Bool, spending spent: inout Int) -> Outcome {
        beginTrace([])
        isRunning = false
        do throws(Refusal) {
            if withActions { runExitActionsOfFinishedMachine() }
            try checkExhaustion()
            try checkContext()
        } catch {
            spent += cost
            return .refused(error)
        }
        let failure = firstFailure.map(Refusal.expressionFailed)
        return .accepted(macrostep(ending: .cancelled, exitFailure: failure))
    }

    private mutating func beginTrace(_ deeds: [String]) {
        trace?.microsteps.append(Microstep(event: event.name, transitions: []))
        for deed in deeds { tell(deed, of: .root, line: machine[.root].line) }
    }
}
