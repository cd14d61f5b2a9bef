import Statechart
import WorkflowStore

/// Changes the concurrency, the rate or the pause of a queue.
package struct SetQueueCommand: Sendable {
    /// A setting that is left as it is, given, or reset to its default.
    package enum Change<Value: Sendable & Equatable>: Sendable, Equatable {
        case kept
        case set(Value)
        case standard
    }

    /// The number of starts in a span of time.
    package struct Rate: Sendable, Equatable {
        package let count: Int
        package let milliseconds: Int64

        package init(count: Int, milliseconds: Int64) {
            self.count = count
            self.milliseconds = milliseconds
        }
    }

    /// The queue: `task:NAME`, `http:HOST:PORT` or `exec:NAME`. The queue may be empty.
    package var queue: String
    package var concurrency = Change<Int>.kept
    package var rate = Change<Rate>.kept
    /// True to pause the queue, false to continue it; `nil` to leave it as it is.
    package var isPaused: Bool?
    package var caller: Caller

    package init(
        queue: String, concurrency: Change<Int> = .kept, rate: Change<Rate> = .kept, isPaused: Bool? = nil,
        by caller: Caller
    ) {
        self.queue = queue
        self.concurrency = concurrency
        self.rate = rate
        self.isPaused = isPaused
        self.caller = caller
    }
}

extension SetQueueCommand: PlacedCommand {
    var size: Int { 256 + queue.utf8.count }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .first }
    var summary: String { "set \(queue)" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> QueueRecord {
        let before = batch.record(of: queue)
        var settings = before?.settings ?? .standard
        switch concurrency {
        case .kept: break
        case .set(let count): settings.concurrency = count
        case .standard: settings.concurrency = nil
        }
        switch rate {
        case .kept: break
        case .set(let rate): (settings.rate, settings.rateMilliseconds) = (rate.count, rate.milliseconds)
        case .standard: (settings.rate, settings.rateMilliseconds) = (nil, nil)
        }
        settings.isPaused = isPaused ?? settings.isPaused
        guard settings != before?.settings ?? .standard else {
            return before ?? QueueRecord(name: queue, settings: settings, actor: nil, set: batch.now)
        }
        guard before != nil || batch.settledQueues < batch.parts.limits.settledQueues else {
            throw .invalidData(
                "At most \(batch.parts.limits.settledQueues) queues have settings; take back those of others")
        }
        let record = QueueRecord(name: queue, settings: settings, actor: caller.actor, set: batch.now)
        batch.changes.queues[queue] = record
        batch.note(.queueSet(record))
        batch.recordChange(.queue, of: queue, detail: settings.words, by: caller)
        return record
    }
}

extension QueueSettings {
    /// The settings in words: `concurrency 4, rate 100 in 1s, paused`.
    fileprivate var words: String {
        var words: [String] = []
        if let concurrency { words.append("concurrency \(concurrency)") }
        if let rate, let rateMilliseconds {
            words.append("rate \(rate) in \(DelayText.text(milliseconds: rateMilliseconds))")
        }
        if isPaused { words.append("paused") }
        return words.isEmpty ? "defaults" : words.joined(separator: ", ")
    }
}
