import WorkflowStore

/// Writes the batches of some partitions, and looks up what they need. One thread uses it at a time.
final class PostgresWriter: StoreWriter, PostgresLookup {
    /// The bounds between two folds of a partition's log.
    struct FoldLimits {
        /// The rows after which the next commit folds them.
        var rows: Int64 = 1_000
        /// The time after which the next commit folds them.
        var time: Duration = .seconds(10)
    }

    /// The partitions that the writer has taken, in order.
    let partitions: [PartitionID]
    let log: PartitionLog
    let address: PostgresAddress
    let rows = PrefetchedRows()
    let holdsErased = false
    let logHold: LogHold? = nil
    let backups: (any BackupCopying)? = nil
    let folding: FoldLimits
    private let reading: PostgresView
    private let readers: PostgresReaders
    private var isClosed = false
    /// The state beside the log as of the last commit.
    var marks: [PartitionID: PartitionMarks] = [:]
    /// The marks after a commit whose outcome is unknown.
    var doubtful: [PartitionID: PartitionMarks] = [:]

    /// Takes partitions, whoever owns them.
    ///
    /// - Parameters:
    ///   - owner: A number that is unique for each start of a daemon.
    ///   - generation: The generation of the store when it was opened.
    ///   - patience: The longest wait for a commit.
    ///   - readers: The readers that end with the writer.
    init(
        _ address: PostgresAddress, owner: UniqueID, generation: Int64? = nil, partitions: [PartitionID],
        patience: Duration = .seconds(10), folding: FoldLimits = FoldLimits(), readers: PostgresReaders? = nil
    ) throws(StoreError) {
        let readers = readers ?? PostgresReaders(address, writers: partitions.count)
        self.address = address
        self.partitions = partitions.sorted()
        self.folding = folding
        self.readers = readers
        reading = PostgresView(address, patience: patience) { readers.isOpen }
        log = PartitionLog(address, owner: owner, generation: generation, patience: patience)
        try log.take(self.partitions)
        let backlogs = try read(PurgeRecord.count(self.partitions)) { answer in
            try answer.all { row in try PurgeRecord.backlog(&row) }
        }
        for (partition, row) in log.rows { marks[partition] = PartitionMarks(floor: row.keys.floor) }
        for (partition, backlog) in backlogs { marks[partition]?.take(backlog) }
    }

    var view: any StoreView { reading }

    func numbers(in partition: PartitionID) -> StoreNumbers { row(of: partition).numbers }

    func backlog(in partition: PartitionID) -> PurgeBacklog {
        marks[partition]?.backlog ?? PurgeBacklog(floor: row(of: partition).keys.floor)
    }

    func forgottenKeys(in partition: PartitionID) -> Timestamp { row(of: partition).keys.forgotten }

    private func row(of partition: PartitionID) -> LogRow {
        guard let row = log.rows[partition] else {
            // Proof: callers ask with one of `partitions`, and a log keeps the rows of those that it has taken.
            preconditionFailure("partition \(partition.rawValue) is not this writer's")
        }
        return row
    }

    func timers(in partition: PartitionID, limit: Int) throws(StoreError) -> [TimerRecord] {
        let floor = log.rows[partition]?.timerFloor ?? Timestamp(rawValue: 0)
        let timers: [TimerRecord] = try all(TimerRecord.first) {
            $0.add(partition.rawValue)
            $0.add(floor.rawValue)
            $0.add(Int64(limit))
        }
        if let first = timers.first { log.raiseTimerFloor(of: partition, to: first.key.due) }
        return timers
    }

    func answers(_ requests: [Request]) throws(StoreError) -> [Answer] {
        try requireOpen()
        return try log.read(requests)
    }

    func confirm() throws(StoreError) {
        try requireOpen()
        try log.confirm()
    }

    /// Writes and flushes an empty batch.
    func probe() throws(StoreError) {
        try requireOpen()
        try log.commit(log.rows.values.map(\.self), with: [])
    }

    /// Does nothing between batches: a commit folds the log, and the server cleans up by itself.
    func maintain() throws(StoreError) { try requireOpen() }

    func close() throws(StoreError) {
        try requireOpen()
        isClosed = true
        readers.close(partitions.count)
        reading.close()
        log.close()
    }

    func requireOpen() throws(StoreError) {
        guard !isClosed else { throw .closed }
    }
}

/// The state of a partition beside its log, as of the last commit.
struct PartitionMarks {
    /// The remains of deleted instances.
    var backlog: PurgeBacklog
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
