import Logging
import Synchronization
import WorkflowStore
import WorkflowThreads

/// Knows the times of the last backup and verification, and keeps them across restarts.
final class UpkeepKeeper: Sendable {
    private let upkeep: (any StoreUpkeep)?
    private let state: Mutex<UpkeepTimes>
    /// A stream with an element when there are times to keep.
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// - Parameter upkeep: The store's file of times; `nil` if the store keeps none, and the times are then known only
    ///   until the engine ends.
    init(_ upkeep: (any StoreUpkeep)?) {
        self.upkeep = upkeep
        state = Mutex(upkeep?.upkeepTimes() ?? UpkeepTimes())
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// The times that are known now.
    var times: UpkeepTimes { state.withLock { $0 } }

    /// Returns the names of the copies of the store that upgrades have kept.
    func keptCopies() async -> [String] {
        guard let upkeep else { return [] }
        return await withTaskExecutorPreference(BackgroundThreads("wfd-upkeep", count: 1)) {
            @concurrent () async in upkeep.keptCopies()
        }
    }

    /// Changes the times, and schedules a write.
    func change(_ change: (inout UpkeepTimes) -> Void) {
        state.withLock { change(&$0) }
        changed.yield()
    }

    /// Writes changed times until `close`, and then the rest.
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

    /// Ends the changes.
    func close() { changed.finish() }
}

extension OperatorLog.Topic {
    fileprivate static let upkeep = OperatorLog.Topic("times that were not kept")
}
