import Synchronization

/// Gives turns to one task at a time, in the order in which the tasks ask. The callers bound the number of tasks.
final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Returns when it is the task's turn, which ends with `end()`.
    func begin() async {
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(turn) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { turn.resume() }
        }
    }

    func end() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.resume()
    }
}
