import Statechart

/// The record of a deleted instance.
package struct AuditRecord: Sendable, Equatable {
    /// The position in the order of deletions; no journal row has it.
    package var position: Position
    package var instanceID: InstanceID
    package var uuid: UniqueID
    package var namespace: NamespaceID
    /// The last machine version of the instance; `noMachine` if this store does not have the version.
    package var machineID: MachineID
    /// The number of its journal rows.
    package var rows: Int64
    /// The digest of the last of these rows.
    package var digest: Digest
    /// The clock's time, not before that of any earlier row.
    package var at: Timestamp
    /// The caller who deleted the instance; `nil` if unknown.
    package var actor: Actor?
    package var reason: String?
    /// The digest by which a repeated request finds the deletion; `nil` if the request had no key.
    package var key: Digest?

    /// The machine id of a deletion that a restore copied, if the backup is older than the machine version.
    package static let noMachine = MachineID(rawValue: 0)
}

extension AuditRecord {
    package init(
        position: Position, of instance: InstanceRecord, at: Timestamp, by actor: Actor?, reason: String?, key: Digest?
    ) {
        self.init(
            position: position, instanceID: instance.id, uuid: instance.uuid, namespace: instance.namespace,
            machineID: instance.machineID, rows: instance.seq.rawValue, digest: instance.digest, at: at, actor: actor,
            reason: reason, key: key)
    }
}

extension InstanceRecord {
    /// The instance between its deletion and the deletion of its last row. The name is free, and the instance receives
    /// no input. The digest of the first row covers the name, so the context holds the name until that row is emptied.
    package var purging: InstanceRecord {
        var record = self
        record.status = .purging
        record.name = Self.purgedName(of: id)
        record.state = SnapshotText(configuration: "", context: "\"\(name.rawValue)\"", memory: "{}")
        record.failure = nil
        return record
    }

    /// Returns the name of a deleted instance, which no caller can choose.
    package static func purgedName(of id: InstanceID) -> InstanceName { InstanceName(rawValue: "!\(id.rawValue)") }

    /// The name that the digest of the first row covers.
    package var chainName: InstanceName {
        status == .purging ? Self.chainName(ofPurging: state.context) : name
    }

    /// Returns the name that the digest of a deleted instance's first row covers, read from its context.
    package static func chainName(ofPurging context: String) -> InstanceName {
        InstanceName(rawValue: context.filter { $0 != "\"" })
    }

    /// True if the record has the form that a deletion leaves.
    package var isWholePurge: Bool {
        status == .purging && name == Self.purgedName(of: id) && state.configuration.isEmpty
            && state.memory == "{}" && state.armed == "[]" && state.output == nil && failure == nil
    }
}

/// A limit on the deleted data that one batch removes.
package struct SweepOrder: Sendable, Equatable {
    /// The number of journal rows or pages.
    package var rows: Int
    /// The longest time that the removal takes.
    package var time: Duration

    package init(rows: Int, time: Duration) {
        self.rows = rows
        self.time = time
    }
}

/// The remains of deleted instances.
package struct PurgeBacklog: Sendable, Equatable {
    /// The number of instances with rows to delete now.
    package var instances: Int64 = 0
    /// The number of these rows.
    package var rows: Int64 = 0
    /// The number of instances whose emptied first row waits until its key is forgotten.
    package var waiting: Int64 = 0
    /// The first of the waiting rows; `nil` if there is none.
    package var firstWaiting: Position?
    /// The position below which the keys of rows are forgotten.
    package var floor: Position
    /// The number of free pages to return to the file system after all rows are deleted.
    package var freePages: Int64 = 0

    package init(floor: Position) {
        self.floor = floor
    }

    /// Adds the counts of another partition.
    package mutating func count(_ other: PurgeBacklog) {
        instances += other.instances
        rows += other.rows
        waiting += other.waiting
        freePages += other.freePages
    }

    /// True if there is something to delete now.
    package var hasRows: Bool { instances > 0 || firstWaiting.map { $0 < floor } ?? false }

    /// True if there is something to delete or to return now.
    package var isDue: Bool { hasRows || freePages > 0 }
}
