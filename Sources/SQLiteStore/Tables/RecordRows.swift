import Statechart
import WorkflowStore

// The columns of each table, in the order in which its records are bound and read.

extension MachineRecord {
    static let columns = "id, name, version, digest, semantics, source, created_ms, namespace_id"
    /// The place of `namespace_id` in `columns`.
    static let namespaceColumn: CInt = 7

    init(row: inout StatementRow) throws {
        // Proof: a namespace is compared, and nothing counts with it.
        let namespace = NamespaceID(rawValue: row.integer(at: Self.namespaceColumn))
        self.init(
            id: try row.machineID(), namespace: namespace, name: try row.machineName(), version: try row.version(),
            digest: try row.digest(), semantics: try row.ordinal(), source: try row.text(), created: try row.time())
        row.skip()
    }
}

extension InstanceRecord {
    static let columns = """
        id, uuid, name, machine_id, status, seq, head, configuration, context, memory, armed, output, failure,
        entered_ms, salt, salt_from, digest, created_ms, updated_ms,
        namespace_id
        """
    /// The place of `configuration` in `columns`.
    static let configurationColumn: CInt = 7
    /// The place of `armed` in `columns`.
    static let armedColumn: CInt = 10
    /// The place of `failure` in `columns`.
    static let failureColumn: CInt = 12
    /// The place of `entered_ms` in `columns`.
    static let enteredColumn: CInt = 13
    /// The place of `updated_ms` in `columns`.
    static let updatedColumn: CInt = 18
    /// The place of `namespace_id` in `columns`.
    static let namespaceColumn: CInt = 19

    init(row: inout StatementRow) throws {
        // Proof: a namespace is compared, and nothing counts with it.
        let namespace = NamespaceID(rawValue: row.integer(at: Self.namespaceColumn))
        self.init(
            id: try row.instanceID(), uuid: try row.uniqueID(), namespace: namespace, name: try row.instanceName(),
            machineID: try row.machineID(), status: try row.status(), seq: try row.seq(), head: try row.position(),
            state: try SnapshotText(row: &row), failure: try row.optionalText(), entered: try row.time(),
            salt: try row.salt(), saltFrom: try row.seq(),
            digest: try row.digest(), created: try row.time(), updated: try row.time())
        row.skip()
    }
}

extension JournalRecord {
    static let columns = """
        position, instance_id, machine_id, seq, previous, at_ms, real_ms, kind, event, data, from_state, to_state,
        actor, key, note, salt, digest
        """

    init(row: inout StatementRow) throws {
        let position = try row.position()
        var record = JournalRecord(
            position: position, instanceID: try row.instanceID(), machineID: try row.machineID(), seq: try row.seq(),
            previous: try row.previous(of: position), at: try row.time(), real: try row.optionalTime(),
            kind: try row.word(), event: try row.text(), data: try row.optionalText(), from: try row.text(),
            to: try row.text(), actor: try row.actor(), key: row.optionalBytes(), note: try row.optionalText(),
            digest: .zero)
        if let salt = row.optionalBytes() {
            guard let salt = RowSalt(stored: salt, data: &record.data) else { throw row.implausible }
            record.salt = salt
        }
        record.digest = try row.digest()
        self = record
    }

    /// What stands in its column `data`: of a redacted row its commitment, as JSON.
    var storedData: String? {
        if case .redacted(let commitment) = salt { "\"\(commitment.text)\"" } else { data }
    }
}

extension RowSalt {
    /// What a column that is not NULL says; nil when it cannot be. Of a redacted row it takes the data, which is its
    /// commitment.
    init?(stored bytes: [UInt8], data: inout String?) {
        switch bytes.count {
        case 16: self = .kept(Salt(bytes: bytes))
        case 0:
            guard let text = data, text.first == "\"", text.last == "\"", text.utf8.count == 66,
                let commitment = Digest(text: text.dropFirst().dropLast())
            else { return nil }
            self = .redacted(commitment: commitment)
            data = nil
        default: return nil
        }
    }

    /// What stands in the column.
    var stored: [UInt8]? {
        switch self {
        case .derived: nil
        case .kept(let salt): salt.bytes
        case .redacted: []
        }
    }
}

extension SnapshotRecord {
    static let columns = """
        instance_id, seq, position, status, configuration, context, memory, armed, output, salt, digest
        """

    init(row: inout StatementRow) throws {
        self.init(
            instanceID: try row.instanceID(), seq: try row.seq(), position: try row.position(),
            status: try row.status(), state: try SnapshotText(row: &row), salt: try row.optionalSalt(),
            digest: try row.digest())
    }
}

extension SnapshotText {
    fileprivate init(row: inout StatementRow) throws {
        self.init(
            configuration: try row.text(), context: try row.text(), memory: try row.text(), armed: try row.text(),
            output: try row.optionalText())
    }
}

extension TimerRecord {
    static let columns = "due_ms, position, ordinal, instance_id, event"

    init(row: inout StatementRow) throws {
        self.init(
            key: TimerKey(due: try row.time(), position: try row.position(), ordinal: try row.count()),
            instanceID: try row.instanceID(), event: try row.text())
    }
}

extension EffectRecord {
    private static let names = [
        "id", "instance_id", "seq", "number", "name", "queue", "state", "priority", "due_ms", "attempts", "earlier",
        "round", "lease", "worker", "progress", "error", "answer", "request",
    ]
    static let columns = names.joined(separator: ", ")

    /// `columns`, where another table has some of the same names.
    static func columns(of table: String) -> String { names.map { "\(table).\($0)" }.joined(separator: ", ") }

    init(row: inout StatementRow) throws {
        self.init(
            id: try row.position(), instanceID: try row.instanceID(), seq: try row.seq(),
            number: try row.optionalInteger(in: StoreNumbers.range), name: try row.text(), queue: try row.name(),
            state: try row.word(), priority: try row.integer(in: Self.priorities), due: try row.time(),
            attempts: try row.count(), earlier: try row.count(), round: try row.count(), lease: row.optionalBytes(),
            worker: try row.optionalText(), progress: try row.optionalText(), error: try row.optionalText(),
            answer: try row.optionalText(), request: try row.text())
    }
}

extension AttemptRecord {
    private static let names = [
        "effect", "attempt", "instance_id", "name", "begun_ms", "ended_ms", "outcome", "error",
    ]
    static let columns = names.joined(separator: ", ")

    /// `columns`, where another table has some of the same names.
    static func columns(of table: String) -> String { names.map { "\(table).\($0)" }.joined(separator: ", ") }

    init(row: inout StatementRow) throws {
        let (effect, attempt) = (try row.position(), try row.ordinal())
        self.init(
            instanceID: try row.instanceID(), effect: effect, name: try row.optionalText(), attempt: attempt,
            begun: try row.time(), ended: try row.time(), outcome: try row.text(), error: try row.optionalText())
    }
}
