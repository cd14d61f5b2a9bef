package import WorkflowStore

/// Writes the batches of some partitions, and looks up what they need. One thread uses it at a time.
///
/// It has machines, instances, their history, timers, keys and counts. It refuses batches with anything else, so it is
/// no `StoreWriter` yet.
package final class PostgresWriter {
    /// The rows of a partition's log after which the next commit folds them.
    private static let foldedRows: Int64 = 1_000

    /// The partitions that the writer has taken, in order.
    package let partitions: [PartitionID]
    private let log: PartitionLog
    private let address: PostgresAddress
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
        for partition in next.keys {
            next[partition]?.tally = TallyTable.text(of: batches.filter { $0.numbers.partition == partition })
        }
        let rows = next.values.sorted { $0.partition < $1.partition }
        let due = rows.filter { $0.number - unfolded[$0.partition, default: 0] >= foldedRows }
        let folds = due.flatMap { TallyTable.fold($0.partition, below: $0.number) }
        try log.commit(rows, with: BatchRequests(batches).all + folds)
        for row in due { unfolded[row.partition] = row.number }
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
        row.keys.count += Int64(batch.keys.count)
        if let due = batch.armedTimers.map(\.key.due).min() { row.timerFloor = min(row.timerFloor, due) }
        next[partition] = row
    }
}

// MARK: Lookups

extension PostgresWriter {
    /// Returns the named version of a machine, or the highest version if `version` is `nil`; `nil` if there is none.
    package func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        try first(MachineRecord.byVersion) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
            $0.add(version?.rawValue)
        }
    }

    /// Returns a machine version by its row number, or `nil` if there is none.
    package func machine(_ id: MachineID) throws(StoreError) -> MachineRecord? {
        try first(MachineRecord.byID) { $0.add(id.rawValue) }
    }

    /// Returns an instance with its current state, or `nil` if there is none.
    package func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord? {
        try first(InstanceRecord.byName) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
        }
    }

    /// Returns the instances that exist among `ids`, in the order of `ids`, with one read.
    package func instances(_ ids: [InstanceID]) throws(StoreError) -> [InstanceRecord] {
        try all(InstanceRecord.byIDs) { parameters in
            var array = ArrayColumn(.int8)
            for id in ids { array.append(id.rawValue) }
            parameters.add(array)
        }
    }

    /// Returns the position at which a key was used, or `nil` if the store does not remember the key.
    package func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        let found: KeyRecord? = try first(KeyRecord.byKey) {
            $0.add(key.bytes)
            $0.add(scope.rawValue)
        }
        return found?.position
    }

    /// Returns a journal row, or `nil` if there is none.
    package func row(at position: Position) throws(StoreError) -> JournalRecord? {
        try first(JournalRecord.byPosition) { $0.add(position.rawValue) }
    }

    /// Returns the last snapshot of an instance at or before a seq, or `nil` if there is none that early.
    package func snapshot(of instance: InstanceID, atOrBefore seq: Seq) throws(StoreError) -> SnapshotRecord? {
        try first(SnapshotRecord.atOrBefore) {
            $0.add(instance.rawValue)
            $0.add(seq.rawValue)
        }
    }

    /// Returns the timers of a partition that are due next, in order; at most `limit`.
    package func timers(in partition: PartitionID, limit: Int) throws(StoreError) -> [TimerRecord] {
        let floor = log.rows[partition]?.timerFloor ?? Timestamp(rawValue: 0)
        let timers: [TimerRecord] = try all(TimerRecord.first) {
            $0.add(partition.rawValue)
            $0.add(floor.rawValue)
            $0.add(Int64(limit))
        }
        if let first = timers.first { log.raiseTimerFloor(of: partition, to: first.key.due) }
        return timers
    }

    /// Returns the counts of instances that are not 0, ordered by version, status and configuration.
    package func tally() throws(StoreError) -> [(key: TallyKey, count: Int64)] {
        try read(TallyTable.sums) { answer throws(PostgresFailure) in try answer.all(TallyTable.count) }
    }

    private func first<Row: TableRow>(
        _ statement: Statement, _ fill: (inout Parameters) -> Void
    ) throws(StoreError) -> Row? {
        try read(Request(statement, fill: fill)) { answer throws(PostgresFailure) in
            try answer.first { row throws(PostgresFailure) in try Row(row: &row) }
        }
    }

    private func all<Row: TableRow>(
        _ statement: Statement, _ fill: (inout Parameters) -> Void
    ) throws(StoreError) -> [Row] {
        try read(Request(statement, fill: fill)) { answer throws(PostgresFailure) in
            try answer.all { row throws(PostgresFailure) in try Row(row: &row) }
        }
    }

    private func read<Value>(
        _ request: Request, _ body: (Answer) throws(PostgresFailure) -> Value
    ) throws(StoreError) -> Value {
        let answers = try log.read([request])
        do throws(PostgresFailure) {
            guard let answer = answers.first else { throw PostgresFailure(.damaged, "the server gave no answer") }
            return try body(answer)
        } catch {
            throw StoreError("Cannot read from '\(address)'", error)
        }
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
    }
}
