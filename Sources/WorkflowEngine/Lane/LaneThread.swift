import Logging
import Synchronization
import WorkflowStore
import WorkflowThreads

/// Runs a `Lane` on a thread of its own and tells how it ended.
final class LaneThread: Sendable {
    private let ending: AsyncStream<StoreError?>

    /// Starts the thread; it ends when the queue is closed and drained, or when the store fails for good.
    ///
    /// - Parameter observers: Of commits, in the order in which they are told.
    init(store: any WorkflowStore, observers: [any CommitObserver], parts: LaneParts) {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreError?.self)
        ending = stream
        // After each flush it waits for a core while others are busy, and all callers wait with it.
        startThread("wfd-writer", turns: .short) {
            // The writing side is gone when its end is told: the store may be opened again.
            let error = Self.run { () throws(StoreError) in
                let writer = try Self.writer(of: store, parts.queue)
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

    /// Runs a lane to its end; gives the error that ended it.
    private static func run(_ lane: () throws(StoreError) -> Lane) -> StoreError? {
        do throws(StoreError) {
            try lane().run()
            return nil
        } catch {
            return error
        }
    }

    /// Takes the writing side; when somebody has it already, nobody waits for this one.
    private static func writer(of store: any WorkflowStore, _ queue: CommandQueue) throws(StoreError) -> any StoreWriter
    {
        do throws(StoreError) {
            return try store.writer()
        } catch {
            let rejection = Rejection.stopped(by: error)
            queue.close(rejection)
            queue.abandon(with: rejection)
            throw error
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
