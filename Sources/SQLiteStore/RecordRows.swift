import Statechart
import WorkflowStore

// The columns of each table, in the order in which its records are bound and read.

extension MachineRecord {
    static let columns = "id, name, version, digest, semantics, source, created_ms, namespace_id"
    /// The place of `namespace_id` in `columns`.
    static let namespaceColumn: CInt = 7

    init(row: inout StatementRow) throws {
        let namespace = NamespaceID(rawValue: row.integer(at: Self.namespaceColumn))
        self.init(
            id: MachineID(rawValue: row.integer()), namespace: namespace, name: MachineName(rawValue: row.text()),
            version: MachineVersion(rawValue: try row.ordinal("a version")), digest: try row.digest(),
            semantics: row.integer(), source: row.text(), created: try row.time())
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
    /// The place of `failure` in `columns`.
    static let failureColumn: CInt = 12
    /// The place of `entered_ms` in `columns`.
    static let enteredColumn: CInt = 13
    /// The place of `updated_ms` in `columns`.
    static let updatedColumn: CInt = 18
    /// The place of `namespace_id` in `columns`.
    static let namespaceColumn: CInt = 19

    init(row: inout StatementRow) throws {
        let namespace = NamespaceID(rawValue: row.integer(at: Self.namespaceColumn))
        self.init(
            id: InstanceID(rawValue: row.integer()), uuid: try row.uniqueID(), namespace: namespace,
            name: InstanceName(rawValue: row.text()),
            machineID: MachineID(rawValue: row.integer()), status: try row.status(),
            seq: Seq(rawValue: try row.ordinal("a seq")), head: Position(rawValue: try row.ordinal("a position")),
            state: SnapshotText(row: &row), failure: row.optionalText(), entered: try row.time(),
            salt: try row.salt(), saltFrom: Seq(rawValue: try row.ordinal("a seq")),
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
        var record = JournalRecord(
            position: Position(rawValue: row.integer()), instanceID: InstanceID(rawValue: row.integer()),
            machineID: MachineID(rawValue: row.integer()), seq: Seq(rawValue: try row.ordinal("a seq")),
            previous: row.optionalInteger().map(Position.init), at: try row.time(),
            real: row.optionalInteger().map(Timestamp.init), kind: try row.kind(), event: row.text(),
            data: row.optionalText(), from: row.text(), to: row.text(),
            actor: row.optionalText().map(Actor.init(rawValue:)),
            key: row.optionalBytes(), note: row.optionalText(), digest: .zero)
        if let salt = row.optionalBytes() {
            guard let salt = RowSalt(stored: salt, data: &record.data) else { throw SQLiteFailure.malformed("a salt") }
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
            instanceID: InstanceID(rawValue: row.integer()), seq: Seq(rawValue: row.integer()),
            position: Position(rawValue: row.integer()), status: try row.status(), state: SnapshotText(row: &row),
            salt: try row.optionalSalt(), digest: try row.digest())
    }
}

extension SnapshotText {
    fileprivate init(row: inout StatementRow) {
        self.init(
            configuration: row.text(), context: row.text(), memory: row.text(), armed: row.text(),
            output: row.optionalText())
    }
}

extension StatementRow {
    mutating func status() throws(SQLiteFailure) -> InstanceStatus {
        guard let status = InstanceStatus(rawValue: text()) else { throw .malformed("a status") }
        return status
    }

    /// A number that counts on from 1: what is added to it cannot overflow.
    mutating func ordinal(_ what: String) throws(SQLiteFailure) -> Int64 {
        let number = integer()
        guard StoreNumbers.range.contains(number) else { throw .malformed(what) }
        return number
    }

    mutating func time() throws(SQLiteFailure) -> Timestamp {
        let number = integer()
        guard Timestamp.range.contains(number) else { throw .malformed("a time") }
        return Timestamp(rawValue: number)
    }

    fileprivate mutating func kind() throws(SQLiteFailure) -> JournalKind {
        guard let kind = JournalKind(rawValue: text()) else { throw .malformed("a kind") }
        return kind
    }
}

extension TimerRecord {
    static let columns = "due_ms, position, ordinal, instance_id, event"

    init(row: inout StatementRow) {
        self.init(
            key: TimerKey(
                due: Timestamp(rawValue: row.integer()), position: Position(rawValue: row.integer()),
                ordinal: row.integer()), instanceID: InstanceID(rawValue: row.integer()), event: row.text())
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
            id: Position(rawValue: try row.ordinal("a position")), instanceID: InstanceID(rawValue: row.integer()),
            seq: Seq(rawValue: try row.ordinal("a seq")), number: row.optionalInteger(), name: row.text(),
            queue: row.text(), state: try row.effectState(), priority: try row.priority(), due: try row.time(),
            attempts: try row.count("a number of attempts"),
            earlier: try row.count("a number of attempts"), round: try row.count("a round"),
            lease: row.optionalBytes(), worker: row.optionalText(), progress: row.optionalText(),
            error: row.optionalText(), answer: row.optionalText(), request: row.text())
    }
}

extension AttemptRecord {
    static let columns = "effect, attempt, instance_id, name, begun_ms, ended_ms, outcome, error"

    init(row: inout StatementRow) {
        let (effect, attempt) = (Position(rawValue: row.integer()), row.integer())
        self.init(
            instanceID: InstanceID(rawValue: row.integer()), effect: effect, name: row.optionalText(), attempt: attempt,
            begun: Timestamp(rawValue: row.integer()), ended: Timestamp(rawValue: row.integer()),
            outcome: row.text(), error: row.optionalText())
    }
}

extension StatementRow {
    fileprivate mutating func effectState() throws(SQLiteFailure) -> EffectState {
        guard let state = EffectState(rawValue: text()) else { throw .malformed("a state") }
        return state
    }

    fileprivate mutating func priority() throws(SQLiteFailure) -> Int64 {
        let number = integer()
        guard EffectRecord.priorities.contains(number) else { throw .malformed("a priority") }
        return number
    }

    /// A number that counts on from 0: what is added to it cannot overflow.
    fileprivate mutating func count(_ what: String) throws(SQLiteFailure) -> Int64 {
        let number = integer()
        guard number == 0 || StoreNumbers.range.contains(number) else { throw .malformed(what) }
        return number
    }
}
