package import Statechart

/// The erasure of an instance's data, and its progress.
///
/// wfd writes the row of kind `redacted` first. Then wfd goes through the instance's rows from that row back to the
/// first, and then through newer rows. Selected data is erased; the other rows keep their salts. The instance's own
/// salt is renewed last. A restarted daemon continues here.
package struct ErasureRecord: Sendable, Equatable {
    /// The position of the row of kind `redacted`. A number below 0 belongs to a file that a backup has replaced; the
    /// erasure has not begun here.
    package var id: Int64
    /// The instance; `noInstance` if this store does not have it.
    package var instanceID: InstanceID
    package var uuid: UniqueID
    /// The rows that lose their data.
    package var seqs: SeqSet
    /// The paths in the context that are emptied; `nil` for the whole context.
    package var paths: [String]?
    /// The paths to erase in the data of those rows; empty if the rows are erased whole.
    package var dataPaths: [String] = []
    /// The new name of the instance; `nil` if the instance has kept its own.
    package var name: InstanceName?
    /// The time of the first request.
    package var at: Timestamp
    /// The progress; `nil` if nothing is left to do or the erasure has not begun.
    package var walk: ErasureWalk?

    package init(
        id: Int64, instanceID: InstanceID, uuid: UniqueID, seqs: SeqSet, paths: [String]?, name: InstanceName?,
        at: Timestamp, walk: ErasureWalk? = nil
    ) {
        self.id = id
        self.instanceID = instanceID
        self.uuid = uuid
        self.seqs = seqs
        self.paths = paths
        self.name = name
        self.at = at
        self.walk = walk
    }

    /// The id for an instance that was not in the backup. The store remembers its erasure for the restore of a backup
    /// that has the instance.
    package static let noInstance = InstanceID(rawValue: 0)

    /// True if the erasure comes from a file that a backup has replaced, and must begin.
    package var isOrdered: Bool { id < 0 && instanceID != Self.noInstance }
}

/// The progress of an erasure through the rows of its instance.
package struct ErasureWalk: Sendable, Equatable {
    /// The seq of the row of kind `redacted`; only earlier rows lose data.
    package var seq: Seq
    /// The row to read next; `nil` after the last row of this pass.
    package var next: Position?
    /// The last seq of this pass, which goes from `top` down to `bottom`. Rows below `bottom` are done.
    package var bottom: Seq
    package var top: Seq

    package init(seq: Seq, next: Position?, bottom: Seq, top: Seq) {
        self.seq = seq
        self.next = next
        self.bottom = bottom
        self.top = top
    }
}

/// The data that a batch erases from earlier rows, and the salts that it stores in others for this purpose.
package struct BatchErasure: Sendable {
    /// The rows whose data is replaced by their commitment. Their notes are erased, and their text keys unless these
    /// are remembered.
    package var rows: [(position: Position, commitment: Digest)] = []
    /// The rows that keep their salts from now on.
    package var salts: [(position: Position, salt: Salt)] = []
    /// The snapshots that are emptied; some may not exist.
    package var snapshots: [(instance: InstanceID, seq: Seq)] = []
    /// The rows whose effects have ended; the errors of their attempts are erased.
    package var attempts: [(instance: InstanceID, row: Position)] = []
    /// The erasures that begin or continue, in their state after the batch.
    package var records: [ErasureRecord] = []
    /// The ordered erasures that have begun under another id.
    package var begun: [Int64] = []
    /// The changed instances of this batch whose name, salt or failure changes too.
    package var instances: Set<InstanceID> = []

    package init() {}

    /// Adds another erasure; of two records of one erasure, only the last counts.
    package mutating func add(_ more: BatchErasure) {
        rows += more.rows
        salts += more.salts
        snapshots += more.snapshots
        attempts += more.attempts
        begun += more.begun
        let ids = Set(more.records.map(\.id))
        records.removeAll { ids.contains($0.id) }
        records += more.records
        instances.formUnion(more.instances)
    }

    package var isEmpty: Bool {
        rows.isEmpty && salts.isEmpty && snapshots.isEmpty && attempts.isEmpty && records.isEmpty && begun.isEmpty
            && instances.isEmpty
    }
}
