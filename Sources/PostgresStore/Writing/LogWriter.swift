import WorkflowStore

/// Writes the batches of the partitions that a daemon owns. One thread uses it at a time.
final class LogWriter: RowReading {
    /// The bounds between two folds of a partition's log.
    struct FoldLimits {
        /// The rows after which the next commit folds them.
        var rows: Int64 = 1_000
        /// The time after which the next commit folds them.
        var time: Duration = .seconds(10)
    }

    private let address: PostgresAddress
    private let log: PartitionLog
    private let folding: FoldLimits
    /// The state beside the log as of the last commit.
    var marks: [PartitionID: PartitionMarks] = [:]
    /// The marks after a commit whose outcome is unknown.
    private var doubtful: [PartitionID: PartitionMarks] = [:]

    /// - Parameters:
    ///   - log: The logs of the partitions.
    ///   - address: The database of the log.
    init(_ log: PartitionLog, address: PostgresAddress, folding: FoldLimits) {
        self.log = log
        self.address = address
        self.folding = folding
    }

    /// The owned partitions as of the last commit.
    var states: [PartitionID: PartitionState] {
        log.rows.mapValues { row in
            PartitionState(row: row, backlog: marks[row.partition]?.backlog ?? PurgeBacklog(floor: row.keys.floor))
        }
    }

    /// The last rows of the owned partitions.
    var rows: [PartitionID: LogRow] { log.rows }

    /// The number of connections that the log has made so far.
    var connectionCount: Int { log.connectionCount }

    func answers(_ requests: [Request]) throws(StoreError) -> [Answer] { try log.read(requests) }

    func error(_ failure: PostgresFailure) -> StoreError { StoreError("Cannot read from '\(address)'", failure) }

    /// Takes partitions, whoever owns them.
    func take(_ partitions: [PartitionID]) throws(StoreError) {
        try log.take(partitions)
        let backlogs = try read(PurgeRecord.count(partitions)) { answer in
            try answer.all { row in try PurgeRecord.backlog(&row) }
        }
        for partition in partitions {
            guard let row = log.rows[partition] else { continue }
            marks[partition] = PartitionMarks(floor: row.keys.floor)
        }
        for (partition, backlog) in backlogs { marks[partition]?.take(backlog) }
    }

    /// Ends writing to partitions. Without any, closes the connection.
    func release(_ partitions: [PartitionID]) {
        log.release(partitions)
        for partition in partitions { marks[partition] = nil }
    }

    /// Throws `fenced` if another owner has taken one of the partitions.
    func confirm(_ partitions: [PartitionID]) throws(StoreError) { try log.confirm(partitions) }

    /// Notes that no timer of a partition is due before a time. The next commit stores it.
    func raiseTimerFloor(of partition: PartitionID, to time: Timestamp) { log.raiseTimerFloor(of: partition, to: time) }

    /// Writes and flushes empty batches.
    func probe(_ partitions: [PartitionID]) throws(StoreError) {
        try log.commit(partitions.compactMap { log.rows[$0] }, with: [])
    }

    /// Commits states of the logs together with other rows.
    func commit(_ next: [LogRow], with requests: [Request]) throws(StoreError) {
        doubtful = marks
        try log.commit(next, with: requests)
    }

    /// Writes batches of any owned partitions, in one transaction.
    func commit(_ batches: [StoreBatch]) throws(StoreError) {
        var plan = CommitPlan(marks: marks)
        for batch in batches { try add(batch, to: &plan) }
        if batches.allSatisfy({ $0.isEmpty && $0.numbers == log.rows[$0.numbers.partition]?.numbers }) { return }
        for batch in batches {
            try forgetKeys(of: batch, &plan)
            try sweep(batch, &plan)
        }
        for batch in batches { plan.count(batch) }
        let requests = try BatchRequests(batches).all { partition in
            plan.rows[partition]?.keys.floor ?? .beginning(of: partition)
        }
        plan.fold(by: folding, batches)
        doubtful = plan.marks
        try log.commit(plan.rows.values.map(\.self), with: plan.upkeep + requests + plan.folds)
        marks = doubtful
    }

    /// Finds out the outcome of a commit that threw `outcomeUnknown`.
    func resolve() -> CommitOutcome {
        let outcome = log.resolve()
        if case .committed = outcome { marks = doubtful }
        return outcome
    }

    /// Checks a batch and adds it to the states that follow.
    private func add(_ batch: StoreBatch, to plan: inout CommitPlan) throws(StoreError) {
        let partition = batch.numbers.partition
        guard var row = plan.rows[partition] ?? log.rows[partition] else {
            throw StoreError(.fenced, "Cannot write: this process does not own partition \(partition.rawValue)")
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
        plan.rows[partition] = row
    }

    /// Forgets keys by the rule of a batch.
    private func forgetKeys(of batch: StoreBatch, _ plan: inout CommitPlan) throws(StoreError) {
        let partition = batch.numbers.partition
        guard let retention = batch.retention, let ledger = plan.rows[partition]?.keys else { return }
        let isYoung = retention.oldest.map { oldest in plan.marks[partition]?.kept.map { $0 >= oldest } ?? false }
        if ledger.count <= retention.count, isYoung ?? true { return }
        var forgotten = ForgottenKeys(ledger)
        let rows = try read(forgotten.rows(retention)) { answer in
            try answer.all { row in try ForgottenKeys.Row(&row) }
        }
        forgotten.take(rows, retention)
        plan.rows[partition]?.keys = forgotten.ledger
        plan.marks[partition]?.kept = forgotten.kept
        plan.upkeep += forgotten.requests
    }

    /// Removes deleted data as a batch orders. A second order for the same partition in one commit is left for the
    /// next: its rows are not removed yet when they are chosen.
    private func sweep(_ batch: StoreBatch, _ plan: inout CommitPlan) throws(StoreError) {
        let partition = batch.numbers.partition
        guard let order = batch.sweep, let row = plan.rows[partition], let marks = plan.marks[partition],
            plan.swept.insert(partition).inserted
        else { return }
        var sweep = PurgeSweep(order, in: partition, row.keys, marks.backlog, self)
        plan.upkeep += try sweep.run()
        plan.rows[partition]?.keys = sweep.ledger
        plan.rows[partition]?.purgeFloor = max(row.purgeFloor, sweep.floor)
        plan.marks[partition]?.backlog = sweep.backlog
        plan.marks[partition]?.kept = nil
    }
}

/// An owned partition as of the last commit.
struct PartitionState {
    var row: LogRow
    /// The remains of deleted instances.
    var backlog: PurgeBacklog
}

/// The state of a partition beside its log, as of the last commit.
struct PartitionMarks {
    /// The remains of deleted instances.
    var backlog: PurgeBacklog
    /// The time of the row at the floor of the keys, while it is too young to lose its key; `nil` if it is unknown.
    var kept: Timestamp?
    /// The first row of the log that is not folded yet.
    var unfolded: Int64 = 0
    /// The time of the last fold.
    var folded = ContinuousClock.now

    init(floor: Position) {
        backlog = PurgeBacklog(floor: floor)
    }

    /// Takes counts that were read without the floor.
    mutating func take(_ counts: PurgeBacklog) {
        let floor = backlog.floor
        backlog = counts
        backlog.floor = floor
    }
}

/// The states after some batches, and what is done beside their rows.
private struct CommitPlan {
    var rows: [PartitionID: LogRow] = [:]
    var marks: [PartitionID: PartitionMarks]
    var swept: Set<PartitionID> = []
    /// The requests that remove old data, which come first.
    var upkeep: [Request] = []
    /// The requests that fold the log, which come last.
    private(set) var folds: [Request] = []

    init(marks: [PartitionID: PartitionMarks]) {
        self.marks = marks
    }

    /// Counts the keys and the deletions of a batch.
    mutating func count(_ batch: StoreBatch) {
        let partition = batch.numbers.partition
        rows[partition]?.keys.count += Int64(batch.keys.count)
        marks[partition]?.backlog.instances += Int64(batch.purged.count)
        marks[partition]?.backlog.rows += batch.purged.reduce(0) { $0 + $1.rows }
        if let floor = rows[partition]?.keys.floor { marks[partition]?.backlog.floor = floor }
    }

    /// Appends the changes of the counts, and folds those of logs that are long or old enough.
    mutating func fold(by limits: LogWriter.FoldLimits, _ batches: [StoreBatch]) {
        let now = ContinuousClock.now
        for (partition, row) in rows {
            rows[partition]?.tally = TallyTable.text(of: batches.filter { $0.numbers.partition == partition })
            guard let mark = marks[partition],
                row.number - mark.unfolded >= limits.rows || now - mark.folded >= limits.time
            else { continue }
            folds += TallyTable.fold(partition, below: row.number)
            marks[partition]?.unfolded = row.number
            marks[partition]?.folded = now
        }
    }
}

extension StoreBatch {
    /// Returns true if all rows belong to the batch's partition and are within its numbers, which follow others.
    fileprivate func isCovered(after before: StoreNumbers) -> Bool {
        let partition = numbers.partition
        let positions = before.nextPosition..<max(numbers.nextPosition, before.nextPosition)
        return numbers.nextPosition >= before.nextPosition && numbers.nextInstance >= before.nextInstance
            && numbers.nextMachine >= before.nextMachine && numbers.last >= before.last && numbers.arePlausible
            && journal.allSatisfy { positions.contains($0.position) }
            && newInstances.allSatisfy { $0.id >= before.nextInstance && $0.id < numbers.nextInstance }
            && changedInstances.allSatisfy { $0.id.partition == partition }
            && armedTimers.allSatisfy { $0.key.position.partition == partition }
            && endedTimers.allSatisfy { $0.position.partition == partition }
            && keys.allSatisfy { $0.position.partition == partition }
            && machines.allSatisfy { $0.id < numbers.nextMachine } && hasFreePositions(positions)
            && (changedEffects.map(\.id) + endedEffects).allSatisfy { $0.partition == partition }
            && purged.allSatisfy { positions.contains($0.position) }
            && changes.allSatisfy { positions.contains($0.position) }
    }

    /// Returns true if each new effect has a position of the batch that no journal row has.
    private func hasFreePositions(_ positions: Range<Position>) -> Bool {
        if newEffects.isEmpty { return true }
        let taken = Set(journal.lazy.map(\.position))
        return newEffects.allSatisfy { positions.contains($0.id) && !taken.contains($0.id) }
    }
}
