import Statechart
import Synchronization

/// Events and starts that wait for the writer, or whose answers nobody has taken yet.
package final class PendingSends: Sendable {
    /// The writer's answer.
    fileprivate typealias Outcome = Result<KeyedAnswer<SendResult>, Rejection>

    private enum State {
        case waiting
        case awaited(CheckedContinuation<[Outcome?], Never>)
        case answered([Outcome?])
    }

    private let engine: Engine
    private let commands: [LineCommand]
    /// The reasons for the commands that were never put into the queue, by their offsets.
    private let refused: [Int: Rejection]
    private let state = Mutex(State.waiting)

    fileprivate init(_ commands: [LineCommand], refused: [Int: Rejection], engine: Engine) {
        self.commands = commands
        self.refused = refused
        self.engine = engine
    }

    /// Waits until all commands are answered, and returns their outcomes in order. Call this function at most once;
    /// without a call the answers are dropped.
    package func outcomes() async -> [Result<SendResult, Rejection>] {
        var answers = await answers()[...]
        var outcomes: [Result<SendResult, Rejection>] = []
        outcomes.reserveCapacity(commands.count)
        for (offset, command) in commands.enumerated() {
            if let rejection = refused[offset] {
                outcomes.append(.failure(rejection))
                continue
            }
            // Proof: the queue gives an answer for each command that it took.
            guard let answer = answers.popFirst() ?? nil else { preconditionFailure("every command has an answer") }
            if case .success(.first(let event)) = answer {
                outcomes.append(.success(event))
                continue
            }
            do throws(Rejection) {
                outcomes.append(.success(try await engine.sent(try answer.get(), for: command)))
            } catch {
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }

    /// Takes the writer's answers to all commands that were put into the queue.
    fileprivate func answered(_ answers: [Outcome?]) {
        let waiter = state.withLock { state -> CheckedContinuation<[Outcome?], Never>? in
            guard case .awaited(let continuation) = state else {
                state = .answered(answers)
                return nil
            }
            state = .answered([])
            return continuation
        }
        waiter?.resume(returning: answers)
    }

    private func answers() async -> [Outcome?] {
        await withCheckedContinuation { continuation in
            let answers = state.withLock { state -> [Outcome?]? in
                if case .answered(let answers) = state { return answers }
                state = .awaited(continuation)
                return nil
            }
            if let answers { continuation.resume(returning: answers) }
        }
    }
}

extension Engine {
    /// Puts events into the writer's queue, one behind the other, without waiting for answers. Events of later calls
    /// are applied later. Throws, and begins none, if the queue has no room for all of them.
    package func begin(_ commands: [SendCommand]) throws(Rejection) -> PendingSends {
        let (pending, checked) = pending(commands.map(LineCommand.send))
        try queue.begin(checked, in: nil) { pending.answered($0) }
        return pending
    }

    /// Puts events and starts into the writer's queue, and returns when they are in the queue. If there is no room,
    /// waits for it, at most for `EngineLimits.roomWaiting` and until the task is cancelled.
    ///
    /// - Parameter sequence: The sequence of these commands and earlier ones.
    package func beginWhenRoom(
        _ commands: [LineCommand], in sequence: CommandSequence
    ) async throws(Rejection) -> PendingSends {
        let (pending, checked) = pending(commands)
        try await queue.beginWhenRoom(checked, in: sequence) { pending.answered($0) }
        return pending
    }

    /// Returns the pending answers, and the commands that passed their checks and go to the writer.
    private func pending(_ commands: [LineCommand]) -> (PendingSends, checked: [LineCommand]) {
        var refused: [Int: Rejection] = [:]
        for offset in commands.indices {
            do throws(Rejection) {
                try commands[offset].check()
            } catch {
                refused[offset] = error
            }
        }
        // Usually no command is refused, and then nothing is copied.
        let checked =
            refused.isEmpty ? commands : commands.indices.filter { refused[$0] == nil }.map { commands[$0] }
        return (PendingSends(commands, refused: refused, engine: self), checked)
    }

    /// Sends events in their order; each is applied or refused independently of the others. Throws, and sends none, if
    /// the queue has no room for all of them.
    package func send(_ commands: [SendCommand]) async throws(Rejection) -> [Result<SendResult, Rejection>] {
        try await begin(commands).outcomes()
    }
}
