package import WorkflowStore

/// Writes the batches of some partitions, and looks up what they need. One thread uses it at a time.
///
/// It has machines, instances, their history, timers, keys, counts, effects, settings and changes. It refuses batches
/// with anything else, so it is no `StoreWriter` yet.
package final class PostgresWriter {
    /// The rows of a partition's log after which the next commit folds them.
    private static let foldedRows: Int64 = 1_000

    /// The partitions that the writer has taken, in order.
    package let partitions: [PartitionID]
    let log: PartitionLog
    let address: PostgresAddress
    private let foldedRows: Int64
    /// The first row of each partition's log that is not folded yet.
    private var unfolded: [PartitionID: Int64] = [:]

    /// Takes partitions, whoever owns them.
    ///
    /// - Parameters:
    ///   - owner: A number that is unique for each start of a daemon.
    ///   - patience: The longest wait for a commit.
    package convenience init(
        _ address: PostgresAddress, owner: UniqueID, partitions: [PartitionID], patience: Duration = .seconds(10)
    ) throws(StoreError) {
        try self.init(address, owner: owner, partitions: partitions, patience: patience, foldedRows: Self.foldedRows)
    }

    init(
        _ address: PostgresAddress, owner: UniqueID, partitions: [PartitionID], patience: Duration = .seconds(10),
        foldedRows: Int64
    ) throws(StoreError) {
        self.address = address
        self.partitions = partitions.sorted()
        self.foldedRows = foldedRows
        log = PartitionLog(address, owner: owner, patience: patience)
        for partition in self.partitions {
            try log.take(partition)
            unfolded[partition] = 0
        }
    }

    /// Returns the allocator's numbers of a partition as of the last commit; `nil` for a partition of another owner.
    package func numbers(in partition: PartitionID) -> StoreNumbers? { log.rows[partition]?.numbers }

    /// Writes batches in one transaction. Everything is flushed to disk when `commit` returns. After any error but
    /// `outcomeUnknown`, nothing is written. Each batch is built on the previous batch of the same partition.
    package func commit(_ batches: [StoreBatch]) throws(StoreError) {
        var next: [PartitionID: LogRow] = [:]
        for batch in batches { try add(batch, to: &next) }
        if batches.allSatisfy({ $0.isEmpty && $0.numbers == numbers(in: $0.numbers.partition) }) { return }
        let forgetting = try forgetKeys(of: batches, &next)
        for partition in next.keys {
            next[partition]?.tally = TallyTable.text(of: batches.filter { $0.numbers.partition == partition })
        }
        let rows = next.values.sorted { $0.partition < $1.partition }
        let due = rows.filter { $0.number - unfolded[$0.partition, default: 0] >= foldedRows }
        let folds = due.flatMap { TallyTable.fold($0.partition, below: $0.number) }
        try log.commit(rows, with: forgetting + BatchRequests(batches).all + folds)
        for row in due { unfolded[row.partition] = row.number }
    }

    /// Returns the requests that forget keys by the rules of batches, and counts the keys that then remain.
    private func forgetKeys(
        of batches: [StoreBatch], _ next: inout [PartitionID: LogRow]
    ) throws(StoreError) -> [Request] {
        var requests: [Request] = []
        for batch in batches {
            let partition = batch.numbers.partition
            if let retention = batch.retention, let ledger = next[partition]?.keys {
                var forgotten = ForgottenKeys(ledger)
                let rows = try read(forgotten.rows(retention)) { answer in
                    try answer.all { row in try ForgottenKeys.Row(&row) }
                }
                forgotten.take(rows, retention)
                next[partition]?.keys = forgotten.ledger
                requests += forgotten.requests
            }
            next[partition]?.keys.count += Int64(batch.keys.count)
        }
        return requests
    }

    /// Finds out the outcome of a `commit` that threw `outcomeUnknown`.
    package func resolve() -> CommitOutcome { log.resolve() }

    /// Throws `fenced` if a partition has another owner by now.
    package func confirm() throws(StoreError) { try log.confirm() }

    /// Writes and flushes an empty batch, to find out if the store accepts writes.
    package func probe() throws(StoreError) { try log.commit(log.rows.values.map(\.self), with: []) }

    /// Closes the connection.
    package func close() { log.close() }

    /// Checks a batch and adds it to the states that follow.
    private func add(_ batch: StoreBatch, to next: inout [PartitionID: LogRow]) throws(StoreError) {
        let partition = batch.numbers.partition
        guard var row = next[partition] ?? log.rows[partition] else {
            throw StoreError(.fenced, "Cannot write: this process does not own partition \(partition.rawValue)")
        }
        let unwritable = batch.unwritable
        guard unwritable.isEmpty else {
            throw StoreError(
                .unsupported, "Cannot write \(unwritable.joined(separator: ", ")): the store on PostgreSQL lacks them")
        }
        guard batch.base ?? row.numbers == row.numbers else {
            throw StoreError(.constraint, "Cannot write to '\(address)': the batch before this one is not there")
        }
        guard batch.isCovered(after: row.numbers) else {
            throw StoreError(
                .constraint,
                "Cannot write to '\(address)': the batch has rows past its own numbers, or of another partition")
        }
        row.numbers = batch.numbers
        if let due = batch.armedTimers.map(\.key.due).min() { row.timerFloor = min(row.timerFloor, due) }
        next[partition] = row
    }
}

extension StoreBatch {
    /// Returns true if all rows belong to the batch's partition and are within its numbers, which follow others.
    fileprivate func isCovered(after before: StoreNumbers) -> Bool {
        let partition = numbers.partition
        return numbers.nextPosition >= before.nextPosition && numbers.nextInstance >= before.nextInstance
            && numbers.nextMachine >= before.nextMachine && numbers.last >= before.last && numbers.arePlausible
            && journal.allSatisfy { $0.position >= before.nextPosition && $0.position < numbers.nextPosition }
            && newInstances.allSatisfy { $0.id >= before.nextInstance && $0.id < numbers.nextInstance }
            && changedInstances.allSatisfy { $0.id.partition == partition }
            && armedTimers.allSatisfy { $0.key.position.partition == partition }
            && endedTimers.allSatisfy { $0.position.partition == partition }
            && keys.allSatisfy { $0.position.partition == partition }
            && machines.allSatisfy { $0.id < numbers.nextMachine }
            && newEffects.allSatisfy { $0.id >= before.nextPosition && $0.id < numbers.nextPosition }
            && (changedEffects.map(\.id) + endedEffects).allSatisfy { $0.partition == partition }
            && changes.allSatisfy { $0.position >= before.nextPosition && $0.position < numbers.nextPosition }
    }
}
