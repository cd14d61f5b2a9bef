public import StateMachines
import Statechart
import WorkflowEngine
import WorkflowStore

extension FileHost {
    public func work<T: MachineTask>(
        _ task: T.Type, _ options: WorkOptions,
        _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output
    ) async throws(HostError) {
        try await TaskWorker(of: FileTasks(engine: engine, caller: caller), options, body).run()
    }
}

/// The tasks of a `FileHost`, from its engine without HTTP.
struct FileTasks: TaskSource {
    /// The longest wait of one call. When it ends without a task, the worker only asks again.
    private static let wait = Duration.seconds(60)

    let engine: Engine
    let caller: Caller

    func lease(_ queue: String, max: Int, lease: Duration) async throws(HostError) -> [HandedTask] {
        let command = LeaseTasksCommand(
            queue: queue, max: max, milliseconds: Int64(lease / .milliseconds(1)),
            worker: caller.actor?.rawValue ?? "", by: caller)
        do throws(Rejection) {
            return try await engine.lease(command, wait: Self.wait).map { task in
                HandedTask(
                    token: task.token.text, instance: task.instance.rawValue, id: task.id, key: task.key.text,
                    attempt: Int(task.attempt), input: task.input ?? .null, progress: task.progress)
            }
        } catch {
            throw HostError(error)
        }
    }

    func complete(_ token: String, with output: JSONValue) async throws(HostError) {
        try await report(.completed(output), of: token)
    }

    func fail(_ token: String, _ failure: StateMachines.TaskFailure) async throws(HostError) {
        let failed = WorkflowEngine.TaskFailure(
            type: failure.type, message: failure.message, details: failure.details, canRetry: failure.retry,
            retryAfter: failure.retryAfter.map { Int64($0 / .milliseconds(1)) })
        try await report(.failed(failed), of: token)
    }

    func prolong(_ token: String, progress: JSONValue?) async throws(HostError) {
        try await report(.alive(progress: progress), of: token)
    }

    func giveBack(_ token: String) async throws(HostError) {
        try await report(.returned, of: token)
    }

    /// Returns true if the same request may succeed later. `draining` is not transient, because a closed host stays
    /// closed.
    func isTransient(_ error: HostError) -> Bool {
        [Rejection.Code.overloaded, .storageUnavailable].map(\.rawValue).contains(error.code)
    }

    private func report(_ report: EndTaskCommand.Report, of token: String) async throws(HostError) {
        guard let task = TaskToken(text: token) else { throw .leaseLost("this is no task") }
        do throws(Rejection) {
            try await engine.report(EndTaskCommand(task: task, report: report, by: caller))
        } catch {
            throw HostError(error)
        }
    }
}
