import Statechart
import WorkflowStore

extension Engine {
    /// Sends an event; what it changed is on disk when this returns.
    package func send(_ command: SendCommand) async throws(Rejection) -> SendResult {
        try await outcome(of: command).get()
    }

    /// What became of an event that was sent; what it changed is on disk when this returns.
    package func outcome(of command: SendCommand) async -> Result<SendResult, Rejection> {
        await withCheckedContinuation { caller in begin(command) { caller.resume(returning: $0) } }
    }

    /// Sends an event without a task that waits for it.
    ///
    /// - Parameter answered: Called once with what became of it, on whatever thread knows it: the calling one when
    ///   nothing was begun.
    package func begin(_ command: SendCommand, _ answered: @escaping @Sendable (Result<SendResult, Rejection>) -> Void)
    {
        do throws(Rejection) {
            try command.check()
        } catch {
            return answered(.failure(error))
        }
        queue.begin(command) { answer in
            switch answer {
            case .success(.first(let event)): answered(.success(event))
            case .failure(let rejection): answered(.failure(rejection))
            case .success(let answer): Task { answered(await self.outcome(answer, of: command)) }
            }
        }
    }

    private func outcome(
        _ answer: KeyedAnswer<SendResult>, of command: SendCommand
    ) async -> Result<SendResult, Rejection> {
        do throws(Rejection) {
            return .success(try await sent(answer, for: command))
        } catch {
            return .failure(error)
        }
    }

    /// What the sender is told: an answer of before is made again.
    func sent(_ answer: KeyedAnswer<SendResult>, for command: SendCommand) async throws(Rejection) -> SendResult {
        switch answer {
        case .first(let event): return event
        case .repeated(let position):
            // Folds history: too long for an executor that serves sockets.
            return try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(Rejection) in
                try await repeated(command, at: position)
            }
        }
    }
}

extension Engine {
    /// The answer to a line; one of before is made again.
    func sent(_ answer: KeyedAnswer<SendResult>, for line: LineCommand) async throws(Rejection) -> SendResult {
        switch (line, answer) {
        case (_, .first(let result)): result
        case (.send(let send), .repeated): try await sent(answer, for: send)
        case (.start(let start), .repeated(let position)):
            // Folds history: too long for an executor that serves sockets.
            try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(Rejection) in
                try await repeated(start, at: position)
            }
        }
    }
}

extension Engine {
    /// Sends events in their order, all or none, in one transaction. `Rejection.offset` says which one was not
    /// accepted.
    package func sendTogether(_ commands: [SendCommand]) async throws(Rejection) -> [SendResult] {
        try await sendTogether(commands.map(LineCommand.send))
    }

    /// The same of events and starts.
    package func sendTogether(_ commands: [LineCommand]) async throws(Rejection) -> [SendResult] {
        for (offset, command) in commands.enumerated() {
            do throws(Rejection) {
                try command.check()
            } catch {
                throw error.at(offset)
            }
        }
        var events: [SendResult] = []
        for (offset, answer) in try await queue.submit(SendTogetherCommand(lines: commands)).enumerated() {
            do throws(Rejection) {
                events.append(try await sent(answer, for: commands[offset]))
            } catch {
                throw error.at(offset)
            }
        }
        return events
    }
}

extension Engine {
    /// Starts an instance; it is on disk when this returns.
    package func start(_ command: StartCommand) async throws(Rejection) -> InstanceView {
        switch try await queue.submit(command) {
        case .first(let view): view
        case .repeated(let position): try await repeated(command, at: position)
        }
    }
}
