import GRDB
import WorkflowStore

/// One committed state, read on a connection of its own while the writing connection is busy.
///
/// The view passes the gate as every reader does, so that the write-ahead log can start over between two views.
final class SQLiteView: StoreView, SQLiteLookup {
    private let readers: ReaderPool
    /// Ends the transaction of the view; `nil` while there is none.
    private var end: (() -> Void)?
    /// The time in the view's state, once it was requested.
    private var forgotten: Timestamp?
    private(set) var hasFailed = false

    init(_ readers: ReaderPool) {
        self.readers = readers
    }

    func release() {
        end?()
        end = nil
        forgotten = nil
        hasFailed = false
    }

    func forgottenKeys(in partition: PartitionID) throws(StoreError) -> Timestamp {
        if let forgotten { return forgotten }
        let found = try read { database in try StoreRow.read(database)?.keys.forgotten }
        guard let found else { throw StoreError(.damaged, "The row in 'store' is missing; restore a backup") }
        forgotten = found
        return found
    }

    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        do {
            if end == nil { end = try readers.beginView() }
            return try readers.aside.inDatabase(body)
        } catch {
            hasFailed = true
            throw StoreError(reading: readers.path, error)
        }
    }
}
