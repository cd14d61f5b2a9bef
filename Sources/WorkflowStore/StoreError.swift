/// Why the store could not do something.
package struct StoreError: Error, CustomStringConvertible {
    /// What the caller must do about it.
    package enum Code: String, Sendable {
        /// The file is not one of ours, or of a newer schema; it was not touched.
        case foreignFile = "foreign-file"
        case newerSchema = "newer-schema"
        /// Its schema is that of no release.
        case olderBuild = "older-build"
        /// Its times are of another clock.
        case otherClock = "other-clock"
        /// It was written to at a later time than the machine's clock shows.
        case clockBehind = "clock-behind"
        /// Another daemon holds the file.
        case locked
        /// A check at start found that the file does not hold what was written.
        case damaged
        /// A setting did not take, or the file cannot be opened or created.
        case cannotOpen = "cannot-open"
        /// Nothing was changed; it may work later (a full disk, an I/O error before COMMIT).
        case unavailable
        /// A constraint failed, nothing was changed: a row of the batch is at fault.
        case constraint
        /// COMMIT or a checkpoint failed: what it wrote may be there or not. Nothing more may be written.
        case outcomeUnknown = "outcome-unknown"
        /// Another process took the store over (the epoch changed).
        case fenced
        /// SQLite found the file corrupt. Nothing more may be written; reading may work.
        case corrupt
        /// The store has no such ability.
        case unsupported
        /// The store is closed.
        case closed
    }

    package let code: Code
    /// What failed, on which thing, why, what to do. Holds no data of instances.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
