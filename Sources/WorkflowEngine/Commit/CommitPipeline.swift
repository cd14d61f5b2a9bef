import Foundation
import WorkflowThreads

/// Writes sealed batches in their order on a thread of its own, while the thread that hands them over goes on. What
/// waits when a write has ended is written together.
///
/// One thread uses it: for every `begin` there is an `end`, in the same order. After a batch that was not written the
/// others are not tried, until `mend`.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
final class CommitPipeline: @unchecked Sendable {
    private let condition = NSCondition()
    private let together: Int
    /// Nil when the thread has ended: it holds the store no longer then.
    private var write: (@Sendable ([SealedBatch]) -> [BatchEnding])?
    private var waiting: [SealedBatch] = []
    private var endings: [BatchEnding] = []
    private var isBroken = false
    private var isClosed = false

    /// - Parameters:
    ///   - together: How many batches are written together at most.
    ///   - write: Called on the pipeline's thread; gives an ending for each, in their order.
    init(together: Int, write: @escaping @Sendable ([SealedBatch]) -> [BatchEnding]) {
        self.together = together
        self.write = write
    }

    /// Starts the thread; it ends with `close`.
    func open() {
        startThread("wfd-commit", turns: .short) { self.run() }
    }

    /// Hands a batch over.
    func begin(_ batch: SealedBatch) {
        locked { waiting.append(batch) }
    }

    /// Waits for the oldest batch that was handed over and not asked for.
    func end() -> BatchEnding {
        locked {
            while endings.isEmpty { condition.wait() }
            return endings.removeFirst()
        }
    }

    /// Whether `end` would not wait.
    var hasEnding: Bool { locked { !endings.isEmpty } }

    /// Batches are tried again. Nothing may be under way.
    func mend() {
        locked { isBroken = false }
    }

    /// Ends the thread, and waits until it has: whoever opens the store next finds nobody there.
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

    /// What is to be written next; nil when there is nothing and the pipeline is closed.
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
