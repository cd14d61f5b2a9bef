import Statechart
import WorkflowJSON
import WorkflowStore

// Bulk runs.

extension BatchBuilder {
    /// Returns a bulk run with the changes of this batch so far.
    func run(_ key: BulkKey) throws(Rejection) -> BulkRecord? {
        if let changed = newest({ $0.runs[key] }) { return changed }
        return try read { () throws(StoreError) in try store.bulkRun(key) }
    }
}
