public import WorkflowAPI

// The repairs of one instance by an operator. Each call is durable on return. The same request with the same key is
// carried out once. If `wantsContext` is true, the answer has the instance's context, which may be large.

extension WorkflowClient {
    /// Ends an instance in its current state.
    public func cancel(
        _ request: CancelRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .cancelInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Retries the event on which an instance failed.
    public func retry(
        _ request: RepairRequest = .init(), _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .retryInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Continues a failed instance without the event on which it failed; the request has the reason.
    public func skip(
        _ request: RepairRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .skipInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Changes the context of an instance.
    public func set(
        _ request: SetRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .setInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Moves an instance to another version of its machine.
    public func migrate(
        _ request: MigrateRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .migrateInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Suspends an instance: events are refused, and timers and results wait.
    public func suspend(
        _ request: RepairRequest = .init(), _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .suspendInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Ends the suspension of an instance.
    public func resume(
        _ request: RepairRequest = .init(), _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .resumeInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Resets an instance to its state after an earlier seq.
    public func reset(
        _ request: ResetRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .resetInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Undoes the last migration of an instance: returns it to the state before. Refused if the instance has received
    /// anything since.
    public func undoMigration(
        _ request: UndoRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .undoMigration, instance, key: key, wantsContext: wantsContext)
    }

    /// Erases the data of an instance's rows, and the named parts of its context.
    public func redact(
        _ request: RedactRequest, _ instance: String, key: String? = nil
    ) async throws(ClientError) -> RedactAnswer {
        try await post(request, by: TransportRequest(.redactInstance, instance, key: key))
    }

    private func repair(
        _ request: some WireObject, _ route: Route, _ instance: String, key: String?, wantsContext: Bool
    ) async throws(ClientError) -> SendAnswer {
        try await post(
            request, by: TransportRequest(route, instance, key: key, prefersMinimal: !wantsContext))
    }
}
