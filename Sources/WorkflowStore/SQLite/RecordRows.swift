import Statechart

// The columns of each table, in the order in which its records are bound and read.

extension MachineRecord {
    static let columns = "id, name, version, digest, semantics, source, created_ms"

    init(row: inout StatementRow) throws {
        self.init(
            id: MachineID(rawValue: row.integer()), name: row.text(), version: try row.ordinal("a version"),
            digest: try row.digest(), semantics: row.integer(), source: row.text(), created: try row.time())
    }
}

extension InstanceRecord {
    static let columns = """
        id, uuid, name, machine_id, status, seq, head, configuration, context, memory, armed, output, armed_at,
        failure, digest, created_ms, updated_ms
        """
    /// The place of `configuration` in `columns`.
    static let configurationColumn: CInt = 7

    init(row: inout StatementRow) throws {
        self.init(
            id: InstanceID(rawValue: row.integer()), uuid: try row.uniqueID(), name: row.text(),
            machineID: MachineID(rawValue: row.integer()), status: try row.status(),
            seq: Seq(rawValue: try row.ordinal("a seq")), head: Position(rawValue: try row.ordinal("a position")),
            state: SnapshotText(row: &row), armedAt: try row.positions(), failure: row.optionalText(),
            digest: try row.digest(), created: try row.time(), updated: try row.time())
    }
}

extension JournalRecord {
    static let columns = """
        position, instance_id, machine_id, seq, previous, at_ms, real_ms, kind, event, data, from_state, to_state,
        actor, key, note, digest
        """

    init(row: inout StatementRow) throws {
        self.init(
            position: Position(rawValue: row.integer()), instanceID: InstanceID(rawValue: row.integer()),
            machineID: MachineID(rawValue: row.integer()), seq: Seq(rawValue: try row.ordinal("a seq")),
            previous: row.optionalInteger().map(Position.init), at: try row.time(),
            real: row.optionalInteger().map(Timestamp.init), kind: try row.kind(), event: row.text(),
            data: row.optionalText(), from: row.text(), to: row.text(), actor: row.optionalText(),
            key: row.optionalBytes(), note: row.optionalText(), digest: try row.digest())
    }
}

extension SnapshotRecord {
    static let columns = "instance_id, seq, position, status, configuration, context, memory, armed, output"

    init(row: inout StatementRow) throws {
        self.init(
            instanceID: InstanceID(rawValue: row.integer()), seq: Seq(rawValue: row.integer()),
            position: Position(rawValue: row.integer()), status: try row.status(), state: SnapshotText(row: &row))
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

    /// A JSON list of positions.
    fileprivate mutating func positions() throws(SQLiteFailure) -> [Position] {
        let text = text()
        if text == "[]" { return [] }
        guard text.hasPrefix("["), text.hasSuffix("]") else { throw .malformed("a list of positions") }
        var positions: [Position] = []
        for number in text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false) {
            guard let number = Int64(number) else { throw .malformed("a list of positions") }
            positions.append(Position(rawValue: number))
        }
        return positions
    }

    /// A number that counts on from 1: what is added to it cannot overflow.
    fileprivate mutating func ordinal(_ what: String) throws(SQLiteFailure) -> Int64 {
        let number = integer()
        guard StoreNumbers.range.contains(number) else { throw .malformed(what) }
        return number
    }

    fileprivate mutating func time() throws(SQLiteFailure) -> Timestamp {
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

extension [Position] {
    /// As it is stored: a JSON list.
    var listText: String { isEmpty ? "[]" : "[" + map { String($0.rawValue) }.joined(separator: ",") + "]" }
}
