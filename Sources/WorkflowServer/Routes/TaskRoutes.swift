import Hummingbird
import NIOCore
import ServiceLifecycle
import Statechart
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The routes that lease tasks to workers, and take reports on the tasks.
struct TaskRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on routes: inout RouteHandlers) {
        routes.on(.leaseTasks) { try await lease($0) }
        routes.on(.reportTasks) { try await reportMany($0) }
        routes.on(.completeTask) { request in
            try await report(request) { .completed(try await request.anyValue()) }
            return Response(status: .noContent)
        }
        routes.on(.failTask) { request in
            try await report(request) { .failed(TaskFailure(try await request.object(as: FailRequest.self))) }
            return Response(status: .noContent)
        }
        routes.on(.prolongTask) { request in
            let until = try await report(request) { .alive(progress: try await request.progress()) }
            guard let until else { throw Self.noTask }
            return Response(Heartbeat(leasedUntil: WireTime(milliseconds: until.rawValue)))
        }
    }

    /// The problem for a worker whose token names no task.
    static var noTask: Problem { Problem(.leaseLost, detail: "The lease is lost: this is no task") }

    private func reportMany(_ request: RoutedRequest) async throws -> Response {
        try request.head.refuseIdempotencyKey()
        guard request.head.mediaTypeName == LineStream.mediaType else {
            throw request.head.unsupportedMediaType(expected: LineStream.mediaType)
        }
        return Response(lines: engine.log, for: .usual) { [engine] writer in
            try await TaskStream(
                engine: engine, request: request
            ).run(&writer)
        }
    }

    private func lease(_ request: RoutedRequest) async throws -> Response {
        let queue = try request.value("queue")
        guard StateName.isValid(queue), queue.utf8.count <= DefinitionLimits.nameBytes else {
            throw Problem(
                .invalidName,
                detail: "'\(queue.prefix(40))' is no name of a queue: letters, digits, '_', '.' and '-', first a "
                    + "letter or '_'")
        }
        if let queues = request.identity.queues, !TokenRule.allows(queue, within: queues) {
            throw Problem(
                .forbidden,
                detail: "\(request.identity.name) may not take tasks of '\(queue)', only of "
                    + queues.map { "'\($0)'" }.joined(separator: ", "))
        }
        let body = try await request.object(as: LeaseRequest.self)
        let command = LeaseTasksCommand(
            queue: queue, max: body.max ?? 1,
            milliseconds: Int64(body.lease ?? APILimits.defaultLeaseSeconds) * 1_000,
            worker: body.worker ?? request.caller.actor?.rawValue ?? "", by: request.caller)
        let connection = request.connection
        let wait = body.wait ?? 0
        // The answer's bytes are reserved when there are tasks: a request that waits for tasks reserves nothing.
        let tasks = GivenTasks(
            try await tasks(command, wait: .seconds(wait), for: request), of: engine, to: request.caller)
        // A caller that left during its wait does not read the answer.
        if wait > 0, connection.callerHasLeft { return Response(LeasedTasks(tasks: [])) }
        return try await budget.page { tasks.response(on: connection) }
    }

    /// Asks the engine for tasks, and stops waiting when the caller leaves or loses its place, or the daemon stops.
    private func tasks(
        _ command: LeaseTasksCommand, wait: Duration, for request: RoutedRequest
    ) async throws -> [WorkflowEngine.LeasedTask] {
        guard wait > .zero else { return try await asking { try await engine.lease(command, wait: wait) } }
        let place = try budget.lasting.poll(for: request.caller.actor)
        defer { place.end() }
        return try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: [WorkflowEngine.LeasedTask]?.self) { group in
                group.addTask { try await asking { try await engine.lease(command, wait: wait) } }
                group.addTask {
                    await request.connection.untilCallerLeaves()
                    return nil
                }
                group.addTask {
                    await place.claim.untilLost()
                    return nil
                }
                defer { group.cancelAll() }
                while let ended = try await group.next() {
                    if let tasks = ended {
                        if tasks.isEmpty { try place.claim.requireHeld() }
                        return tasks
                    }
                    // The engine also answers when it is told that nobody waits: it may have leased tasks already.
                    group.cancelAll()
                }
                return []
            }
        }
    }

    @discardableResult
    private func report(
        _ request: RoutedRequest, _ report: () async throws -> EndTaskCommand.Report
    ) async throws -> Timestamp? {
        let task = TaskToken(text: try request.value("task"))
        let report = try await report()
        guard let task else { throw Self.noTask }
        let command = EndTaskCommand(task: task, report: report, by: request.caller)
        return try await asking { try await engine.report(command) }
    }
}

extension RoutedRequest {
    /// Reads the body as any JSON value; null if the body is empty.
    fileprivate func anyValue() async throws -> JSONValue {
        let body = try await wholeBody()
        guard body.readableBytes > 0 else { return .null }
        try head.requireJSON()
        do throws(JSONError) {
            return try JSONReader.value(from: body.readableBytesView)
        } catch {
            guard error.code == .number else {
                throw Problem(.invalidRequest, detail: "The body is not JSON: \(error.description)")
            }
            throw Problem(.invalidData, detail: "The body holds a number that cannot be kept: \(error)")
        }
    }

    /// Reads the progress in a heartbeat; `nil` if there is none.
    fileprivate func progress() async throws -> JSONValue? {
        let body = try await wholeBody()
        guard body.readableBytes > 0 else { return nil }
        try head.requireJSON()
        return try HeartbeatRequest(whole: body).progress
    }
}

extension TaskFailure {
    /// Creates a failure from a worker's report.
    init(_ request: FailRequest) {
        self.init(
            type: request.type ?? "failed", message: request.message, details: request.details,
            canRetry: request.retry ?? true, retryAfter: request.retryAfter.map { Int64($0) * 1_000 })
    }
}
