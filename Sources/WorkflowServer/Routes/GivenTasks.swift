import Hummingbird
import NIOCore
import Synchronization
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tasks on their way to a worker. Tasks that the worker does not get are given back, and others can have them at once.
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
        // An answer may end anywhere on its way; it has ended when the last reference is released.
        guard !tasks.isEmpty, !areTaken.load(ordering: .acquiring) else { return }
        // Nobody awaits this work; it ends when the engine has answered.
        Task { [engine, caller, tasks] in
            for task in tasks {
                // A worker that has leased the task since keeps it. A daemon that stops takes nothing back, and the
                // lease runs out.
                _ = try? await engine.report(EndTaskCommand(task: task.token, report: .returned, by: caller))
            }
        }
    }

    /// Returns the answer with the tasks, which belong to the worker when the system has taken the whole answer.
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
    /// Creates the wire form of a leased task.
    fileprivate init(_ task: WorkflowEngine.LeasedTask) {
        self.init(
            task: task.token.text, instance: task.instance.rawValue, id: task.id, attempt: task.attempt,
            key: task.key.text, input: task.input ?? .null, progress: task.progress,
            leasedUntil: WireTime(milliseconds: task.leasedUntil.rawValue),
            deadline: task.deadline.map { WireTime(milliseconds: $0.rawValue) }, traceparent: task.traceparent)
    }
}
