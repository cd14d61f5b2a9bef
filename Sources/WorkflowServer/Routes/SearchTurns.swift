import Synchronization
import WorkflowAPI

/// Bounds the searches that evaluate a condition at once. Further ones wait for their turn, in order of arrival.
final class SearchTurns: Sendable {
    /// The searches at once: each keeps a reading thread busy.
    static let bound = 2
    /// The searches that wait; one more is asked to retry.
    static let waitingBound = 32

    private struct State {
        var running = 0
        var last = 0
        var line: [(number: Int, turn: AsyncStream<Void>.Continuation)] = []
    }

    private let state = Mutex(State())

    /// The searches that run.
    var running: Int { state.withLock { $0.running } }

    /// The searches that wait.
    var waiting: Int { state.withLock { $0.line.count } }

    /// Runs one search when it is its turn.
    ///
    /// - Throws: `overloaded` if too many searches wait.
    func search<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { end() }
        return try await body()
    }

    private func begin() async throws {
        let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = try state.withLock { state -> Int? in
            if state.running < Self.bound {
                state.running += 1
                return nil
            }
            guard state.line.count < Self.waitingBound else {
                throw Problem(
                    .overloaded, detail: "\(Self.bound) searches with 'where' run already, and many wait for them")
            }
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
