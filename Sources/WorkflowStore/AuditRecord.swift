import Statechart

/// What stays of an instance that was deleted.
package struct AuditRecord: Sendable, Equatable {
    /// Orders deletions; no journal row has it.
    package var position: Position
    package var instanceID: InstanceID
    package var uuid: UniqueID
    package var namespace: NamespaceID
    /// The version that the instance ran last; `noMachine` when this store does not have it.
    package var machineID: MachineID
    /// How many journal rows it had.
    package var rows: Int64
    /// Of the last of these rows.
    package var digest: Digest
    /// The clock's time; never less than that of any row before.
    package var at: Timestamp
    /// Whose command it was; nil where nobody is known.
    package var actor: Actor?
    package var reason: String?
    /// What finds it when the same is asked again; nil where it was asked without a key.
    package var key: Digest?

    /// The id in a deletion that a restore copied, when the backup is older than the machine version.
    package static let noMachine = MachineID(rawValue: 0)

    package init(
        position: Position, of instance: InstanceRecord, at: Timestamp, by actor: Actor?, reason: String?, key: Digest?
    ) {
        self.init(
            position: position, instanceID: instance.id, uuid: instance.uuid, namespace: instance.namespace,
            machineID: instance.machineID, rows: instance.seq.rawValue, digest: instance.digest, at: at, actor: actor,
            reason: reason, key: key)
    }

    package init(
        position: Position, instanceID: InstanceID, uuid: UniqueID, namespace: NamespaceID, machineID: MachineID,
        rows: Int64, digest: Digest, at: Timestamp, actor: Actor?, reason: String?, key: Digest?
    ) {
        self.position = position
        self.instanceID = instanceID
        self.uuid = uuid
        self.namespace = namespace
        self.machineID = machineID
        self.rows = rows
        self.digest = digest
        self.at = at
        self.actor = actor
        self.reason = reason
        self.key = key
    }
}

extension InstanceRecord {
    /// The same from its deletion on, until its last row is gone: its name is free, and nothing comes to it. The digest
    /// of its first row covers its name, so that stands in its context until that row is emptied.
    package var purging: InstanceRecord {
        var record = self
        record.status = .purging
        record.name = Self.purgedName(of: id)
        record.state = SnapshotText(configuration: "", context: "\"\(name.rawValue)\"", memory: "{}")
        record.failure = nil
        return record
    }

    /// The name of an instance that is deleted, which no caller can give.
    package static func purgedName(of id: InstanceID) -> InstanceName { InstanceName(rawValue: "!\(id.rawValue)") }

    /// The name that the digest of its first row covers.
    package var chainName: InstanceName {
        status == .purging ? Self.chainName(ofPurging: state.context) : name
    }

    /// The same of one that is deleted, as its context says it.
    package static func chainName(ofPurging context: String) -> InstanceName {
        InstanceName(rawValue: context.filter { $0 != "\"" })
    }

    /// Whether it is what a deletion leaves.
    package var isWholePurge: Bool {
        status == .purging && name == Self.purgedName(of: id) && state.configuration.isEmpty
            && state.memory == "{}" && state.armed == "[]" && state.output == nil && failure == nil
    }
}

/// How much of what is deleted one batch takes away.
package struct SweepOrder: Sendable, Equatable {
    /// The number of journal rows or pages.
    package var rows: Int
    /// For which it goes on.
    package var time: Duration

    package init(rows: Int, time: Duration) {
        self.rows = rows
        self.time = time
    }
}

/// What is left of instances that are deleted.
package struct PurgeBacklog: Sendable, Equatable {
    /// Instances with rows that are to be deleted now.
    package var instances: Int64 = 0
    /// These rows.
    package var rows: Int64 = 0
    /// Instances of which the emptied first row waits until its key is forgotten.
    package var waiting: Int64 = 0
    /// The first of these rows; nil without one.
    package var firstWaiting: Position?
    /// Keys of rows before are forgotten.
    package var floor: Position
    /// The number of free pages to give back to the file system, after all rows are deleted.
    package var freePages: Int64 = 0

    package init(floor: Position) {
        self.floor = floor
    }

    /// True when there is something to delete now.
    package var hasRows: Bool { instances > 0 || firstWaiting.map { $0 < floor } ?? false }

    /// True when there is something to delete, or to give back, now.
    package var isDue: Bool { hasRows || freePages > 0 }
}
