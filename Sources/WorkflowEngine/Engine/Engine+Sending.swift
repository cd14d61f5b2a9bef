import Statechart
import WorkflowStore

extension Engine {
    /// Sends an event; its changes are on disk on return.
    package func send(_ command: SendCommand) async throws(Rejection) -> SendResult {
        try await outcome(of: command).get()
    }

    /// Sends an event and returns its outcome; its changes are on disk on return.
    package func outcome(of command: SendCommand) async -> Result<SendResult, Rejection> {
        await withCheckedContinuation { caller in begin(command) { caller.resume(returning: $0) } }
    }

    /// Sends an event without a task that waits for the outcome.
    ///
    /// - Parameter answered: Called once with the outcome, on the thread that has it; on the calling thread if nothing
    ///   was begun.
    package func begin(_ command: SendCommand, _ answered: @escaping @Sendable (Result<SendResult, Rejection>) -> Void)
    {
        do throws(Rejection) {
            try command.check()
        } catch {
            return answered(.failure(error))
        }
        if command.isDryRun {
            // `answered` ends the task, which takes no longer than a read.
            Task {
                answered(
                    await outcome(of: command) { () async throws(Rejection) in try await answer(to: command) })
            }
            return
        }
        queue.begin(command) { answer in
            switch answer {
            case .success(.first(let event)): answered(.success(event))
            case .failure(let rejection): answered(.failure(rejection))
            case .success(let answer): Task { answered(await self.outcome(of: command) { answer }) }
            }
        }
    }

    private func outcome(
        of command: SendCommand, _ answer: () async throws(Rejection) -> KeyedAnswer<SendResult>
    ) async -> Result<SendResult, Rejection> {
        do throws(Rejection) {
            return .success(try await sent(try await answer(), for: command))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the sender's answer, and rebuilds an earlier answer if the command repeats one.
    func sent(_ answer: KeyedAnswer<SendResult>, for command: SendCommand) async throws(Rejection) -> SendResult {
        try await first(answer) { (position) async throws(Rejection) in try await repeated(command, at: position) }
    }
}

extension Engine {
    /// Returns the answer to a line, and rebuilds an earlier answer if the line repeats one.
    func sent(_ answer: KeyedAnswer<SendResult>, for line: LineCommand) async throws(Rejection) -> SendResult {
        try await first(answer) { (position) async throws(Rejection) in
            switch line {
            case .send(let send): try await repeated(send, at: position)
            case .start(let start): try await repeated(start, at: position)
            }
        }
    }
}

extension Engine {
    /// Sends events in their order, all or none, in one transaction. `Rejection.offset` is the place of the event that
    /// was not accepted.
    package func sendTogether(_ commands: [SendCommand]) async throws(Rejection) -> [SendResult] {
        try await sendTogether(commands.map(LineCommand.send))
    }

    /// Sends events and starts instances in their order, all or none, in one transaction.
    package func sendTogether(_ commands: [LineCommand]) async throws(Rejection) -> [SendResult] {
        for (offset, command) in commands.enumerated() {
            do throws(Rejection) {
                try command.check()
            } catch {
                throw error.at(offset)
            }
        }
        var events: [SendResult] = []
        for (offset, answer) in try await together(commands).enumerated() {
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
    /// Starts an instance, which is on disk on return.
    package func start(_ command: StartCommand) async throws(Rejection) -> InstanceView {
        switch try await queue.submit(command) {
        case .first(let view): view
        case .repeated(let position): try await repeated(command, at: position)
        }
    }
}
