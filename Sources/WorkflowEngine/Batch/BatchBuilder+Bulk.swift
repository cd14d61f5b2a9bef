import Statechart
import WorkflowJSON
import WorkflowStore

// Runs over many instances.

extension BatchBuilder {
    /// A run, as this batch leaves it so far.
    func run(_ key: BulkKey) throws(Rejection) -> BulkRecord? {
        if let changed = newest({ $0.runs[key] }) { return changed }
        return try read { () throws(StoreError) in try store.bulkRun(key) }
    }
}
