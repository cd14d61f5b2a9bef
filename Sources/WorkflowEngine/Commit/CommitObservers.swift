import WorkflowStore

extension MachineLibrary: CommitObserver {
    func committed(_ committed: Committed) {
        for batch in committed.batches {
            for machine in batch.changes.machines { keep(machine) }
            board.adopt(batch.batch.changedSettings)
        }
    }
}

extension QueueBoard: CommitObserver {
    package func committed(_ committed: Committed) { adopt(committed.batches.map(\.batch)) }
}

extension LeaseCounts: CommitObserver {
    func committed(_ committed: Committed) { adopt(committed.batches.map(\.batch)) }
}

extension BatchStatistics: CommitObserver {
    package func committed(_ committed: Committed) { count(committed.batches.map(\.batch), took: committed.took) }
}
