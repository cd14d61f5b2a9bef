import GRDB
package import WorkflowStore

/// The lookups of one slice of a read, which all see one committed state.
private final class SliceLookup: SQLiteLookup {
    private let database: Database
    private let path: String
    private let store: StoreRow

    init(_ database: Database, path: String, store: StoreRow) {
        self.database = database
        self.path = path
        self.store = store
    }

    func forgottenKeys(in partition: PartitionID) -> Timestamp { store.keys.forgotten }

    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        do {
            return try body(database)
        } catch {
            throw StoreError(reading: path, error)
        }
    }
}

extension SQLiteFileStore {
    package func look<Result: Sendable>(
        in _: PartitionID, _ body: @Sendable (any StoreLookup, StoreNumbers) -> Result
    ) async throws(StoreError) -> Result {
        let path = readers.path
        return try await readers.slice { database, _ in
            guard let store = try StoreRow.read(database) else { throw StoreRow.missing }
            return body(SliceLookup(database, path: path, store: store), store.numbers)
        }
    }
}
