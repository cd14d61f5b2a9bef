/// A connection for reading, made when it is first needed. The reads of one transaction see one committed state.
///
/// `@unchecked Sendable`: who has taken it out of its pool uses it on one thread at a time; a view has its own.
final class ReadingConnection: @unchecked Sendable {
    private let address: PostgresAddress
    private let patience: Duration
    private var connection: Connection?
    private var isInTransaction = false

    init(_ address: PostgresAddress, patience: Duration = Connection.patience) {
        self.address = address
        self.patience = patience
    }

    /// True if the transaction has begun and is not over.
    var isReading: Bool { isInTransaction }

    /// The protection of the connection; `nil` before the first read.
    var link: ConnectionLink? { connection?.link }

    /// Reads in the transaction, which the first read begins.
    func run(_ requests: [Request]) throws(PostgresFailure) -> [Answer] {
        if isInTransaction, let connection { return try run(requests, on: connection) }
        let answers = try once([Request(.beginReading)] + requests)
        isInTransaction = true
        return Array(answers.dropFirst())
    }

    /// Reads outside of a transaction: every request sees a state of its own. A connection that broke since its last
    /// use is replaced.
    func once(_ requests: [Request]) throws(PostgresFailure) -> [Answer] {
        if let connection {
            do throws(PostgresFailure) {
                return try run(requests, on: connection)
            } catch {
                guard error.kind == .lost else { throw error }
            }
        }
        let new = try Connection(address, within: patience)
        connection = new
        return try run(requests, on: new)
    }

    /// Ends the transaction. The server keeps no old row for it any more.
    func end() {
        guard isInTransaction else { return }
        isInTransaction = false
        do {
            _ = try connection?.run([], within: patience)
        } catch {
            // The server ends the transaction of a broken connection.
            connection = nil
        }
    }

    /// Closes the connection.
    func close() {
        connection = nil
        isInTransaction = false
    }

    private func run(_ requests: [Request], on current: Connection) throws(PostgresFailure) -> [Answer] {
        do throws(PostgresFailure) {
            return try current.run(requests, within: patience, continuing: isInTransaction)
        } catch {
            if error.kind == .lost { close() }
            throw error
        }
    }
}
