import Statechart
import Synchronization

/// Events and starts that wait for the writer, or were answered and nobody has asked yet.
package final class PendingSends: Sendable {
    /// What the writer said.
    fileprivate typealias Outcome = Result<KeyedAnswer<SendResult>, Rejection>

    private enum State {
        case waiting
        case awaited(CheckedContinuation<[Outcome?], Never>)
        case answered([Outcome?])
    }

    private let engine: Engine
    private let commands: [LineCommand]
    /// Of the commands that were never put into the queue, why.
    private let refused: [Int: Rejection]
    private let state = Mutex(State.waiting)

    fileprivate init(_ commands: [LineCommand], refused: [Int: Rejection], engine: Engine) {
        self.commands = commands
        self.refused = refused
        self.engine = engine
    }

    /// What became of the events, in their order, when all are answered. Call it once at most; without it the answers
    /// are forgotten.
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

    /// The writer has answered all that was put into the queue.
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
    /// Puts events into the writer's queue, one behind the other, without waiting for their answers: those that are
    /// begun later are applied later. Throws, and has begun none, when there is no room for all of them.
    package func begin(_ commands: [SendCommand]) throws(Rejection) -> PendingSends {
        let (pending, checked) = pending(commands.map(LineCommand.send))
        try queue.begin(checked, in: nil) { pending.answered($0) }
        return pending
    }

    /// The same of events and starts, but when there is no room they wait for it, no longer than
    /// `EngineLimits.roomWaiting`, and until the task is cancelled. Returns when they are in the queue.
    ///
    /// - Parameter sequence: What they are a part of, with those that were begun before.
    package func beginWhenRoom(
        _ commands: [LineCommand], in sequence: CommandSequence
    ) async throws(Rejection) -> PendingSends {
        let (pending, checked) = pending(commands)
        try await queue.beginWhenRoom(checked, in: sequence) { pending.answered($0) }
        return pending
    }

    /// What will be answered, and the commands that the writer is asked.
    private func pending(_ commands: [LineCommand]) -> (PendingSends, checked: [LineCommand]) {
        var refused: [Int: Rejection] = [:]
        for offset in commands.indices {
            do throws(Rejection) {
                try commands[offset].check()
            } catch {
                refused[offset] = error
            }
        }
        // Most often nothing is refused, and then nothing is copied.
        let checked =
            refused.isEmpty ? commands : commands.indices.filter { refused[$0] == nil }.map { commands[$0] }
        return (PendingSends(commands, refused: refused, engine: self), checked)
    }

    /// Sends events in their order; each is applied or not, whatever becomes of the others. Throws, and has sent none,
    /// when there is no room for all of them.
    package func send(_ commands: [SendCommand]) async throws(Rejection) -> [Result<SendResult, Rejection>] {
        try await begin(commands).outcomes()
    }
}
