package import WorkflowStore

/// A run as it is shown.
package struct BulkView: Sendable {
    package let record: BulkRecord
    package let request: BulkRequest
    package let outcome: BulkOutcome
    /// Why it rests for now, although it is running; nil when it does not.
    package let paused: String?
    /// The run that has undone it, or does; nil where none has, and where nobody looked.
    package internal(set) var undoneBy: String?

    init(_ record: BulkRecord, paused: String? = nil) throws(Rejection) {
        guard let request = BulkRequest(record.request) else {
            throw .inconsistent("the run '\(record.key.name)' cannot be read")
        }
        self.record = record
        self.request = request
        outcome = BulkOutcome(record.outcome)
        self.paused = paused
    }
}
