extension MachineDraft {
    /// Reports states that arm more items than one macrostep may: entering such a state would always fail.
    func checkArming(_ diagnostics: inout DiagnosticList) {
        for state in states {
            if let timeout = state.timeouts.dropFirst(StepLimits.timers).first {
                let message =
                    "\(state.nameInMessages) has \(state.timeouts.count) timers; "
                    + "an instance has at most \(StepLimits.timers) at a time"
                diagnostics.error(message, at: timeout.word.position)
            }
            if let invocation = state.invocations.dropFirst(StepLimits.requests).first {
                let message =
                    "\(state.nameInMessages) has \(state.invocations.count) invocations; "
                    + "one macrostep asks for at most \(StepLimits.requests)"
                diagnostics.error(message, at: invocation.position)
            }
        }
    }
}
