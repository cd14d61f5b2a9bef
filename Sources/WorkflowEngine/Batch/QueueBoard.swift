import Synchronization
package import WorkflowStore

/// What is set for queues, and whether effects may start, as committed.
///
/// The writer loads it when it starts. Before, everything is held: nothing starts on a guess.
package final class QueueBoard: Sendable {
    private struct State {
        /// The hold of the store; nil until it has been read, and no effect starts before.
        var isHeld: Bool?
        var holdReason: String?
        var records: [String: QueueRecord] = [:]
    }

    /// All that wait are told of every change.
    private enum Change {
        case any
    }

    private let state = Mutex(State())
    private let feed: Feed<Change>

    /// - Parameter holdReason: The reason why effects were held when the store was opened; nil when they were not.
    init(limits: EngineLimits, holdReason: String?) {
        feed = Feed(bound: limits.boardWaiters)
        state.withLock { $0.holdReason = holdReason }
    }

    /// Whether no effect starts until somebody releases them.
    package var isHeld: Bool { state.withLock { $0.isHeld ?? true } }

    /// The same for whoever asks: false until it is known.
    package var isKnownAsHeld: Bool { state.withLock { $0.isHeld ?? false } }

    /// The reason why no effect starts, such as `the database was copied or moved: its inode was 12 and is 15; held
    /// since …`. Nil while effects start, and for a hold that began after the start.
    package var holdReason: String? { state.withLock { $0.isHeld == true ? $0.holdReason : nil } }

    /// How much of a queue may run, and how fast.
    package func settings(of queue: String) -> QueueSettings { record(of: queue)?.settings ?? .standard }

    /// Takes over the changes of committed batches, in their order.
    func adopt(_ batches: [StoreBatch]) {
        let changes = batches.filter { $0.isHeld != nil || !$0.changedQueues.isEmpty }
        if changes.isEmpty { return }
        state.withLock { state in
            for batch in changes {
                state.isHeld = batch.isHeld ?? state.isHeld
                if state.isHeld == false { state.holdReason = nil }
                for record in batch.changedQueues {
                    state.records[record.name] = record.settings == .standard ? nil : record
                }
            }
        }
        feed.tellAll()
    }

    /// What somebody has set for a queue; nil for the defaults.
    func record(of queue: String) -> QueueRecord? { state.withLock { $0.records[queue] } }

    /// How many queues have settings.
    var count: Int { state.withLock { $0.records.count } }

    /// A stream with an element after each change; changes that come together may be one element. It ends with the
    /// engine. Nil when too many wait already.
    package func changes() -> AsyncStream<Void>? { feed.changes(of: .any) }

    /// Takes what is committed.
    func load(from store: some StoreLookup, limits: EngineLimits) throws(StoreError) {
        var records: [String: QueueRecord] = [:]
        var last: String?
        repeat {
            let page = try store.queueRecords(after: last, limit: limits.batchRows)
            for record in page { records[record.name] = record }
            last = page.count < limits.batchRows ? nil : page.last?.name
        } while last != nil
        let isHeld = try store.isHeld()
        state.withLock { [records] in
            $0.isHeld = isHeld || $0.holdReason != nil
            $0.records = records
        }
        feed.tellAll()
    }

    /// No change comes any more.
    func close() { feed.close() }
}
