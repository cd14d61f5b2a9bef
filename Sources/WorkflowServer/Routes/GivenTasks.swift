import Hummingbird
import NIOCore
import Synchronization
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tasks on their way to a worker. Those that it does not get are given back, and others have them at once.
final class GivenTasks: Sendable {
    private let engine: Engine
    private let caller: Caller
    private let tasks: [WorkflowEngine.LeasedTask]
    private let areTaken = Atomic(false)

    init(_ tasks: [WorkflowEngine.LeasedTask], of engine: Engine, to caller: Caller) {
        self.engine = engine
        self.caller = caller
        self.tasks = tasks
    }

    deinit {
        // An answer may end anywhere on its way: when nobody holds it any more, it has.
        guard !tasks.isEmpty, !areTaken.load(ordering: .acquiring) else { return }
        // Nobody awaits it; it ends when the engine has answered.
        Task { [engine, caller, tasks] in
            for task in tasks {
                // Whoever has the task by now keeps it; a daemon that ends takes nothing back, and its lease runs out.
                _ = try? await engine.report(EndTaskCommand(task: task.token, report: .returned, by: caller))
            }
        }
    }

    /// The answer that brings them: they are the worker's when the system has taken all of it.
    func response(on connection: CallerConnection) -> Response {
        let bytes = ByteBuffer(bytes: JSONWriter.bytes(LeasedTasks(tasks: tasks.map(TaskItem.init))))
        let body = ResponseBody(contentLength: bytes.readableBytes) { writer in
            try await writer.write(bytes)
            try await connection.allIsWritten()
            self.areTaken.store(true, ordering: .releasing)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
    }
}

extension TaskItem {
    /// The wire form of a task that was handed out.
    fileprivate init(_ task: WorkflowEngine.LeasedTask) {
        self.init(
            task: task.token.text, instance: task.instance.rawValue, id: task.id, attempt: task.attempt,
            key: task.key.text, input: task.input ?? .null, progress: task.progress,
            leasedUntil: WireTime(milliseconds: task.leasedUntil.rawValue),
            deadline: task.deadline.map { WireTime(milliseconds: $0.rawValue) }, traceparent: task.traceparent)
    }
}
