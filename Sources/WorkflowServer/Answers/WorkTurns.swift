import Synchronization
import WorkflowAPI

/// Bounds the requests of one kind that are carried out at once. Further ones wait for their turn, in order of arrival.
final class WorkTurns: Sendable {
    private let bound: Int
    private let waitingBound: Int
    private let refusal: String

    private struct State {
        var running = 0
        var last = 0
        var line: [(number: Int, turn: AsyncStream<Void>.Continuation)] = []
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - bound: The requests at once.
    ///   - waitingBound: The requests that wait; one more is asked to retry.
    ///   - refusal: The detail of the problem for that one.
    init(_ bound: Int, waiting waitingBound: Int, refusal: String) {
        (self.bound, self.waitingBound, self.refusal) = (bound, waitingBound, refusal)
    }

    /// The requests that are carried out.
    var running: Int { state.withLock { $0.running } }

    /// The requests that wait.
    var waiting: Int { state.withLock { $0.line.count } }

    /// Carries out one request when it is its turn.
    ///
    /// - Throws: `overloaded` if too many requests wait; `CancellationError` if the task is cancelled meanwhile.
    func take<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { end() }
        return try await body()
    }

    private func begin() async throws {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = try state.withLock { state -> Int? in
            if state.running < bound {
                state.running += 1
                return nil
            }
            guard state.line.count < waitingBound else { throw Problem(.overloaded, detail: refusal) }
            state.last += 1
            state.line.append((state.last, turn))
            return state.last
        }
        guard let number else { return }
        for await _ in turns { return }
        // The request was cancelled, perhaps when it had just got its turn.
        let hadTurn = state.withLock { state in
            let count = state.line.count
            state.line.removeAll { $0.number == number }
            return state.line.count == count
        }
        if hadTurn { end() }
        throw CancellationError()
    }

    private func end() {
        let next = state.withLock { state -> AsyncStream<Void>.Continuation? in
            if !state.line.isEmpty { return state.line.removeFirst().turn }
            state.running -= 1
            return nil
        }
        next?.yield()
    }
}
