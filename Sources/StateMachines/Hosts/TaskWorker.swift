package import WorkflowJSON
internal import WorkflowRules

/// A host that gives tasks to a worker and receives their results.
package protocol TaskSource: Sendable {
    /// Leases tasks of a queue. Waits for the first task, and returns none if none came or the caller is cancelled.
    ///
    /// - Parameter lease: The time after which a task without a heartbeat goes to other workers.
    func lease(_ queue: String, max: Int, lease: Duration) async throws(HostError) -> [HandedTask]
    /// Completes a task. The effect of the result is durable on return.
    func complete(_ token: String, with output: JSONValue) async throws(HostError)
    /// Ends an attempt with a failure. The failure is within the bounds of the API.
    func fail(_ token: String, _ failure: TaskFailure) async throws(HostError)
    /// Restarts the lease for its full length. The progress is for the next attempt; `nil` keeps the reported progress.
    func prolong(_ token: String, progress: JSONValue?) async throws(HostError)
    /// Gives back a task that the worker has not done, because the worker ends.
    func giveBack(_ token: String) async throws(HostError)
    /// Returns true if the same request may succeed later.
    func isTransient(_ error: HostError) -> Bool
}

/// A task that a worker has leased.
package struct HandedTask: Sendable {
    /// The identifier of the lease for the source.
    package var token: String
    package var instance: String
    package var id: String
    package var key: String
    package var attempt: Int
    package var input: JSONValue
    package var progress: JSONValue?

    package init(
        token: String, instance: String, id: String, key: String, attempt: Int, input: JSONValue, progress: JSONValue?
    ) {
        (self.token, self.instance, self.id, self.key) = (token, instance, id, key)
        (self.attempt, self.input, self.progress) = (attempt, input, progress)
    }
}

/// Works on the tasks of a queue of any host: heartbeats, results, failures, and a graceful end.
package struct TaskWorker<T: MachineTask>: Sendable {
    private static var firstPause: Duration { .milliseconds(100) }
    private static var longestPause: Duration { .seconds(10) }

    let source: any TaskSource
    let options: WorkOptions
    let body: @Sendable (TaskAttempt<T>) async throws -> T.Output

    package init(
        of source: any TaskSource, _ options: WorkOptions,
        _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output
    ) {
        (self.source, self.options, self.body) = (source, options, body)
    }

    /// The end of one part of the worker's task group.
    private enum Ended {
        case leasing(Result<[HandedTask], HostError>)
        case attempt
        case caller
        case grace
    }

    /// Works until the caller is cancelled. Throws an error that a retry cannot fix, after all running attempts have
    /// ended.
    package func run() async throws(HostError) {
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        // Awaited in the next line, and never cancelled: the stream tells `work` that the caller is cancelled, so that
        // `work` lets running attempts end.
        let working = Task { await work(until: cancelled) }
        let failure = await withTaskCancellationHandler {
            await working.value
        } onCancel: {
            cancel.finish()
        }
        if let failure { throw failure }
    }

    private func work(until cancelled: AsyncStream<Void>) async -> HostError? {
        await withTaskGroup(of: Ended.self) { group in
            group.addTask {
                for await _ in cancelled {}
                return .caller
            }
            var free = options.concurrency
            var leasing: Task<Result<[HandedTask], HostError>, Never>?
            var isEnding = false
            var failure: HostError?
            while !isEnding || leasing != nil || free < options.concurrency {
                if free > 0, leasing == nil, !isEnding {
                    // The group awaits this task, and only the code below cancels it.
                    let asking = Task { [free] in await lease(free) }
                    leasing = asking
                    group.addTask { .leasing(await asking.value) }
                }
                switch await group.next() {
                case .attempt?: free += 1
                case .grace?: group.cancelAll()
                case .leasing(.success(let tasks))?:
                    leasing = nil
                    free -= tasks.count
                    for task in tasks {
                        group.addTask {
                            await attempt(task)
                            return .attempt
                        }
                    }
                case .leasing(.failure(let error))?:
                    leasing = nil
                    failure = error
                    fallthrough
                case .caller?:
                    guard !isEnding else { continue }
                    isEnding = true
                    leasing?.cancel()
                    group.addTask {
                        // The group cancels this wait if all attempts end before.
                        try? await Task.sleep(for: options.grace)
                        return .grace
                    }
                case nil: preconditionFailure("the group has what is waited for")
                }
            }
            group.cancelAll()
            return failure
        }
    }

    private func lease(_ free: Int) async -> Result<[HandedTask], HostError> {
        let most = min(free, APILimits.leasedTasks.upperBound)
        let answer = await patiently { () throws(HostError) in
            try await source.lease(T.queue, max: most, lease: options.lease)
        }
        if case .failure = answer, Task.isCancelled { return .success([]) }
        return answer
    }

    /// Repeats a request with growing pauses while its error is transient.
    private func patiently<Answer: Sendable>(
        _ request: () async throws(HostError) -> Answer
    ) async -> Result<Answer, HostError> {
        var pause = Self.firstPause
        while true {
            do throws(HostError) {
                return .success(try await request())
            } catch {
                guard source.isTransient(error), !Task.isCancelled else { return .failure(error) }
            }
            // A cancelled pause leads to one more request.
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }
}

// MARK: One attempt

extension TaskWorker {
    /// The result of an attempt.
    private enum Report: Sendable {
        case done(JSONValue)
        case failed(TaskFailure)
        /// The worker ended before the work did.
        case undone
    }

    /// The end of an attempt, by its body or by the loss of its lease.
    private enum Ending {
        case body(Report)
        case leaseLost
        case nothing
    }

    private func attempt(_ task: HandedTask) async {
        guard let report = await report(on: task) else { return }
        guard case .failure(let error) = await tell(report, of: task), case .done = report,
            error.isAboutOutput
        else { return }
        _ = await tell(.failed(.init(type: "invalid-output", message: error.message)), of: task)
    }

    /// Runs the body while heartbeats extend the lease. Returns `nil` if the lease is lost, because nobody needs the
    /// result.
    private func report(on task: HandedTask) async -> Report? {
        await withTaskGroup(of: Ending.self) { group in
            group.addTask { .body(await outcome(of: task)) }
            group.addTask { await heartbeats(of: task) }
            var isLost = false
            while let ending = await group.next() {
                switch ending {
                case .body(let report):
                    group.cancelAll()
                    return isLost ? nil : report
                case .leaseLost:
                    isLost = true
                    group.cancelAll()
                case .nothing: break
                }
            }
            preconditionFailure("one of the group waits for the body")
        }
    }

    private func outcome(of task: HandedTask) async -> Report {
        let attempt: TaskAttempt<T>
        do throws(MachineMismatch) {
            let input = try MachineMismatch.told("the input does not fit \(T.Input.self)") {
                try ValueDecoder.value(T.Input.self, from: task.input)
            }
            attempt = TaskAttempt(
                instance: task.instance, id: task.id, input: input, key: task.key, attempt: task.attempt,
                progress: task.progress, source: source, token: task.token)
        } catch {
            return .failed(TaskFailure(type: "invalid-input", message: error.description))
        }
        let output: T.Output
        do {
            output = try await body(attempt)
        } catch let failure as TaskFailure {
            return .failed(failure)
        } catch {
            // An error of a cancelled body is not reported.
            return Task.isCancelled ? .undone : .failed(TaskFailure(message: "\(error)"))
        }
        do throws(MachineMismatch) {
            let value = try MachineMismatch.told("the output cannot be written") {
                try ValueEncoder.value(of: output)
            }
            let bytes = JSONWriter.bytes(value).count
            guard bytes <= APILimits.bodyBytes else {
                throw MachineMismatch("the output has \(bytes) bytes, more than \(APILimits.bodyBytes)")
            }
            return .done(value)
        } catch {
            return .failed(TaskFailure(type: "invalid-output", message: error.description))
        }
    }

    /// Extends the lease three times in its length, until the source refuses or the task is cancelled.
    private func heartbeats(of task: HandedTask) async -> Ending {
        while !Task.isCancelled {
            // This wait is cancelled when the body has ended.
            try? await Task.sleep(for: options.lease / 3)
            if Task.isCancelled { break }
            let answer = await patiently { () throws(HostError) in
                try await source.prolong(task.token, progress: nil)
            }
            // A closed host also counts as a lost lease, because it takes no more results.
            if case .failure = answer, !Task.isCancelled { return .leaseLost }
        }
        return .nothing
    }

    private func tell(_ report: Report, of task: HandedTask) async -> Result<Void, HostError> {
        await patiently { () throws(HostError) in
            // Awaited below, and not cancelled with the worker: a result is reported at least once.
            let telling = Task { () async -> Result<Void, HostError> in
                do throws(HostError) {
                    switch report {
                    case .done(let output): try await source.complete(task.token, with: output)
                    case .failed(let failure): try await source.fail(task.token, failure.bounded)
                    case .undone: try await source.giveBack(task.token)
                    }
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            try await telling.value.get()
        }
    }
}

extension HostError {
    /// True if the host refused the result itself.
    fileprivate var isAboutOutput: Bool {
        [ProblemType.invalidData, .invalidRequest, .payloadTooLarge].map(\.rawValue).contains(code)
    }

    /// Returns the error for a task whose lease the worker has lost.
    package static func leaseLost(_ reason: String) -> HostError {
        HostError(code: ProblemType.leaseLost.rawValue, message: "The lease is lost: \(reason)")
    }
}
