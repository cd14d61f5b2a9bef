import Logging
import Synchronization
import WorkflowStore
import WorkflowThreads

/// Knows when somebody last took care of the store, and keeps it over restarts.
final class UpkeepKeeper: Sendable {
    private let upkeep: (any StoreUpkeep)?
    private let state: Mutex<UpkeepTimes>
    /// An element when there is something to keep.
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// - Parameter upkeep: Nil for a store that keeps nothing: then it is known until the engine ends.
    init(_ upkeep: (any StoreUpkeep)?) {
        self.upkeep = upkeep
        state = Mutex(upkeep?.upkeepTimes() ?? UpkeepTimes())
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The times that are known now.
    var times: UpkeepTimes { state.withLock { $0 } }

    /// Somebody took care of the store.
    func change(_ change: (inout UpkeepTimes) -> Void) {
        state.withLock { change(&$0) }
        changed.yield()
    }

    /// Writes what has changed, until it is closed; then the rest.
    func run(_ log: OperatorLog) async {
        guard let upkeep else { return }
        for await _ in changes {
            let times = times
            let failure = await withTaskExecutorPreference(BackgroundThreads("wfd-upkeep", count: 1)) {
                @concurrent () async -> StoreError? in
                do throws(StoreError) {
                    try upkeep.keep(times)
                    return nil
                } catch {
                    return error
                }
            }
            guard let failure else { continue }
            log.tell(
                .upkeep, .warning, "when a backup or a verification was made last is not kept over a restart",
                ["error": "\(failure)"])
        }
    }

    /// Nothing changes any more.
    func close() { changed.finish() }
}

extension OperatorLog.Topic {
    fileprivate static let upkeep = OperatorLog.Topic("times that were not kept")
}
