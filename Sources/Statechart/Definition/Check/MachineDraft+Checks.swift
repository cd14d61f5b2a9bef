extension MachineDraft {
    /// Runs every check that needs the whole machine.
    func check(_ diagnostics: inout DiagnosticList) {
        guard !states.isEmpty else { return }
        checkInitials(&diagnostics)
        checkTogether(&diagnostics)
        checkInvocations(&diagnostics)
        checkCandidates(&diagnostics)
        guard isResolved else { return }
        checkEventlessCycles(&diagnostics)
        // Reachability can be decided only if everything that leads to a state was understood.
        guard diagnostics.errors.isEmpty else { return }
        checkReachability(&diagnostics)
        checkUntakenErrors(&diagnostics)
        checkRestlessCycles(&diagnostics)
        checkReentering(&diagnostics)
    }
}
