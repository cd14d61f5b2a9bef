import WorkflowStore

/// The statements that write the runs of some batches.
struct RunRequests {
    private var forgotten: Set<BulkKey> = []
    private var runs: [BulkKey: BulkRecord] = [:]
    private var names: [BulkKey: [InstanceName]] = [:]

    /// Adds a batch after the earlier ones.
    mutating func add(_ batch: StoreBatch) {
        for key in batch.forgottenRuns {
            forgotten.insert(key)
            runs[key] = nil
            names[key] = nil
        }
        for run in batch.changedRuns { runs[run.key] = run }
        names.merge(batch.runNames) { _, new in new }
    }

    var all: [Request] {
        let runs = runs.values.sorted { $0.key < $1.key }
        let names = names.sorted { $0.key < $1.key }.flatMap { key, names in RunNames.pieces(of: names, for: key) }
        let key = ["namespace_id", "name", "partition"]
        return forgotten.sorted().flatMap(\.deletions)
            + [
                BulkRecord.columns.replace(runs, key: key), RunNames.columns.replace(names, key: key + ["piece"]),
            ].compactMap(\.self)
    }
}
