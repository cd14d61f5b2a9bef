import Synchronization
package import WorkflowStore

/// The times since which running instances have been in their states, as of the last look.
///
/// Only a read of the whole table of instances finds these times. So the search runs in the background, only while
/// callers ask, and pauses far longer than it took.
final class StateAges: Sendable {
    private let state = Mutex<[OldestInState]>([])
    /// A stream with an element when a caller has asked.
    let asks: AsyncStream<Void>
    private let asked: AsyncStream<Void>.Continuation

    init() {
        (asks, asked) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Returns the last result, and starts a new search.
    func ask() -> [OldestInState] {
        asked.yield()
        return state.withLock { $0 }
    }

    /// Stores a result.
    func found(_ oldest: [OldestInState]) { state.withLock { $0 = oldest } }
}

extension Engine {
    /// Returns the longest time for which running instances have been in each configuration, as of the last look; empty
    /// before the first look. Some of the instances may have left the configuration since.
    package func oldestRunning(by caller: Caller) -> [OldestInState] {
        caller.namespace == .default ? ages.ask() : []
    }

    /// Searches for the oldest states while callers ask, until the task is cancelled.
    func keepAges() async {
        for await _ in ages.asks {
            let begin = ContinuousClock.now
            // A failed search is tried again later; other reads report the failure.
            if let oldest = try? await store.oldestRunning(in: .default, atMost: limits.agedStates) {
                ages.found(oldest)
            }
            let took: Duration = ContinuousClock.now - begin
            let rest: Duration = max(limits.ageRest, took * 20)
            // The pause is cancelled with the engine.
            guard (try? await Task.sleep(for: rest)) != nil else { return }
        }
    }
}

extension EngineLimits {
    /// The most pairs of machine version and configuration whose oldest instance is known.
    fileprivate var agedStates: Int { 10_000 }
    /// The shortest pause between two reads of all instances.
    fileprivate var ageRest: Duration { .seconds(30) }
}
