import Logging
import Synchronization
import Threads
import WorkflowStore

/// Runs a `Writer` on a thread of its own and tells how it ended.
final class WriterThread: Sendable {
    private let ending: AsyncStream<StoreError?>

    /// Starts the thread; it ends when the queue is closed and drained, or when the store fails for good.
    init(
        store: any WorkflowStore, queue: CommandQueue, library: MachineLibrary, feed: CommitFeed,
        clock: any WallClock, limits: EngineLimits, statistics: BatchStatistics, health: WriteHealth,
        backups: BackupDesk,
        answering: @escaping @Sendable (() -> Void) -> Void, log: EngineLog, logger: Logger
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreError?.self)
        ending = stream
        // After each flush it waits for a core while others are busy, and all callers wait with it.
        startThread("wfd-writer", turns: .short) {
            let writer = Writer(
                store: store.writer, queue: queue, library: library, feed: feed, clock: clock, limits: limits,
                statistics: statistics, health: health, backups: backups, answering: answering, log: log,
                logger: logger)
            do throws(StoreError) {
                try writer.run()
                continuation.yield(nil)
            } catch {
                continuation.yield(error)
            }
            continuation.finish()
        }
    }

    /// Waits until the thread is done; gives the error that ended it, nil after a clean end. Call it once.
    func ended() async -> StoreError? {
        // Not cancelled with the caller: what was accepted must be on disk before the daemon goes.
        await Task.detached { [ending] in
            for await error in ending { return error }
            return nil
        }.value
    }
}
