import GRDBSQLite
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Errors of work on a whole file: opening, creating, upgrading, reading. After a restart a full or failing disk may
/// work again (`unavailable`); every other cause remains (`cannotOpen`).
extension StoreError {
    /// Creates an error of reading a file.
    init(reading path: String, _ error: any Error) {
        if let error = error as? StoreError {
            self = error
            return
        }
        let failure = SQLiteFailure(error)
        self.init(failure.isCorrupt ? .corrupt : .unavailable, "Cannot read '\(path)': \(failure)")
    }

    /// Creates an error of opening a file.
    init(opening file: StoreFile, _ error: any Error) {
        if let error = error as? StoreError {
            self = error
            return
        }
        self.init("Cannot open '\(file.given)'", SQLiteFailure(error), on: file)
    }

    /// Creates an error from a failure of SQLite.
    ///
    /// - Parameter deed: The failed work, such as `Cannot open 'wfd.db'`.
    init(_ deed: String, _ failure: SQLiteFailure, on file: StoreFile) {
        if failure.isCorrupt {
            self.init(.corrupt, "\(deed): \(failure)")
        } else if failure.isFull || !failure.isBusy && file.hasNoRoom {
            // SQLite reports a full disk by several codes: a file that it cannot make, an index that cannot grow.
            self.init(.unavailable, "\(deed): \(Self.noRoom) (\(failure))")
        } else {
            self.init(failure.isInputOutput ? .unavailable : .cannotOpen, "\(deed): \(failure)")
        }
    }

    /// Creates an error from a failed system call.
    ///
    /// - Parameters:
    ///   - beginning: The message up to the reason, such as `Cannot open 'wfd.db': `.
    ///   - code: The `errno` of the call.
    init(_ beginning: String, _ code: CInt) {
        switch code {
        case ENOSPC, EDQUOT: self.init(.unavailable, beginning + Self.noRoom)
        case EIO: self.init(.unavailable, beginning + String(cString: strerror(code)))
        default: self.init(.cannotOpen, beginning + String(cString: strerror(code)))
        }
    }

    private static let noRoom = "no room on the disk"
}
