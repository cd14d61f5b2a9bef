public import WorkflowAPI

// What an operator does to one instance. Each call is durable on return. The same request with the same key is carried
// out once. When `wantsContext` is true, the answer has the instance's context, which may be large.

extension WorkflowClient {
    /// Ends an instance where it stands.
    public func cancel(
        _ request: CancelRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .cancelInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Lets a failed instance go on with the event that it failed on.
    public func retry(
        _ request: RepairRequest = .init(), _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .retryInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Lets a failed instance go on without the event that it failed on; the request says why.
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

    /// Takes an instance over to another version of its machine.
    public func migrate(
        _ request: MigrateRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .migrateInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Lets an instance take nothing from now on: what comes waits.
    public func suspend(
        _ request: RepairRequest = .init(), _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .suspendInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Ends a suspension.
    public func resume(
        _ request: RepairRequest = .init(), _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .resumeInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Gives an instance the state again that it had after a seq.
    public func reset(
        _ request: ResetRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .resetInstance, instance, key: key, wantsContext: wantsContext)
    }

    /// Gives an instance the state again that it had before the migration that was the last to happen to it.
    public func undoMigration(
        _ request: UndoRequest, _ instance: String, key: String? = nil, wantsContext: Bool = true
    ) async throws(ClientError) -> SendAnswer {
        try await repair(request, .undoMigration, instance, key: key, wantsContext: wantsContext)
    }

    /// Erases what rows of an instance say, and of its context what is named.
    public func redact(
        _ request: RedactRequest, _ instance: String, key: String? = nil
    ) async throws(ClientError) -> RedactAnswer {
        try require(instance, of: "instance")
        return try await post(request, by: TransportRequest(.redactInstance, instance, key: key))
    }

    private func repair(
        _ request: some WireObject, _ route: Route, _ instance: String, key: String?, wantsContext: Bool
    ) async throws(ClientError) -> SendAnswer {
        try require(instance, of: "instance")
        return try await post(
            request, by: TransportRequest(route, instance, key: key, prefersMinimal: !wantsContext))
    }
}
