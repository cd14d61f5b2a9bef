public import WorkflowAPI
import WorkflowJSON

extension WorkflowClient {
    /// Leases tasks of a queue. A worker ends a task with `complete` or `fail`, or extends the lease with `prolong`
    /// before the lease runs out. With `wait` the answer may take that long. The daemon keeps no task for a caller that
    /// goes away meanwhile.
    public func lease(
        queue: String, _ request: LeaseRequest = LeaseRequest()
    ) async throws(ClientError) -> [TaskItem] {
        let route = try TransportRequest(.leaseTasks, queue, extraTime: .seconds(request.wait ?? 0))
        let answer: LeasedTasks = try await post(request, by: route)
        return answer.tasks
    }

    /// Ends a task with its result: any JSON text, or no bytes for null. The call is durable on return. After
    /// `answerLost` the caller may repeat the call; the task is completed once.
    public func complete(task: String, result: [UInt8]) async throws(ClientError) {
        let body = TransportRequest.Body(mediaType: "application/json", bytes: result)
        _ = try await answer(to: TransportRequest(.completeTask, task, body: body))
    }

    /// Ends an attempt at a task as failed; durable on return. The definition decides what follows: another attempt or
    /// an error.
    public func fail(task: String, _ request: FailRequest) async throws(ClientError) {
        let body = TransportRequest.Body(mediaType: "application/json", bytes: JSONWriter.bytes(request))
        _ = try await answer(to: TransportRequest(.failTask, task, body: body))
    }

    /// Restarts the lease of a task for its whole duration. The next attempt receives the reported progress.
    public func prolong(
        task: String, _ request: HeartbeatRequest = HeartbeatRequest()
    ) async throws(ClientError) -> Heartbeat {
        try await post(request, by: TransportRequest(.prolongTask, task))
    }

    /// Returns a page of the unfinished effects of instances; continue with `nextPage` until it is `nil`.
    public func effects(
        _ parameters: EffectListParameters = .init()
    ) async throws(ClientError) -> Page<EffectItem> {
        try await get(TransportRequest(.listEffects, query: parameters.queryText))
    }

    /// Returns a page of an instance's attempts that failed or came late, newest effects first. Includes attempts of
    /// finished effects. Continue with `nextPage` until it is `nil`.
    public func attempts(
        of instance: String, _ parameters: PageParameters = .init()
    ) async throws(ClientError) -> Page<AttemptItem> {
        try await get(TransportRequest(.listAttempts, instance, query: parameters.queryText))
    }

    /// Decides how an effect continues or ends; durable on return. The same request with the same `key` is carried out
    /// once.
    public func decide(
        _ request: EffectVerbRequest, effect: String, of instance: String, key: String? = nil
    ) async throws(ClientError) -> EffectVerbAnswer {
        try await post(request, by: TransportRequest(.decideEffect, instance, effect, key: key))
    }

    /// Returns a page of the queues with the counts of their effects; continue with `nextPage` until it is `nil`.
    public func queues(_ parameters: QueueListParameters = .init()) async throws(ClientError) -> Page<QueueItem> {
        try await get(TransportRequest(.listQueues, query: parameters.queryText))
    }

    /// Sets the limits of a queue; durable on return.
    public func set(queue: String, _ request: QueueRequest) async throws(ClientError) -> QueueSettingsItem {
        try await post(request, by: TransportRequest(.setQueue, queue))
    }

    /// Lets held effects start; durable on return.
    public func release() async throws(ClientError) -> ReleasedEffects {
        try read(try await answer(to: TransportRequest(.release)))
    }
}
