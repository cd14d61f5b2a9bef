import Foundation
import WorkflowThreads

/// Writes sealed batches in order on its own thread, while the thread that hands them over continues. Batches that wait
/// when a write ends are written together.
///
/// One thread uses a pipeline: it calls `end` once for every `begin`, in the same order. After a batch that was not
/// written, the pipeline does not try the others until `mend`.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
final class CommitPipeline: @unchecked Sendable {
    private let condition = NSCondition()
    private let together: Int
    /// The function that writes; `nil` once the thread has ended and no longer holds the store.
    private var write: (@Sendable ([SealedBatch]) -> [BatchEnding])?
    private var waiting: [SealedBatch] = []
    private var endings: [BatchEnding] = []
    private var isBroken = false
    private var isClosed = false

    /// - Parameters:
    ///   - together: The most batches that are written together.
    ///   - write: Called on the pipeline's thread; returns an ending for each batch, in their order.
    init(together: Int, write: @escaping @Sendable ([SealedBatch]) -> [BatchEnding]) {
        self.together = together
        self.write = write
    }

    /// Starts the thread, which `close` ends.
    func open() {
        startThread("wfd-commit", turns: .short) { self.run() }
    }

    /// Hands a batch over to the pipeline's thread.
    func begin(_ batch: SealedBatch) {
        locked { waiting.append(batch) }
    }

    /// Waits for the oldest batch whose ending was not yet returned, and returns its ending.
    func end() -> BatchEnding {
        locked {
            while endings.isEmpty { condition.wait() }
            return endings.removeFirst()
        }
    }

    /// True if `end` would return at once.
    var hasEnding: Bool { locked { !endings.isEmpty } }

    /// Allows writing again after a failure. Nothing may be under way.
    func mend() {
        locked { isBroken = false }
    }

    /// Ends the thread and waits for its end, so that nobody holds the store when it is opened again.
    func close() {
        locked {
            isClosed = true
            condition.broadcast()
            while write != nil { condition.wait() }
        }
    }

    private func run() {
        while let batches = next() {
            let write = locked { isBroken ? nil : self.write }
            let ended = write?(batches) ?? batches.map { _ in .untried }
            locked {
                endings += ended
                if case .committed? = ended.last { return }
                isBroken = true
            }
        }
        locked { write = nil }
    }

    /// Waits for the next batches to write; returns `nil` when the pipeline is closed and no batch waits.
    private func next() -> [SealedBatch]? {
        locked {
            while waiting.isEmpty, !isClosed { condition.wait() }
            let next = Array(waiting.prefix(together))
            waiting.removeFirst(next.count)
            return next.isEmpty ? nil : next
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body()
    }
}
