import WorkflowStore

/// One committed state, read on a connection of its own while the writing connection is busy.
final class PostgresView: StoreView, PostgresLookup {
    let address: PostgresAddress
    let rows = PrefetchedRows()
    private let connection: ReadingConnection
    private let isOpen: () -> Bool
    private(set) var hasFailed = false
    /// The times before which keys are forgotten, as the state has them: each event with a key asks.
    private var forgotten: [PartitionID: Timestamp] = [:]

    /// - Parameter isOpen: Returns false once the store is closed.
    init(_ address: PostgresAddress, patience: Duration, isOpen: @escaping () -> Bool) {
        self.address = address
        self.isOpen = isOpen
        connection = ReadingConnection(address, patience: patience)
    }

    func release() {
        forget()
        forgotten = [:]
        connection.end()
        hasFailed = false
    }

    func forgottenKeys(in partition: PartitionID) throws(StoreError) -> Timestamp {
        if let known = forgotten[partition] { return known }
        let last = try read(LogRow.lasts([partition])) { answer in try answer.first { row in try LogRow(&row) } }
        guard let last else { throw LogRow.missing(partition) }
        forgotten[partition] = last.keys.forgotten
        return last.keys.forgotten
    }

    func answers(_ requests: [Request]) throws(StoreError) -> [Answer] {
        guard isOpen() else { throw .closed }
        do {
            return try connection.run(requests)
        } catch {
            hasFailed = true
            throw self.error(error)
        }
    }

    /// Closes the connection.
    func close() { connection.close() }
}

extension StoreError {
    /// The error of everything that comes after the end.
    static var closed: StoreError { StoreError(.closed, "The store is closed") }
}
