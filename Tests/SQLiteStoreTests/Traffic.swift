import DiskTesting
import Foundation
import SQLiteStore
import StoreSuite
import StoreTesting
import Synchronization
import WorkflowStore

/// Readers and a writer that never pause, until the writer has reached its goal.
final class Traffic: Sendable {
    /// The number of reads beside the writer below which the test shows nothing.
    private static let enoughReads = 40
    private static let instances = 2_000

    private let state = Mutex((reads: 0, hasInstances: false, isOver: false))

    /// The number of completed reads of all instances.
    var reads: Int { state.withLock { $0.reads } }

    /// Reads all instances page by page, again and again, until the writer has ended.
    func read(_ store: SQLiteFileStore) async throws {
        while !state.withLock({ $0.isOver }) {
            _ = try await store.instances(InstanceQuery(states: ["nowhere"], limit: 1))
            // Before there are instances, a read has nothing to do.
            state.withLock { if $0.hasInstances { $0.reads += 1 } }
        }
    }

    /// The results of the writing.
    ///
    /// `@unchecked Sendable`: the writing thread has ended when another one gets the value.
    struct Ended: @unchecked Sendable {
        /// The largest size of the log in bytes.
        let largestLog: Int
        let writer: any StoreWriter
    }

    /// Writes on its own thread, as the engine does, for a time and until an amount was written to the log.
    func writing(
        _ store: SQLiteFileStore, _ directory: TemporaryDirectory, atLeast duration: Duration, andBytes bytes: Int
    ) async throws -> Ended {
        try await withCheckedThrowingContinuation { continuation in
            Thread {
                let result = Result { try self.write(store, directory, atLeast: duration, andBytes: bytes) }
                self.state.withLock { $0.isOver = true }
                continuation.resume(with: result)
            }.start()
        }
    }

    private func write(
        _ store: SQLiteFileStore, _ directory: TemporaryDirectory, atLeast duration: Duration, andBytes bytes: Int
    ) throws -> Ended {
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        for number in 0..<Self.instances { scribe.start("order-\(number)") }
        try scribe.commit(writer)
        state.withLock { $0.hasInstances = true }
        let data = #"{"filler":"\#(String(repeating: "x", count: 200))"}"#
        let end = ContinuousClock.now + duration
        var largest = 0
        var next = 0
        let log = directory.store + "-wal"
        while ContinuousClock.now < end || reads < Self.enoughReads || FaultyVFS.plan(log).bytesWritten <= bytes {
            for _ in 0..<200 {
                next += 7
                scribe.send("order-\(next % Self.instances)", data: data)
            }
            try scribe.commit(writer)
            try writer.maintain()
            largest = max(largest, directory.size(of: "store.db-wal") ?? 0)
        }
        return Ended(largestLog: largest, writer: writer)
    }
}
