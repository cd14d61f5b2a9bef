import WorkflowCEL

/// Macrosteps that a person asks for, and not a transition.
extension Interpreter {
    /// Lets the machine settle: eventless transitions, and what they raise. Nothing takes the event itself.
    ///
    /// - Parameters:
    ///   - deeds: What the person has changed, for the trace.
    ///   - spent: Grows by the units of `Budget` that a refused macrostep used.
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

    /// Lets the machine settle, and then takes what the instance failed on. When settling has left its state, or has
    /// ended the machine, that is gone.
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

    /// Ends the instance where it stands. What its exit actions raise or send to itself comes to nobody.
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
        trace?.append(Microstep(event: event.name, transitions: []))
        for deed in deeds { tell(deed, of: .root, line: machine[.root].line) }
    }
}
