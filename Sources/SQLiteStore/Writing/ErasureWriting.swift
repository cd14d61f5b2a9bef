import GRDB
import Statechart
import WorkflowJSON
package import WorkflowStore

// What a batch erases.

extension BatchWriting {
    /// - Parameter floor: Text keys of redacted rows before are remembered no more, and go.
    func erase(_ erasure: BatchErasure, keysBelow floor: Position, _ database: Database) throws {
        if erasure.isEmpty { return }
        try keep(erasure.salts, database)
        try redact(erasure.rows, keysBelow: floor, database)
        try empty(snapshots: erasure.snapshots, database)
        try empty(attempts: erasure.attempts, database)
        var remove = try PreparedStatement(database, "DELETE FROM erasure WHERE id = ?")
        for id in erasure.begun {
            remove.bind(id)
            try remove.run()
        }
        for record in erasure.records { try write(record, database) }
    }

    private func keep(_ salts: [(position: Position, salt: Salt)], _ database: Database) throws {
        var keep = try PreparedStatement(
            database, "UPDATE journal SET salt = ? WHERE position = ? AND salt IS NULL", values: values)
        for (position, salt) in salts {
            keep.bind(salt)
            keep.bind(position.rawValue)
            try keep.run()
            try require(keep, "a row that is to keep its salt")
        }
    }

    private func redact(
        _ rows: [(position: Position, commitment: Digest)], keysBelow floor: Position, _ database: Database
    ) throws {
        var redact = try PreparedStatement(
            database,
            """
            UPDATE journal SET salt = x'', data = ?1, note = NULL,
                key = CASE WHEN length(key) = 16 OR position >= ?2 THEN key END
            WHERE position = ?3 AND (salt IS NULL OR length(salt) = 16)
            """, values: values)
        for (position, commitment) in rows {
            redact.bind("\"\(commitment.text)\"")
            redact.bind(floor.rawValue)
            redact.bind(position.rawValue)
            try redact.run()
            try require(redact, "a row that is to be redacted")
        }
    }

    /// The key of a redacted row is remembered no more.
    func forgetText(at position: Position, _ database: Database) throws {
        var forget = try PreparedStatement(database, "UPDATE journal SET key = NULL WHERE position = ?")
        forget.bind(position.rawValue)
        try forget.run()
    }

    private func empty(snapshots: [(instance: InstanceID, seq: Seq)], _ database: Database) throws {
        var empty = try PreparedStatement(
            database,
            """
            UPDATE snapshot SET context = '{}', memory = '{}', armed = '[]', output = NULL, salt = NULL
            WHERE instance_id = ? AND seq = ?
            """)
        for (instance, seq) in snapshots {
            empty.bind(instance.rawValue)
            empty.bind(seq.rawValue)
            try empty.run()
        }
    }

    /// A row at p has its effects at p + 1, p + 2, …, and no journal row stands there.
    private func empty(attempts: [(instance: InstanceID, row: Position)], _ database: Database) throws {
        var empty = try PreparedStatement(
            database,
            """
            UPDATE attempt SET error = NULL WHERE error IS NOT NULL AND effect > ?1 AND instance_id = ?2 AND effect <
                coalesce((SELECT min(position) FROM journal WHERE position > ?1), 9223372036854775807)
            """)
        for (instance, row) in attempts {
            empty.bind(row.rawValue)
            empty.bind(instance.rawValue)
            try empty.run()
        }
    }

    func write(_ record: ErasureRecord, _ database: Database) throws {
        var insert = try PreparedStatement(
            database,
            "INSERT OR REPLACE INTO erasure (\(ErasureRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values: values)
        insert.bind(record.id)
        insert.bind(record.instanceID.rawValue)
        insert.bind(record.uuid)
        insert.bind(record.seqs.text)
        insert.bind(record.pathsText)
        insert.bind(record.name?.rawValue)
        insert.bind(record.at.rawValue)
        insert.bind(record.walk?.seq.rawValue)
        insert.bind(record.walk?.next?.rawValue)
        insert.bind(record.walk?.bottom.rawValue)
        insert.bind(record.walk?.top.rawValue)
        try insert.run()
    }

    /// Writes what else than its state changes of an instance; its state is written.
    func updateNamed(_ instances: [InstanceRecord], _ database: Database) throws {
        var update = try PreparedStatement(
            database, "UPDATE instance SET name = ?, salt = ?, salt_from = ?, failure = ? WHERE id = ?",
            values: values)
        for instance in instances {
            update.bind(instance.name.rawValue)
            update.bind(instance.salt)
            update.bind(instance.saltFrom.rawValue)
            update.bind(instance.failure)
            update.bind(instance.id.rawValue)
            try update.run()
        }
    }

    private func require(_ statement: PreparedStatement, _ what: String) throws {
        guard statement.changes == 1 else { throw StoreError(.constraint, "Cannot write: \(what) is not there") }
    }
}

extension ErasureRecord {
    private static let names = [
        "id", "instance_id", "uuid", "seqs", "paths", "name", "at_ms", "seq", "next", "bottom", "top",
    ]
    static let columns = names.joined(separator: ", ")

    /// `columns`, where another table has some of the same names.
    static func columns(of table: String) -> String { names.map { "\(table).\($0)" }.joined(separator: ", ") }

    init(row: inout StatementRow) throws {
        let last = StoreNumbers.range.upperBound
        let (id, instance) = (try row.integer(in: -last...last), InstanceID(rawValue: try row.count()))
        let uuid = try row.uniqueID()
        let text = try row.text()
        guard let seqs = text.isEmpty ? SeqSet() : SeqSet(text) else { throw row.implausible }
        var (paths, dataPaths): ([String]?, [String]) = (nil, [])
        if let text = try row.optionalText() {
            guard let found = Self.paths(text) else { throw row.implausible }
            (paths, dataPaths) = found
        }
        self.init(
            id: id, instanceID: instance, uuid: uuid, seqs: seqs, paths: paths,
            name: try row.optionalText().map(InstanceName.init(rawValue:)), at: try row.time())
        self.dataPaths = dataPaths
        let (seq, next, bottom, top) = (
            try row.optionalSeq(), try row.optionalPosition(), try row.optionalSeq(), try row.optionalSeq()
        )
        guard let seq else { return }
        // A way that does not say its end never ends.
        guard let bottom, let top else { throw row.implausible }
        walk = ErasureWalk(seq: seq, next: next, bottom: bottom, top: top)
    }

    /// JSON: a list of paths into the context, or an object of two lists, `context` and `data`.
    fileprivate var pathsText: String? {
        func list(_ paths: [String]) -> JSONValue { .array(paths.map(JSONValue.string)) }
        guard let paths else { return nil }
        if dataPaths.isEmpty { return JSONWriter.string(list(paths)) }
        return JSONWriter.string(JSONValue.object(["context": list(paths), "data": list(dataPaths)]))
    }

    /// Reads a text that `pathsText` made; nil for any other text.
    private static func paths(_ text: String) -> (context: [String], data: [String])? {
        // A text that is no JSON is no list either.
        guard let value = try? JSONReader.value(from: text) else { return nil }
        if let object = value.object {
            guard object.count == 2, let context = list(object["context"]), let data = list(object["data"]),
                !data.isEmpty
            else { return nil }
            return (context, data)
        }
        return list(value).map { ($0, []) }
    }

    /// Reads a list of texts; nil when the value is no such list.
    private static func list(_ value: JSONValue?) -> [String]? {
        guard case .array(let values)? = value else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }
}

extension ErasureRecord {
    /// The same in every copy of it.
    var mark: [String] { [uuid.text, "\(at.rawValue)", seqs.text] + dataPaths }
}

/// Reading erasures.
enum ErasureQueries {
    /// Whether the schema has them: a file that is only read may be of an earlier one.
    static func isThere(in database: Database) throws -> Bool {
        try PreparedStatement.number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'erasure'") > 0
    }

    static func open(_ database: Database, of instance: InstanceID) throws -> ErasureRecord? {
        var select = try PreparedStatement(
            database,
            """
            SELECT \(ErasureRecord.columns) FROM erasure WHERE instance_id = ? AND seq IS NOT NULL ORDER BY id LIMIT 1
            """)
        select.bind(instance.rawValue)
        return try select.first { row in try ErasureRecord(row: &row) }
    }

    static func all(_ database: Database, after id: Int64?, limit: Int) throws -> [ErasureRecord] {
        guard try isThere(in: database) else { return [] }
        var select = try PreparedStatement(
            database, "SELECT \(ErasureRecord.columns) FROM erasure WHERE id > ? ORDER BY id LIMIT ?")
        select.bind(id ?? .min)
        select.bind(Int64(limit))
        var found: [ErasureRecord] = []
        try select.forEachRow { row in
            found.append(try ErasureRecord(row: &row))
            return true
        }
        return found
    }
}

extension SQLiteReading {
    package func erasures(after id: Int64?, limit: Int) async throws(StoreError) -> [ErasureRecord] {
        try await readers.slice { database, _ in try ErasureQueries.all(database, after: id, limit: limit) }
    }
}
