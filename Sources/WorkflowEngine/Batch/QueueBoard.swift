import Synchronization
package import WorkflowStore

/// The committed settings of queues, and the committed hold of effects.
///
/// The writer loads the board when it starts. Until then all effects are held: no effect starts on a guess.
package final class QueueBoard: Sendable {
    private struct State {
        /// The hold of the store; `nil` until it is known, and no effect starts before.
        var isHeld: Bool?
        var holdReason: String?
        var records: [String: QueueRecord] = [:]
    }

    /// The only key of the feed: every waiting task is notified of every change.
    private enum Change {
        case any
    }

    private let state = Mutex(State())
    private let feed: Feed<Change>
    /// The leases of all lanes; `nil` if there is one lane, whose table has them.
    let counts: LeaseCounts?

    /// - Parameters:
    ///   - holdReason: The reason why effects were held when the store was opened; `nil` if they were not.
    ///   - counts: The leases of several lanes.
    init(limits: EngineLimits, holdReason: String?, counts: LeaseCounts? = nil) {
        self.counts = counts
        feed = Feed(bound: limits.boardWaiters)
        state.withLock {
            $0.isHeld = holdReason == nil ? nil : true
            $0.holdReason = holdReason
        }
    }

    /// True if no effect starts until an operator releases effects.
    package var isHeld: Bool { state.withLock { $0.isHeld ?? true } }

    /// True if effects are known to be held; false until the hold has been read.
    package var isKnownAsHeld: Bool { state.withLock { $0.isHeld ?? false } }

    /// The reason why no effect starts, such as `the database was copied or moved: its inode was 12 and is 15; held
    /// since …`. `nil` while effects start, and for a hold that began after the start.
    package var holdReason: String? { state.withLock { $0.isHeld == true ? $0.holdReason : nil } }

    /// Returns the concurrency and rate limits of a queue.
    package func settings(of queue: String) -> QueueSettings { record(of: queue)?.settings ?? .standard }

    /// Adopts the changes of committed batches, in their order.
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

    /// Returns the settings that an operator made for a queue; `nil` for the defaults.
    func record(of queue: String) -> QueueRecord? { state.withLock { $0.records[queue] } }

    /// The number of queues with settings.
    var count: Int { state.withLock { $0.records.count } }

    /// Returns a stream with an element after each change; simultaneous changes may share an element. The stream ends
    /// with the engine. Returns `nil` if too many tasks wait already.
    package func changes() -> AsyncStream<Void>? { feed.changes(of: .any) }

    /// Loads the committed settings and the hold.
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

    /// Ends the streams: no more changes come.
    func close() { feed.close() }
}
