import Logging
import Synchronization
import WorkflowStore
import WorkflowThreads

/// Runs a `Lane` on its own thread and reports how the lane ended.
final class LaneThread: Sendable {
    private let ending: AsyncStream<StoreError?>

    /// Starts the thread, which ends when the queue is closed and drained, or when the store fails for good.
    ///
    /// - Parameter observers: The observers of commits, notified in this order.
    init(store: any WorkflowStore, observers: [any CommitObserver], parts: LaneParts) {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreError?.self)
        ending = stream
        // After each flush the thread waits for a core while others are busy, and all callers wait with it.
        startThread("wfd-writer", turns: .short) {
            // The writing side is released before its end is reported, so that the store may be opened again.
            let error = Self.run { () throws(StoreError) in
                let writer = try Self.writer(of: store, parts)
                let committer = BatchCommitter(
                    store: writer, observers: observers, health: parts.health, purging: parts.purging,
                    logger: parts.logger)
                return Lane(
                    store: writer, committer: committer, generation: store.lineage.generation, parts: parts)
            }
            continuation.yield(error)
            continuation.finish()
        }
    }

    /// Runs a lane to its end, and returns the error that ended it.
    private static func run(_ lane: () throws(StoreError) -> Lane) -> StoreError? {
        do throws(StoreError) {
            try lane().run()
            return nil
        } catch {
            return error
        }
    }

    /// Returns the writing side of the lane's partition. If it is already taken, refuses all commands in the queue.
    private static func writer(of store: any WorkflowStore, _ parts: LaneParts) throws(StoreError) -> any StoreWriter {
        do throws(StoreError) {
            return try store.writer(of: [parts.partition])
        } catch {
            let rejection = Rejection.stopped(by: error)
            parts.queue.close(rejection)
            parts.queue.abandon(with: rejection)
            throw error
        }
    }

    /// Waits until the thread has ended. Returns the error that ended it; `nil` after a clean end. Call this function
    /// once.
    func ended() async -> StoreError? {
        // The wait is not cancelled with the caller: accepted commands must be on disk before the daemon ends.
        await Task.detached { [ending] in
            for await error in ending { return error }
            return nil
        }.value
    }
}
