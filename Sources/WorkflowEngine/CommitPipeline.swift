import Foundation
import Threads

/// Writes sealed batches in their order on a thread of its own, while the thread that hands them over goes on.
///
/// One thread uses it: for every `begin` there is an `end`, in the same order. After a batch that was not written the
/// others are not tried, until `mend`.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
final class CommitPipeline: @unchecked Sendable {
    private let condition = NSCondition()
    private let write: (SealedBatch) -> BatchEnding
    private var waiting: [SealedBatch] = []
    private var endings: [BatchEnding] = []
    private var isBroken = false
    private var isClosed = false

    /// - Parameter write: Called on the pipeline's thread.
    init(write: @escaping (SealedBatch) -> BatchEnding) {
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

    /// Lets the thread go when everything is done.
    func close() {
        locked { isClosed = true }
    }

    private func run() {
        while let batch = next() {
            let ending = locked { isBroken } ? .untried : write(batch)
            locked {
                endings.append(ending)
                if case .committed = ending { return }
                isBroken = true
            }
        }
    }

    private func next() -> SealedBatch? {
        locked {
            while waiting.isEmpty, !isClosed { condition.wait() }
            return waiting.isEmpty ? nil : waiting.removeFirst()
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
