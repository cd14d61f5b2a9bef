/// The failure of a store operation.
package struct StoreError: Error, CustomStringConvertible {
    /// The kind of the failure, by which the caller decides what to do.
    package enum Code: String, Sendable {
        /// The file is not a database of wfd, or has a newer schema (`newerSchema`); it was not touched.
        case foreignFile = "foreign-file"
        case newerSchema = "newer-schema"
        /// The file's schema belongs to no release.
        case olderBuild = "older-build"
        /// The file's times belong to another clock.
        case otherClock = "other-clock"
        /// The store was written at a later time than the machine's clock shows.
        case clockBehind = "clock-behind"
        /// Another daemon holds the file.
        case locked
        /// A check at start found that the file differs from what was written.
        case damaged
        /// A setting did not take effect, or the file cannot be opened or created.
        case cannotOpen = "cannot-open"
        /// Nothing was changed; a retry may work later (a full disk, an I/O error before COMMIT).
        case unavailable
        /// A constraint failed because of a row of the batch; nothing was changed.
        case constraint
        /// COMMIT or a checkpoint failed; its writes may or may not be on disk. Nothing more may be written.
        case outcomeUnknown = "outcome-unknown"
        /// Another process took over the store (the epoch changed).
        case fenced
        /// SQLite found the file corrupt. Nothing more may be written; reading may work.
        case corrupt
        /// The store does not have the ability.
        case unsupported
        /// The store is closed.
        case closed
    }

    package let code: Code
    /// The failed operation, its object, the reason and the remedy. Contains no data of instances.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
