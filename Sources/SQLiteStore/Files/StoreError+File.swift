import GRDBSQLite
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Errors of work on a whole file: opening, creating, upgrading, reading. A full or failing disk may be well again
/// after a restart (`unavailable`); everything else stays as it is (`cannotOpen`).
extension StoreError {
    /// An error while a file was read.
    init(reading path: String, _ error: any Error) {
        if let error = error as? StoreError {
            self = error
            return
        }
        let failure = SQLiteFailure(error)
        self.init(failure.isCorrupt ? .corrupt : .unavailable, "Cannot read '\(path)': \(failure)")
    }

    /// An error while a file was opened.
    init(opening file: StoreFile, _ error: any Error) {
        if let error = error as? StoreError {
            self = error
            return
        }
        self.init("Cannot open '\(file.given)'", SQLiteFailure(error), on: file)
    }

    /// An error of SQLite.
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

    /// An error of a system call.
    ///
    /// - Parameters:
    ///   - beginning: The message up to the reason, such as `Cannot open 'wfd.db': `.
    ///   - code: Its `errno`.
    init(_ beginning: String, _ code: CInt) {
        switch code {
        case ENOSPC, EDQUOT: self.init(.unavailable, beginning + Self.noRoom)
        case EIO: self.init(.unavailable, beginning + String(cString: strerror(code)))
        default: self.init(.cannotOpen, beginning + String(cString: strerror(code)))
        }
    }

    private static let noRoom = "no room on the disk"
}
