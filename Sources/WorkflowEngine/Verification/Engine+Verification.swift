package import WorkflowStore

extension Engine {
    /// Verifies the whole store, or one instance; returns `nil` if there is no such instance.
    @concurrent package func verify(
        instance name: InstanceName?, by caller: Caller, _ report: Verification.Report
    ) async throws -> VerifiedCounts? {
        let verification = try Verification(of: store, limits: limits)
        guard let name else {
            log.asked("verify the whole store", by: caller)
            let counts = try await verification.run(report)
            let now = now
            if counts.differences == 0 { upkeep.change { $0.verification = now } }
            return counts
        }
        return try await verification.run(instance: InstanceKey(name, in: caller.namespace), report)
    }
}
