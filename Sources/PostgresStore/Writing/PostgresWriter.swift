import WorkflowStore

/// Looks up what the batches of some partitions need, and hands the batches over. One thread uses it at a time.
///
/// The lookups have a connection of their own. Commits go to the group that all writers of the store share.
final class PostgresWriter: StoreWriter, PostgresLookup {
    /// The partitions that the writer has taken, in order.
    let partitions: [PartitionID]
    let address: PostgresAddress
    let rows = PrefetchedRows()
    let holdsErased = false
    let logHold: LogHold? = nil
    let backups: (any BackupCopying)? = nil
    private let group: CommitGroup
    private let connection: ReadingConnection
    private let reading: PostgresView
    private let readers: PostgresReaders
    /// The number of the group's connections when the last lookup began.
    private var seenConnections = 0
    /// The outcome of the last write that threw `outcomeUnknown`.
    private var outcome = CommitOutcome.unknown
    /// The states when the writer was closed.
    private var lastStates: [PartitionID: PartitionState] = [:]
    private var isClosed = false

    /// Takes partitions, whoever owns them.
    ///
    /// - Parameters:
    ///   - group: The commits of all writers of the store.
    ///   - patience: The longest wait for a lookup.
    ///   - readers: The readers that end with the writer.
    init(
        _ address: PostgresAddress, group: CommitGroup, partitions: [PartitionID], patience: Duration = .seconds(10),
        readers: PostgresReaders? = nil
    ) throws(StoreError) {
        let readers = readers ?? PostgresReaders(address, writers: partitions.count)
        let partitions = partitions.sorted()
        self.address = address
        self.partitions = partitions
        self.group = group
        self.readers = readers
        connection = ReadingConnection(address, patience: patience)
        reading = PostgresView(address, patience: patience) { readers.isOpen }
        try group.withTurn { writer throws(StoreError) in try writer.take(partitions) }
    }

    var view: any StoreView { reading }

    func numbers(in partition: PartitionID) -> StoreNumbers { state(of: partition).row.numbers }

    func backlog(in partition: PartitionID) -> PurgeBacklog { state(of: partition).backlog }

    func forgottenKeys(in partition: PartitionID) -> Timestamp { state(of: partition).row.keys.forgotten }

    private func state(of partition: PartitionID) -> PartitionState {
        guard let state = lastStates[partition] ?? group.state(of: partition) else {
            // Proof: callers ask with one of `partitions`, and the group keeps them until `close`.
            preconditionFailure("partition \(partition.rawValue) is not this writer's")
        }
        return state
    }

    func timers(in partition: PartitionID, limit: Int) throws(StoreError) -> [TimerRecord] {
        let floor = group.state(of: partition)?.row.timerFloor ?? Timestamp(rawValue: 0)
        let timers: [TimerRecord] = try all(TimerRecord.first) {
            $0.add(partition.rawValue)
            $0.add(floor.rawValue)
            $0.add(Int64(limit))
        }
        if let first = timers.first { group.raiseTimerFloor(of: partition, to: first.key.due) }
        return timers
    }

    /// Reads on the server where the group commits: a new connection of the group replaces this one, too.
    func answers(_ requests: [Request]) throws(StoreError) -> [Answer] {
        try requireOpen()
        let connections = group.connectionCount
        if connections != seenConnections { connection.close() }
        seenConnections = connections
        do throws(PostgresFailure) {
            return try connection.once(requests)
        } catch {
            throw self.error(error)
        }
    }

    func commit(_ batches: [StoreBatch]) throws(StoreError) {
        try requireOpen()
        forget()
        try group.commit(batches, outcome: &outcome)
    }

    func resolve() -> CommitOutcome { outcome }

    func confirm() throws(StoreError) {
        try requireOpen()
        try group.withTurn { [partitions] writer throws(StoreError) in try writer.confirm(partitions) }
    }

    func probe() throws(StoreError) {
        try requireOpen()
        try group.write(outcome: &outcome) { [partitions] writer throws(StoreError) in try writer.probe(partitions) }
    }

    func acceptClock(_ now: Timestamp, by actor: Actor?) throws(StoreError) -> AcceptedClock {
        try requireOpen()
        forget()
        return try group.withTurn { writer throws(StoreError) in try writer.acceptClock(now, by: actor) }
    }

    /// Does nothing between batches: a commit folds the log, and the server cleans up by itself.
    func maintain() throws(StoreError) { try requireOpen() }

    func close() throws(StoreError) {
        try requireOpen()
        isClosed = true
        for partition in partitions { lastStates[partition] = group.state(of: partition) }
        readers.close(partitions.count)
        reading.close()
        connection.close()
        try group.withTurn { [partitions] writer throws(StoreError) in writer.release(partitions) }
    }

    private func requireOpen() throws(StoreError) {
        guard !isClosed else { throw .closed }
    }
}
