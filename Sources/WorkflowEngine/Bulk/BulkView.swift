package import WorkflowStore

/// A run for display.
package struct BulkView: Sendable {
    package let record: BulkRecord
    package let request: BulkRequest
    package let outcome: BulkOutcome
    /// The reason why a running run pauses; `nil` if it does not.
    package let paused: String?
    /// The name of the run that undid this one, or is undoing it; `nil` if there is none, or none was looked up.
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
