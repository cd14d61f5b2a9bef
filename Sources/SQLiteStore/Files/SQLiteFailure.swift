import GRDB
import GRDBSQLite
import WorkflowStore

/// An error of SQLite, without SQL arguments and without data.
struct SQLiteFailure: Error, CustomStringConvertible {
    /// The extended result code (https://sqlite.org/rescode.html).
    let code: CInt
    let message: String
    /// True if SQLite found nothing wrong, and wfd did.
    private(set) var isOurs = false

    init(code: CInt, message: String) {
        self.code = code
        self.message = message
    }

    /// Creates the last failure of a connection.
    init(code: CInt, on connection: OpaquePointer?) {
        let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        self.init(code: code, message: text.map { String(cString: $0) } ?? "unknown error")
    }

    /// Converts an error that GRDB or one of our closures threw.
    init(_ error: any Error) {
        switch error {
        case let failure as SQLiteFailure: self = failure
        case let error as DatabaseError:
            let code = error.extendedResultCode.rawValue
            self.init(code: code, message: error.message ?? String(cString: sqlite3_errstr(code)))
        case is CancellationError: self.init(code: SQLITE_INTERRUPT, message: "cancelled")
        default: self.init(code: SQLITE_ERROR, message: String(describing: type(of: error)))
        }
    }

    /// The code without its extension.
    var primary: CInt { code & 0xFF }

    var isCorrupt: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    var isFull: Bool { primary == SQLITE_FULL }

    /// True for a failure of the disk itself, which may pass.
    var isInputOutput: Bool { primary == SQLITE_IOERR }

    /// True if the batch is at fault: another batch may be written.
    var isOfTheBatch: Bool { primary == SQLITE_CONSTRAINT || primary == SQLITE_TOOBIG }

    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    var description: String { isOurs ? "\(message); restore a backup" : "\(message) (SQLite \(code))" }
}

extension SQLiteFailure {
    /// Returns the failure for a value that cannot be right, although SQLite reads it without an error.
    static func damage(_ what: String) -> SQLiteFailure {
        var failure = SQLiteFailure(code: SQLITE_CORRUPT, message: what)
        failure.isOurs = true
        return failure
    }
}
