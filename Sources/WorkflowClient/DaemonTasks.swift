public import StateMachines
import WorkflowAPI
import WorkflowJSON

extension DaemonHost {
    public func work<T: MachineTask>(
        _ task: T.Type, _ options: WorkOptions,
        _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output
    ) async throws(HostError) {
        // The worker waits on connections of its own, closed at the end: the daemon gives no task to a caller that has
        // gone. Closing the connection of a cancelled request is not reported to anyone.
        let waiting = client.another()
        let worker = TaskWorker(of: DaemonTasks(client: client, waiting: waiting), options, body)
        do throws(HostError) {
            try await worker.run()
        } catch {
            await waiting.shutdown()
            throw error
        }
        await waiting.shutdown()
    }
}

/// The tasks of a daemon, over its API.
struct DaemonTasks: TaskSource {
    let client: WorkflowClient
    /// The client for requests that wait for tasks.
    let waiting: WorkflowClient

    func lease(_ queue: String, max: Int, lease: Duration) async throws(HostError) -> [HandedTask] {
        let request = LeaseRequest(
            max: max, wait: APILimits.longestWaitSeconds, lease: Int((lease / .seconds(1)).rounded(.up)))
        do throws(ClientError) {
            return try await waiting.lease(queue: queue, request).map { task in
                HandedTask(
                    token: task.task, instance: task.instance, id: task.id, key: task.key, attempt: Int(task.attempt),
                    input: task.input, progress: task.progress)
            }
        } catch {
            throw HostError(error)
        }
    }

    func complete(_ token: String, with output: JSONValue) async throws(HostError) {
        let result = JSONWriter.bytes(output)
        try await asking { () async throws(ClientError) in try await client.complete(task: token, result: result) }
    }

    func fail(_ token: String, _ failure: TaskFailure) async throws(HostError) {
        let request = FailRequest(
            type: failure.type, message: failure.message, details: failure.details, retry: failure.retry,
            retryAfter: failure.retryAfter.map { Int($0 / .seconds(1)) })
        try await asking { () async throws(ClientError) in try await client.fail(task: token, request) }
    }

    func prolong(_ token: String, progress: JSONValue?) async throws(HostError) {
        try await asking { () async throws(ClientError) in
            _ = try await client.prolong(task: token, HeartbeatRequest(progress: progress))
        }
    }

    /// Gives a task back as a failure, because the API has no other call for this purpose. Other workers get the task
    /// at once, and the attempt counts.
    func giveBack(_ token: String) async throws(HostError) {
        let failure = TaskFailure(type: "worker-ended", message: "the worker ended before the task", retryAfter: .zero)
        try await fail(token, failure)
    }

    /// Returns true if the daemon may come back.
    func isTransient(_ error: HostError) -> Bool {
        let codes = [ClientError.Code.unreachable, .answerLost].map(\.rawValue)
        return codes.contains(error.code) || ProblemType(rawValue: error.code)?.retryAfterSeconds != nil
    }

    private func asking(_ body: () async throws(ClientError) -> Void) async throws(HostError) {
        do throws(ClientError) {
            try await body()
        } catch {
            throw HostError(error)
        }
    }
}
