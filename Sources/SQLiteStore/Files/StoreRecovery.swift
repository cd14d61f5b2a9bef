package import WorkflowStore

/// The findings and actions of opening a store, for the log.
package struct StoreRecovery: Sendable, Equatable, CustomStringConvertible {
    /// True if the file did not exist before.
    package var wasCreated = false
    /// True if the last daemon stopped in order, or if the file is new.
    package var wasClean = true
    /// The size of the write-ahead log that the last daemon left; `nil` if it left none. The size includes an end that
    /// a crash tore, whose data was never reported as committed.
    package var logBytesFound: Int64?
    /// The break in the log; `nil` if the log does not continue after the place where SQLite ends it.
    package var logBreak: LogBreak?
    /// True if the log was missing and the file has all of its pages: another program moved them there.
    package var logWasMoved = false
    /// The schema version that the file had; the present version for a new file.
    package var openedVersion: Int64 = 0
    /// The schema version that the file has now.
    package var schemaVersion: Int64 = 0
    /// The paths of the copies that upgrades have kept beside the file.
    package var copiesBeforeUpgrades: [String] = []
    /// The difference between the file's place and the place where its effects were last allowed to start; `nil` if
    /// there is none. While there is a difference, effects are held.
    package var placeChange: PlaceChange?
    /// The reason why effects are held, and since when; `nil` if effects start.
    package var holdReason: String?
    /// The number of journal rows whose digests were checked.
    package var rowsChecked = 0

    /// A summary, such as `closed in order, schema 1, 12 rows checked`.
    package var description: String {
        if wasCreated { return "created, schema \(schemaVersion)" }
        let stop = wasClean ? "closed in order" : "not closed in order"
        let log = logBytesFound.map { ", a log of \($0) bytes" } ?? ""
        let moved = logWasMoved ? ", its log moved into it by another program" : ""
        let upgrade = openedVersion == schemaVersion ? "" : " (was \(openedVersion))"
        return "\(stop)\(log)\(moved), schema \(schemaVersion)\(upgrade), \(rowsChecked) rows checked"
    }
}

/// A break in a write-ahead log: SQLite ends the log at the first frame that is not as it was written, but the log
/// continues.
package struct LogBreak: Sendable, Equatable, CustomStringConvertible {
    /// The number of frames up to the last commit that SQLite sees.
    package var used: Int
    /// The number of frames up to the last commit in the log.
    package var found: Int
    /// True if answered events are certainly lost: two successive commits follow the break. A commit begins only when
    /// the commit before is flushed. A single commit may be an unanswered transaction of a power failure or a full
    /// disk.
    package var isProof: Bool
    /// The path of a copy of the log; `nil` if there is no copy.
    package var copy: String?

    package init(used: Int, found: Int, isProof: Bool, copy: String? = nil) {
        self.used = used
        self.found = found
        self.isProof = isProof
        self.copy = copy
    }

    /// The message for the operator.
    package var description: String {
        guard isProof else { return finding }
        let kept = copy.map { "the log as it was is '\($0)'" } ?? "there was no room to keep the log as it was"
        return "\(finding): restore a backup, or go on without them; \(kept)"
    }

    /// The finding, without the action that followed.
    package var finding: String {
        "the write-ahead log has \(found) frames up to its last commit, and \(used) of them could be used; "
            + (isProof ? "it was damaged, and answered events are lost" : doubt)
    }

    private var doubt: String {
        "after a power failure or on a full disk nobody was answered what the others hold, else the log was damaged "
            + "and answered events are lost"
    }
}
