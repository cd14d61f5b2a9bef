public import WorkflowAPI
import WorkflowJSON

extension WorkflowClient {
    /// Takes tasks of a queue: whoever has one ends it with `complete` or `fail`, or tells with `prolong` that it is at
    /// work, before the lease runs out. With `wait` the answer may take that long; none is kept for a caller that goes
    /// away meanwhile.
    public func lease(
        queue: String, _ request: LeaseRequest = LeaseRequest()
    ) async throws(ClientError) -> [TaskItem] {
        try require(queue, of: "queue")
        let route = TransportRequest(.leaseTasks, queue, extraTime: .seconds(request.wait ?? 0))
        let answer: LeasedTasks = try await post(request, by: route)
        return answer.tasks
    }

    /// Ends a task with its result, the text of any JSON, or nothing for null. It is durable on return. After
    /// `answerLost` the same may be said again: it is done once.
    public func complete(task: String, result: [UInt8]) async throws(ClientError) {
        try require(task, of: "task")
        let body = TransportRequest.Body(mediaType: "application/json", bytes: result)
        _ = try await answer(to: TransportRequest(.completeTask, task, body: body))
    }

    /// Ends an attempt at a task, durable on return. What follows says the definition: another attempt or an error.
    public func fail(task: String, _ request: FailRequest) async throws(ClientError) {
        try require(task, of: "task")
        let body = TransportRequest.Body(mediaType: "application/json", bytes: JSONWriter.bytes(request))
        _ = try await answer(to: TransportRequest(.failTask, task, body: body))
    }

    /// Makes the lease of a task run for its whole time anew. The progress is what the next attempt is told.
    public func prolong(
        task: String, _ request: HeartbeatRequest = HeartbeatRequest()
    ) async throws(ClientError) -> Heartbeat {
        try require(task, of: "task")
        return try await post(request, by: TransportRequest(.prolongTask, task))
    }

    /// A page of what instances ask of the world and has not ended; go on with `nextPage` until it is nil.
    public func effects(
        _ parameters: EffectListParameters = .init()
    ) async throws(ClientError) -> Page<EffectItem> {
        try await get(TransportRequest(.listEffects, query: parameters.queryText))
    }

    /// A page of the attempts at an instance's effects that failed or came late, also of effects that have ended, the
    /// newest effects first; go on with `nextPage` until it is nil.
    public func attempts(
        of instance: String, _ parameters: PageParameters = .init()
    ) async throws(ClientError) -> Page<AttemptItem> {
        try require(instance, of: "instance")
        return try await get(TransportRequest(.listAttempts, instance, query: parameters.queryText))
    }

    /// Says what becomes of an effect, durable on return. The same word with the same `key` is carried out once.
    public func decide(
        _ request: EffectVerbRequest, effect: String, of instance: String, key: String? = nil
    ) async throws(ClientError) -> EffectVerbAnswer {
        try require(instance, of: "instance")
        try require(effect, of: "effect")
        return try await post(request, by: TransportRequest(.decideEffect, instance, effect, key: key))
    }

    /// A page of the queues, with what waits in them; go on with `nextPage` until it is nil.
    public func queues(_ parameters: QueueListParameters = .init()) async throws(ClientError) -> Page<QueueItem> {
        try await get(TransportRequest(.listQueues, query: parameters.queryText))
    }

    /// Says how much of a queue may run, durable on return.
    public func set(queue: String, _ request: QueueRequest) async throws(ClientError) -> QueueSettingsItem {
        try require(queue, of: "queue")
        return try await post(request, by: TransportRequest(.setQueue, queue))
    }

    /// Lets held effects start, durable on return.
    public func release() async throws(ClientError) -> ReleasedEffects {
        try read(try await answer(to: TransportRequest(.release)))
    }
}
