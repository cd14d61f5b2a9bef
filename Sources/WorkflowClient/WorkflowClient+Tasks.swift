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
}
