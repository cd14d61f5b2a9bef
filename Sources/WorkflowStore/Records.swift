package import Statechart

/// One version of a machine, as stored.
package struct MachineRecord: Sendable, Equatable {
    package var id: MachineID
    package var namespace: NamespaceID
    package var name: MachineName
    package var version: MachineVersion
    /// The digest of the source text.
    package var digest: Digest
    /// The engine's semantics number at the time of the apply.
    package var semantics: Int64
    /// The definition exactly as it was given.
    package var source: String
    package var created: Timestamp

    package init(
        id: MachineID, namespace: NamespaceID, name: MachineName, version: MachineVersion, digest: Digest,
        semantics: Int64, source: String, created: Timestamp
    ) {
        self.id = id
        self.namespace = namespace
        self.name = name
        self.version = version
        self.digest = digest
        self.semantics = semantics
        self.source = source
        self.created = created
    }
}

/// The status of an instance.
package enum InstanceStatus: String, Sendable, CaseIterable {
    case running, done, failed, suspended, cancelled
    /// The instance's rows are being deleted; no read shows the instance.
    case purging
}

/// The current state of an instance, as stored.
package struct InstanceRecord: Sendable, Equatable {
    package var id: InstanceID
    package var uuid: UniqueID
    package var namespace: NamespaceID
    package var name: InstanceName
    package var machineID: MachineID
    package var status: InstanceStatus
    package var seq: Seq
    /// The position of the instance's last journal row.
    package var head: Position
    /// The snapshot; each element of `armed` has the `position` of the row that armed it.
    package var state: SnapshotText
    /// Canonical JSON: the event on which the instance failed, and the reason; `nil` unless the status is `failed`.
    package var failure: String?
    /// The time of the last row that changed the configuration, or of the first row if none did.
    package var entered: Timestamp
    /// The salt from which the salts of the rows are derived.
    package var salt: Salt
    /// The first row whose salt is derived from `salt`; earlier rows keep theirs.
    package var saltFrom: Seq
    /// The digest of the row at `head`.
    package var digest: Digest
    package var created: Timestamp
    package var updated: Timestamp

    package init(
        id: InstanceID, uuid: UniqueID, namespace: NamespaceID, name: InstanceName, machineID: MachineID,
        status: InstanceStatus, seq: Seq, head: Position, state: SnapshotText, failure: String? = nil,
        entered: Timestamp, salt: Salt, saltFrom: Seq = Seq(rawValue: 1), digest: Digest, created: Timestamp,
        updated: Timestamp
    ) {
        self.id = id
        self.uuid = uuid
        self.namespace = namespace
        self.name = name
        self.machineID = machineID
        self.status = status
        self.seq = seq
        self.head = head
        self.state = state
        self.failure = failure
        self.entered = entered
        self.salt = salt
        self.saltFrom = saltFrom
        self.digest = digest
        self.created = created
        self.updated = updated
    }
}

extension MachineRecord {
    /// The key of the machine, whatever the version.
    package var key: MachineKey { MachineKey(name, in: namespace) }
}

extension InstanceRecord {
    /// The key of the instance.
    package var key: InstanceKey { InstanceKey(name, in: namespace) }

    /// The paths of the active leaves, in document order.
    package var leafPaths: [String] { SnapshotText.leafPaths(in: state.configuration) }
}

/// The kind of the input that a journal row records.
package typealias JournalKind = Input.Kind

/// One macrostep of one instance, as stored.
package struct JournalRecord: Sendable, Equatable {
    package var position: Position
    package var instanceID: InstanceID
    package var machineID: MachineID
    package var seq: Seq
    /// The position of the instance's previous row; `nil` for its first.
    package var previous: Position?
    /// The logical time.
    package var at: Timestamp
    /// The clock's time if it differs from `at`.
    package var real: Timestamp?
    package var kind: JournalKind
    package var event: String
    /// Canonical JSON; `nil` if the event had no data.
    package var data: String?
    /// The configuration before: paths of the active leaves, joined by commas; empty for the first row.
    package var from: String
    /// The configuration after, in the same form.
    package var to: String
    /// The caller of the command; `nil` if no command caused the row or the caller is unknown.
    package var actor: Actor?
    package var key: [UInt8]?
    /// Canonical JSON: the reason in a row of kind `failed`, without values of the instance's data.
    package var note: String?
    package var salt: RowSalt
    package var digest: Digest

    package init(
        position: Position, instanceID: InstanceID, machineID: MachineID, seq: Seq, previous: Position?,
        at: Timestamp, real: Timestamp?, kind: JournalKind, event: String, data: String?, from: String, to: String,
        actor: Actor?, key: [UInt8]?, note: String? = nil, salt: RowSalt = .derived, digest: Digest
    ) {
        self.position = position
        self.instanceID = instanceID
        self.machineID = machineID
        self.seq = seq
        self.previous = previous
        self.at = at
        self.real = real
        self.kind = kind
        self.event = event
        self.data = data
        self.from = from
        self.to = to
        self.actor = actor
        self.key = key
        self.note = note
        self.salt = salt
        self.digest = digest
    }
}

extension JournalRecord {
    /// True if the row's data, and everything else that its commitment covers, was erased.
    package var isRedacted: Bool {
        if case .redacted = salt { true } else { false }
    }
}

/// The complete state of an instance after one macrostep, kept at every 256th.
package struct SnapshotRecord: Sendable, Equatable {
    /// The interval of snapshots: one is written if the seq is a multiple of this number.
    package static let interval: Int64 = 256

    package var instanceID: InstanceID
    package var seq: Seq
    /// The position of the macrostep's journal row.
    package var position: Position
    package var status: InstanceStatus
    package var state: SnapshotText
    /// The salt; `nil` if the snapshot was emptied and only its digest is left.
    package var salt: Salt?
    /// The digest of the snapshot's data; the digest of the macrostep's row covers it.
    package var digest: Digest

    package init(
        instanceID: InstanceID, seq: Seq, position: Position, status: InstanceStatus, state: SnapshotText,
        salt: Salt?, digest: Digest
    ) {
        self.instanceID = instanceID
        self.seq = seq
        self.position = position
        self.status = status
        self.state = state
        self.salt = salt
        self.digest = digest
    }
}
