import Statechart
import Synchronization
package import WorkflowStore

/// A store in a database of PostgreSQL.
package final class PostgresDatabase: WorkflowStore {
    package let identity: StoreIdentity
    package let lineage: Lineage
    package let partitions: [PartitionID]
    package let holdReason: String?
    /// The backups that another module makes of exported rows; `nil` for none. PostgreSQL has its own ones, too.
    package let backups: (any StoreBackups)?

    let address: PostgresAddress
    let readers: PostgresReaders
    /// The limits of the reads.
    let limits: ReadLimits
    private let owner: UniqueID
    /// The commits of all writing sides.
    private let group: CommitGroup
    /// The partitions whose writing side was taken.
    private let taken = Mutex<Set<PartitionID>>([])

    /// Opens the store in a database.
    ///
    /// - Parameters:
    ///   - owner: A number that is unique for each start of a daemon.
    ///   - isInsecure: True to accept settings of the server by which a crash may lose what was answered.
    ///   - backups: The backups of the store; `nil` for none.
    /// - Throws: An error that says what to do, for a server or a database where no store can be.
    package static func open(
        _ address: PostgresAddress, owner: UniqueID, insecure isInsecure: Bool = false,
        backups: (any StoreBackups)? = nil
    ) throws(StoreError) -> PostgresDatabase {
        try open(address, owner: owner, insecure: isInsecure, limits: ReadLimits(), backups: backups)
    }

    static func open(
        _ address: PostgresAddress, owner: UniqueID, insecure isInsecure: Bool = false, limits: ReadLimits,
        backups: (any StoreBackups)? = nil
    ) throws(StoreError) -> PostgresDatabase {
        let facts = try ServerFacts.read(address)
        if let refusal = facts.refusal(at: address, insecure: isInsecure) { throw refusal }
        let connection = ReadingConnection(address)
        let snapshot = Snapshot(address: address, read: connection.run)
        return PostgresDatabase(address, owner, try StoreRow.read(snapshot), limits, backups)
    }

    private init(
        _ address: PostgresAddress, _ owner: UniqueID, _ row: StoreRow, _ limits: ReadLimits,
        _ backups: (any StoreBackups)?
    ) {
        self.backups = backups
        self.address = address
        self.owner = owner
        self.limits = limits
        identity = row.identity
        lineage = Lineage(row.restorations, generation: row.identity.generation)
        partitions = (0..<row.partitions).map(PartitionID.init(rawValue:))
        holdReason = row.isHeld ? "they were held when the store was opened" : nil
        readers = PostgresReaders(address, writers: partitions.count)
        group = CommitGroup(address, owner: owner, generation: row.identity.generation)
    }

    /// A new audit, which sees the state of its first read until it is released.
    package var audit: (any StoreAudit)? { PostgresAudit(address, limits) }

    /// The server's operators know how much room it has.
    package func usage() async throws(StoreError) -> StoreUsage? { nil }

    package var upkeep: (any StoreUpkeep)? { nil }

    package func writer(of partitions: [PartitionID]) throws(StoreError) -> sending any StoreWriter {
        let isFree = taken.withLock { taken in
            guard taken.isDisjoint(with: partitions) else { return false }
            taken.formUnion(partitions)
            return true
        }
        guard isFree else {
            throw StoreError(.locked, "Cannot write to '\(address)': its writing side is taken already")
        }
        return try PostgresWriter(address, group: group, partitions: partitions, readers: readers)
    }

    /// - Throws: `unavailable` if the server has not enough free connections for a daemon.
    package func requireConnections() throws(StoreError) {
        try ServerFacts.requireConnections(address, partitions: partitions.count)
    }

    /// - Throws: `locked` if a daemon is alive, whether it owns the store or stands by.
    package func refuseLiving() throws(StoreError) {
        try DaemonTable(address, id: owner, version: "", partitions: partitions).refuseLiving()
    }

    /// Closes a store whose writing side was never taken.
    package func close() { readers.close(partitions.count) }

    package func look<Result: Sendable>(
        in partition: PartitionID, _ body: @Sendable (any StoreLookup, StoreNumbers) -> Result
    ) async throws(StoreError) -> Result {
        try await readers.read { snapshot in
            let lookup = SnapshotLookup(snapshot)
            let row = try snapshot.read(LogRow.lasts([partition])) { answer in
                try answer.first { row in try LogRow(&row) }
            }
            guard let row else { throw LogRow.missing(partition) }
            return body(lookup, row.numbers)
        }
    }
}

/// The lookups of one read, which all see one committed state.
private final class SnapshotLookup: PostgresLookup {
    let rows = PrefetchedRows()
    private let snapshot: Snapshot

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
    }

    var address: PostgresAddress { snapshot.address }

    func forgottenKeys(in partition: PartitionID) throws(StoreError) -> Timestamp {
        let last = try read(LogRow.lasts([partition])) { answer in try answer.first { row in try LogRow(&row) } }
        guard let last else { throw LogRow.missing(partition) }
        return last.keys.forgotten
    }

    func answers(_ requests: [Request]) throws(StoreError) -> [Answer] { try snapshot.answers(requests) }
}
