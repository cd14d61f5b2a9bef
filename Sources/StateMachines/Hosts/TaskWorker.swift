internal import WorkflowAPI
package import WorkflowJSON

/// Where a worker gets its tasks, and whom it tells what became of them: a host.
package protocol TaskSource: Sendable {
    /// Takes tasks of a queue. Waits for the first, and gives none when nothing came or the caller is cancelled.
    ///
    /// - Parameter lease: How long each may be without a sign of life.
    func lease(_ queue: String, max: Int, lease: Duration) async throws(HostError) -> [HandedTask]
    /// Ends a task. What came of it is durable on return.
    func complete(_ token: String, with output: JSONValue) async throws(HostError)
    /// Ends an attempt. The failure is within the bounds of the API.
    func fail(_ token: String, _ failure: TaskFailure) async throws(HostError)
    /// Lets the lease run for its whole time again. The progress is for the next attempt; nil leaves what was told.
    func prolong(_ token: String, progress: JSONValue?) async throws(HostError)
    /// The worker ends, and has not done the task.
    func giveBack(_ token: String) async throws(HostError)
    /// Whether asking the same again may help after an error.
    func isTransient(_ error: HostError) -> Bool
}

/// A task that was handed out.
package struct HandedTask: Sendable {
    /// Names it towards its source.
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

/// Works on the tasks of a queue, wherever they come from: signs of life, results, failures, and a graceful end.
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

    /// What its parts end with.
    private enum Ended {
        case leasing(Result<[HandedTask], HostError>)
        case attempt
        case caller
        case grace
    }

    /// Works until the caller is cancelled. Throws what no patience helps against, when all that ran has ended.
    package func run() async throws(HostError) {
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        // Awaited in the next line. Nobody cancels it: it is told that the caller is cancelled, and ends what runs.
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
                    // Awaited by the group; cancelled below, alone.
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
                        // Cancelled when all has ended before.
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

    /// Asks again, with growing pauses, as long as that may help.
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
            // When it is cancelled meanwhile, it is asked once more.
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }
}

// MARK: One attempt

extension TaskWorker {
    /// What came of an attempt.
    private enum Report: Sendable {
        case done(JSONValue)
        case failed(TaskFailure)
        /// The worker ended before the work.
        case undone
    }

    /// What ends an attempt beside its body.
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

    /// Runs the body, with signs of life beside it. Nil when the lease was lost, and nobody wants to know.
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
            // Nothing is said of what it was told to stop.
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

    /// Tells the source three times in each lease that somebody is at work, until it does not want to know, or this is
    /// cancelled.
    private func heartbeats(of task: HandedTask) async -> Ending {
        while !Task.isCancelled {
            // Cancelled when the body has ended.
            try? await Task.sleep(for: options.lease / 3)
            if Task.isCancelled { break }
            let answer = await patiently { () throws(HostError) in
                try await source.prolong(task.token, progress: nil)
            }
            // Also when the host is closed: it takes no result any more.
            if case .failure = answer, !Task.isCancelled { return .leaseLost }
        }
        return .nothing
    }

    private func tell(_ report: Report, of task: HandedTask) async -> Result<Void, HostError> {
        await patiently { () throws(HostError) in
            // Awaited here. Not cancelled with the worker: what was done is told, once at least.
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
    /// That is for a result that the host does not take.
    fileprivate var isAboutOutput: Bool {
        [ProblemType.invalidData, .invalidRequest, .payloadTooLarge].map(\.rawValue).contains(code)
    }

    /// Of a task that a worker has no more.
    package static func leaseLost(_ reason: String) -> HostError {
        HostError(code: ProblemType.leaseLost.rawValue, message: "The lease is lost: \(reason)")
    }
}
