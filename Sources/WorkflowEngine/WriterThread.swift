import CScheduling
import Foundation
import Logging
import Synchronization
import WorkflowStore

/// Runs a `Writer` on a thread of its own and tells how it ended.
final class WriterThread: Sendable {
    private let ending: AsyncStream<StoreError?>

    /// Starts the thread; it ends when the queue is closed and drained, or when the store fails for good.
    init(
        store: any WorkflowStore, queue: CommandQueue, library: MachineLibrary, feed: CommitFeed,
        clock: any WallClock, limits: EngineLimits, statistics: BatchStatistics, backups: BackupDesk,
        logger: Logger
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreError?.self)
        ending = stream
        let thread = Thread {
            // After each flush it waits for a core while others are busy, and all callers wait with it. On a system
            // that cannot help, it works all the same.
            _ = scheduling_shorten_turns()
            let writer = Writer(
                store: store.writer, queue: queue, library: library, feed: feed, clock: clock, limits: limits,
                statistics: statistics, backups: backups, logger: logger)
            do throws(StoreError) {
                try writer.run()
                continuation.yield(nil)
            } catch {
                continuation.yield(error)
            }
            continuation.finish()
        }
        thread.name = "wfd-writer"
        thread.stackSize = 8 << 20
        thread.start()
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
