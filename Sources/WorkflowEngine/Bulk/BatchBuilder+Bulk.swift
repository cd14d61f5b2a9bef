import Statechart
import WorkflowJSON
import WorkflowStore

// Runs over many instances.

extension BatchBuilder {
    /// A run, as this batch leaves it so far.
    func run(_ key: BulkKey) throws(Rejection) -> BulkRecord? {
        for changed in [runs] + provisional.reversed().map(\.runs) {
            if let run = changed[key] { return run }
        }
        return try read { () throws(StoreError) in try store.bulkRun(key) }
    }

    func writeRuns(to batch: inout StoreBatch) {
        if runs.isEmpty { return }
        for (key, run) in runs.sorted(by: { $0.key < $1.key }) {
            if let run { batch.changedRuns.append(run) } else { batch.forgottenRuns.append(key) }
        }
        batch.runNames = runNames
    }
}
