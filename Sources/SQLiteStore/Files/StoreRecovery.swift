package import WorkflowStore

/// What opening a store found and did, for the log.
package struct StoreRecovery: Sendable, Equatable, CustomStringConvertible {
    /// The file did not exist before.
    package var wasCreated = false
    /// The daemon before stopped in order; true for a new file.
    package var wasClean = true
    /// The size of the write-ahead log that the last daemon left behind; nil when it left none. An end that a crash
    /// tore off, which nobody was told to be there, counts too.
    package var logBytesFound: Int64?
    /// The log goes on behind the place where SQLite ends it.
    package var logBreak: LogBreak?
    /// There was no log any more, and all that was in it is in the file: another program moved it there.
    package var logWasMoved = false
    /// The schema version that the file had; the present one for a new file.
    package var openedVersion: Int64 = 0
    /// The schema version that the file has now.
    package var schemaVersion: Int64 = 0
    /// The difference between the file's place and the one where its effects were last let start; nil when there is
    /// none. While there is one, effects are held.
    package var placeChange: PlaceChange?
    /// The reason why effects are held, and since when; nil when they start.
    package var holdReason: String?
    /// Journal rows whose digests were checked.
    package var rowsChecked = 0

    /// Such as `closed in order, schema 1, 12 rows checked`.
    package var description: String {
        if wasCreated { return "created, schema \(schemaVersion)" }
        let stop = wasClean ? "closed in order" : "not closed in order"
        let log = logBytesFound.map { ", a log of \($0) bytes" } ?? ""
        let moved = logWasMoved ? ", its log moved into it by another program" : ""
        let upgrade = openedVersion == schemaVersion ? "" : " (was \(openedVersion))"
        return "\(stop)\(log)\(moved), schema \(schemaVersion)\(upgrade), \(rowsChecked) rows checked"
    }
}

/// A write-ahead log that goes on behind the place where SQLite ends it: the first frame that is not what was written.
package struct LogBreak: Sendable, Equatable, CustomStringConvertible {
    /// Frames up to the last commit that SQLite sees.
    package var used: Int
    /// Frames up to the last commit that stands in the log.
    package var found: Int
    /// Whether answered events are lost for certain: behind the break stand two commits, one upon the other, and a
    /// commit is begun only when the one before is flushed. A single one can be a transaction that nobody was answered,
    /// of a power failure or a full disk.
    package var isProof: Bool
    /// A copy of the log; nil when there is none.
    package var copy: String?

    package init(used: Int, found: Int, isProof: Bool, copy: String? = nil) {
        self.used = used
        self.found = found
        self.isProof = isProof
        self.copy = copy
    }

    /// What to tell the operator.
    package var description: String {
        guard isProof else { return finding }
        let kept = copy.map { "the log as it was is '\($0)'" } ?? "there was no room to keep the log as it was"
        return "\(finding): restore a backup, or go on without them; \(kept)"
    }

    /// What there is, without what was done about it.
    package var finding: String {
        "the write-ahead log has \(found) frames up to its last commit, and \(used) of them could be used; "
            + (isProof ? "it was damaged, and answered events are lost" : doubt)
    }

    private var doubt: String {
        "after a power failure or on a full disk nobody was answered what the others hold, else the log was damaged "
            + "and answered events are lost"
    }
}
