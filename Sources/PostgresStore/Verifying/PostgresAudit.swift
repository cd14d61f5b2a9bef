import Statechart
import Synchronization
import WorkflowStore
import WorkflowThreads

/// Reads all data of a store as of one moment, slice by slice, on a connection of its own.
///
/// The first slice begins the transaction, which sees one committed state of all partitions. It ends with the audit.
/// Daemons may write meanwhile; until the end, the server keeps the old versions of the rows that they change.
final class PostgresAudit: StoreAudit {
    let limits: ReadLimits
    private let address: PostgresAddress
    private let connection: ReadingConnection
    private let thread: BackgroundThreads
    private let known = Mutex<AuditedStore?>(nil)

    /// - Parameter thread: The name of the only thread that uses the connection.
    init(_ address: PostgresAddress, _ limits: ReadLimits, thread: String = "wfd-audit") {
        self.address = address
        self.limits = limits
        self.thread = BackgroundThreads(thread, count: 1)
        connection = ReadingConnection(address)
    }

    /// Runs reads of the moment.
    func read<Value: Sendable>(
        _ body: @Sendable (Snapshot, AuditedStore) throws -> Value
    ) async throws(StoreError) -> Value {
        try await withTaskExecutorPreference(thread) { @concurrent () async throws(StoreError) in
            if Task.isCancelled { throw StoreError(.unavailable, "Cannot read from '\(address)': it was cancelled") }
            do {
                let snapshot = Snapshot(address: address, read: connection.run)
                return try body(snapshot, try store(snapshot))
            } catch let error as StoreError {
                throw error
            } catch {
                throw StoreError("Cannot read from '\(address)'", PostgresFailure(error))
            }
        }
    }

    /// Returns the rows about the store itself. A second transaction would see another state, so the rows of the first
    /// one must be read in it.
    private func store(_ snapshot: Snapshot) throws -> AuditedStore {
        if let known = known.withLock({ $0 }) {
            guard connection.isReading else {
                throw PostgresFailure(.lost, "the connection broke; begin again")
            }
            return known
        }
        let store = try AuditedStore.read(snapshot)
        known.withLock { $0 = store }
        return store
    }
}

/// The rows about the store itself and its partitions.
struct AuditedStore: Sendable {
    let row: StoreRow
    /// The last row of each partition's log, in the order of partitions.
    let partitions: [LogRow]
    /// The next numbers according to the tables.
    let found: FoundNumbers

    static func read(_ snapshot: Snapshot) throws -> AuditedStore {
        let row = try StoreRow.read(snapshot)
        let wanted = (0..<row.partitions).map(PartitionID.init(rawValue:))
        let partitions = try snapshot.read(LogRow.lasts(wanted)) { answer in
            try answer.all { row in try LogRow(&row) }
        }
        if let missing = Set(wanted).subtracting(partitions.map(\.partition)).min() { throw LogRow.missing(missing) }
        return AuditedStore(row: row, partitions: partitions, found: try FoundNumbers.read(snapshot, wanted))
    }

    /// Returns the last row of a partition's log; `nil` for a partition that the store does not have.
    func partition(_ id: PartitionID) -> LogRow? { partitions.first { $0.partition == id } }
}
