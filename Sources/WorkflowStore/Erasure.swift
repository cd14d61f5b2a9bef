package import Statechart

/// What is erased of one instance, and how far that is.
///
/// The row of kind `redacted` is written first. Then the instance's rows are gone through from that row back to the
/// first, then those that came since: what is to go goes, and the others keep their salts. The instance's own salt is
/// renewed last. A daemon that was killed meanwhile goes on from here.
package struct ErasureRecord: Sendable, Equatable {
    /// The position of the row of kind `redacted`. Below 0: of a file that a backup has replaced, and not begun here.
    package var id: Int64
    /// `noInstance` where this store does not have it.
    package var instanceID: InstanceID
    package var uuid: UniqueID
    /// The rows that lose what they say.
    package var seqs: SeqSet
    /// The paths into the context that are emptied; nil for all of it.
    package var paths: [String]?
    /// The paths to erase in the data of those rows; empty when the rows are erased whole.
    package var dataPaths: [String] = []
    /// The name that the instance has since; nil when it has kept its own.
    package var name: InstanceName?
    /// When somebody first asked for it.
    package var at: Timestamp
    /// How far it is; nil when nothing is left to do, and of one that has not begun.
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

    /// Of an instance that was not in the backup: remembered for a restore of one that has it.
    package static let noInstance = InstanceID(rawValue: 0)

    /// Whether it comes from a file that a backup has replaced, and is to be begun.
    package var isOrdered: Bool { id < 0 && instanceID != Self.noInstance }
}

/// The way of an erasure through the rows of its instance.
package struct ErasureWalk: Sendable, Equatable {
    /// The seq of the row of kind `redacted`: only rows before it lose anything.
    package var seq: Seq
    /// The row to look at next; nil behind the last one of this way.
    package var next: Position?
    /// The seqs of this way, from its end to its beginning. Those below are done.
    package var bottom: Seq
    package var top: Seq

    package init(seq: Seq, next: Position?, bottom: Seq, top: Seq) {
        self.seq = seq
        self.next = next
        self.bottom = bottom
        self.top = top
    }
}

/// What a batch erases of rows that are there already, and what it keeps of others for it.
package struct BatchErasure: Sendable {
    /// Rows whose data becomes their commitment. Their notes go, and their text keys unless these are remembered.
    package var rows: [(position: Position, commitment: Digest)] = []
    /// Rows that keep their salts from now on.
    package var salts: [(position: Position, salt: Salt)] = []
    /// Snapshots that are emptied; some may not be there.
    package var snapshots: [(instance: InstanceID, seq: Seq)] = []
    /// Rows whose effects have ended; the errors of their attempts go.
    package var attempts: [(instance: InstanceID, row: Position)] = []
    /// Erasures that begin or go on, as they are afterwards.
    package var records: [ErasureRecord] = []
    /// Erasures that were ordered and have begun under another id.
    package var begun: [Int64] = []
    /// Of the instances that the batch changes, those whose name, salt or failure it changes too.
    package var instances: Set<InstanceID> = []

    package init() {}

    /// The same, and more; of an erasure only the last word counts.
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
