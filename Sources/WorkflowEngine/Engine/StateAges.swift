import Synchronization
package import WorkflowStore

/// Since when running instances are in their states, as it was found last.
///
/// Nothing but the whole table of instances tells it. So it is looked for in the background, only while somebody asks,
/// and rests far longer than it took.
final class StateAges: Sendable {
    private let state = Mutex<[OldestInState]>([])
    /// An element when somebody has asked.
    let asks: AsyncStream<Void>
    private let asked: AsyncStream<Void>.Continuation

    init() {
        (asks, asked) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Gives the last finding, and lets it be looked for again.
    func ask() -> [OldestInState] {
        asked.yield()
        return state.withLock { $0 }
    }

    /// Takes a finding.
    func found(_ oldest: [OldestInState]) { state.withLock { $0 = oldest } }
}

extension Engine {
    /// The longest time for which running instances have been in each configuration, as it was found last; nothing
    /// before that. Of those that have gone on since, some may still be told.
    package func oldestRunning(by caller: Caller) -> [OldestInState] {
        caller.namespace == .default ? ages.ask() : []
    }

    /// Looks for it while somebody asks, until it is cancelled.
    func keepAges() async {
        for await _ in ages.asks {
            let begin = ContinuousClock.now
            // A failure is tried again later; whoever asks for anything else is told why.
            if let oldest = try? await store.oldestRunning(in: .default, atMost: limits.agedStates) {
                ages.found(oldest)
            }
            let took: Duration = ContinuousClock.now - begin
            let rest: Duration = max(limits.ageRest, took * 20)
            // Cancelled with the engine.
            guard (try? await Task.sleep(for: rest)) != nil else { return }
        }
    }
}

extension EngineLimits {
    /// Machine versions and configurations of which the oldest is known.
    fileprivate var agedStates: Int { 10_000 }
    /// Between two looks at all instances, at least.
    fileprivate var ageRest: Duration { .seconds(30) }
}
