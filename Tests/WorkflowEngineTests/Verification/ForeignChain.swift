import Crypto
import Foundation
import GRDB

/// The digests of a database as described in docs/digests.md, computed without the store's code.
struct ForeignChain {
    private let rows: [Row]
    private let snapshots: [Row]

    init(_ database: Database) throws {
        rows = try Row.fetchAll(
            database,
            sql: """
                SELECT journal.*, machine.name AS machine, machine.version, machine.digest AS source, machine.semantics,
                    instance.uuid, instance.name, instance.salt AS secret, snapshot.digest AS snapshot
                FROM journal JOIN machine ON machine.id = journal.machine_id
                JOIN instance ON instance.id = journal.instance_id
                LEFT JOIN snapshot ON snapshot.instance_id = journal.instance_id AND snapshot.seq = journal.seq
                ORDER BY journal.instance_id, journal.seq
                """)
        snapshots = try Row.fetchAll(
            database,
            sql: """
                SELECT snapshot.*, instance.salt AS secret FROM snapshot
                JOIN instance ON instance.id = snapshot.instance_id
                """)
    }

    /// The kinds of rows that were computed.
    var kinds: Set<String> { Set(rows.map { $0["kind"] }) }

    /// Returns the rows and snapshots with a different digest.
    func mistakes() -> [String] {
        var mistakes: [String] = []
        var previous: Row?
        for row in rows {
            let isFirst = row["seq"] as Int64 == 1
            let before = isFirst ? nil : previous?["digest"] as Data?
            if digest(of: row, after: before) != row["digest"] {
                mistakes.append("\(row["name"] as String) \(row["seq"] as Int64) \(row["kind"] as String)")
            }
            previous = row
        }
        for row in snapshots {
            guard let salt = row["salt"] as Data? else { continue }
            var fields = ForeignFields()
            fields.add(Data([2]))
            fields.add(salt)
            for column in ["status", "configuration", "context", "memory", "armed", "output"] {
                fields.add(row[column] as String?)
            }
            if fields.hash != row["digest"] { mistakes.append("snapshot") }
        }
        return mistakes
    }

    /// True if the snapshots' salts are derived from their instances' salts.
    var derivesItsSnapshots: Bool {
        snapshots.allSatisfy { row in
            var fields = ForeignFields()
            fields.add(row["secret"] as Data)
            fields.add(row["seq"] as Int64)
            fields.add("snapshot")
            return fields.hash.prefix(16) == row["salt"]
        }
    }

    private func digest(of row: Row, after previous: Data?) -> Data {
        let kind: String = row["kind"]
        let key: Data? = row["key"]
        var fields = ForeignFields()
        fields.add(Data([2]))
        fields.add(previous)
        fields.add(row["uuid"] as Data)
        fields.add(row["seq"] as Int64)
        fields.add(row["at_ms"] as Int64)
        fields.add(row["real_ms"] as Int64?)
        fields.add(kind)
        fields.add(row["source"] as Data)
        if kind == "started" || kind == "migrated" {
            fields.add(row["machine"] as String)
            fields.add(row["version"] as Int64)
        }
        fields.add(row["semantics"] as Int64)
        for column in ["event", "from_state", "to_state"] { fields.add(row[column] as String) }
        fields.add(Self.commitment(of: row))
        fields.add(key?.count == 16 ? key : nil)
        fields.add(row["actor"] as String?)
        fields.add(row["snapshot"] as Data?)
        return fields.hash
    }

    /// Returns the commitment of a row that `init` read.
    private static func commitment(of row: Row) -> Data? {
        let kept: Data? = row["salt"]
        if let kept, kept.isEmpty {
            let digits = (row["data"] as String).utf8.dropFirst().dropLast().map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) }
            return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
        }
        let key = (row["key"] as Data?).flatMap { $0.count == 16 ? nil : $0 }
        let name = row["kind"] as String == "started" ? row["name"] as String : nil
        let (data, note) = (row["data"] as String?, row["note"] as String?)
        if data == nil, note == nil, key == nil, name == nil { return nil }
        var fields = ForeignFields()
        fields.add(kept ?? salt(of: row))
        fields.add(data)
        fields.add(note)
        fields.add(key)
        fields.add(name)
        return fields.hash
    }

    private static func salt(of row: Row) -> Data {
        var fields = ForeignFields()
        fields.add(row["secret"] as Data)
        fields.add(row["seq"] as Int64)
        return fields.hash.prefix(16)
    }
}

extension ForeignChain {
    /// Returns the SQL that redacts rows of an instance as the engine does: salts are kept, and the rows lose their
    /// content. The SQL leaves out the row and the erasure that record it, and the instance's new salt.
    func redacting(_ seqs: Set<Int64>, of name: String) -> String {
        var sql = ""
        let rows = rows.filter { $0["name"] == name }
        for row in rows {
            guard let commitment = Self.commitment(of: row) else { continue }
            let place = "WHERE position = \(row["position"] as Int64);"
            if !seqs.contains(row["seq"]) {
                sql += "UPDATE journal SET salt = X'\(Self.salt(of: row).hex)' \(place)"
                continue
            }
            sql += "UPDATE journal SET salt = X'', data = '\"\(commitment.hex)\"', note = NULL, "
            sql += "key = CASE length(key) WHEN 16 THEN key END \(place)"
            // A text key is not remembered any more.
            sql += "UPDATE store SET dedupe_count = dedupe_count - (SELECT count(*) FROM dedupe \(place.dropLast()));"
            sql += "DELETE FROM dedupe \(place)"
        }
        return sql
    }
}

/// The fields in the form in which they are hashed.
private struct ForeignFields {
    private var bytes = Data()

    var hash: Data { Data(SHA256.hash(data: bytes)) }

    mutating func add(_ field: Data?) {
        let length = field.map { UInt32($0.count) } ?? 0xFFFF_FFFF
        bytes.append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) })
        bytes.append(field ?? Data())
    }

    mutating func add(_ text: String?) { add(text.map { Data($0.utf8) }) }

    mutating func add(_ number: Int64?) {
        add(number.map { number in Data((0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }) })
    }
}

extension Data {
    fileprivate var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
