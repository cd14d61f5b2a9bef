import Synchronization
import WorkflowStore

/// Remembers by queue the workers that recently asked for tasks.
final class WorkerWatch: Sendable {
    private struct Place: Hashable {
        let queue: String
        let worker: String
    }

    private struct State {
        var seen: [Place: Timestamp] = [:]
        /// The time of the last removal of old entries.
        var cleared: Timestamp?
    }

    private let bound: Int
    private let state = Mutex(State())

    /// The time in milliseconds for which a worker counts; a request may wait for a task just as long.
    static let memory: Int64 = 60_000

    /// - Parameter bound: The most workers of all queues that are remembered; others are not counted.
    init(bound: Int) {
        self.bound = bound
    }

    /// Records that a worker asks for tasks of a queue, or has waited for them.
    func saw(_ worker: String, in queue: String, at now: Timestamp) {
        let place = Place(queue: queue, worker: worker)
        state.withLock { state in
            if state.seen[place] == nil, state.seen.count >= bound {
                // Old entries are removed at most once a second, because the search takes a while.
                // Proof: times lie within the years 0 to 9999.
                if let cleared = state.cleared, abs(now.rawValue - cleared.rawValue) < 1_000 { return }
                state.cleared = now
                state.seen = state.seen.filter { Self.isRecent($0.value, at: now) }
                if state.seen.count >= bound { return }
            }
            state.seen[place] = now
        }
    }

    /// Returns by queue the number of workers that asked within the last minute; queues without any are left out.
    func counts(at now: Timestamp) -> [String: Int] {
        state.withLock { state in
            var counts: [String: Int] = [:]
            for (place, time) in state.seen where Self.isRecent(time, at: now) { counts[place.queue, default: 0] += 1 }
            return counts
        }
    }

    /// Returns true if the times are at most a minute apart, in either order, because a clock may be set back.
    private static func isRecent(_ time: Timestamp, at now: Timestamp) -> Bool {
        // Proof: times lie within the years 0 to 9999.
        abs(now.rawValue - time.rawValue) <= memory
    }
}
