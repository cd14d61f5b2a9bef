package import WorkflowStore

/// A run for display.
package struct BulkView: Sendable {
    /// The run as a whole, with the key of its part in the first partition.
    package let record: BulkRecord
    package let request: BulkRequest
    package let outcome: BulkOutcome
    /// The run in each partition, in their order.
    let parts: [BulkRecord]
    /// The reason why a running run pauses; `nil` if it does not.
    package let paused: String?
    /// The name of the run that undid this one, or is undoing it; `nil` if there is none, or none was looked up.
    package internal(set) var undoneBy: String?

    /// - Parameters:
    ///   - first: The run in the first partition.
    ///   - others: The run in all other partitions, in their order.
    init(
        _ first: BulkRecord, _ others: some Sequence<BulkRecord> = [], limits: EngineLimits = EngineLimits(),
        paused: String? = nil
    ) throws(Rejection) {
        guard let request = BulkRequest(first.request) else {
            throw .inconsistent("the run '\(first.key.name)' cannot be read")
        }
        self.request = request
        self.paused = paused
        parts = [first] + others
        var record = first
        var outcome = BulkOutcome(first.outcome)
        for part in parts.dropFirst() {
            record.add(part)
            outcome.add(BulkOutcome(part.outcome), limits: limits)
        }
        if parts.count > 1 {
            // The number of selected instances is known for the whole run only.
            record.selected = max(first.selected, outcome.total)
            if record.state == .done, !outcome.isCut { outcome.countMissing(of: record.selected) }
            record.outcome = outcome.text
        }
        self.record = record
        self.outcome = outcome
    }
}

extension BulkRecord {
    /// Adds the state and the times of the run in another partition.
    fileprivate mutating func add(_ part: BulkRecord) {
        let states = [state, part.state]
        state = State.allCases.first(where: states.contains) ?? state
        updated = max(updated, part.updated)
        ended = state == .done ? updated : nil
    }

    /// True if the run has the numbers at which it began in its partition.
    var isOpened: Bool { BulkRequest(request)?.instances != nil }
}
