import DaemonTesting
import Foundation
import GRDB
import Statechart
import WorkflowStore

/// The rows of a database, read without the store's own code.
struct JournalFile {
    let machines: [MachineID: MachineRecord]
    let instances: [InstanceRecord]
    /// The rows in the order of positions.
    let journal: [JournalRecord]
    let snapshots: [SnapshotRecord]
    let nextPosition: Int64
    let integrity: String

    init(_ path: String) throws {
        let file = DatabaseFile(path)
        integrity = try file.integrityCheck()
        (machines, instances, journal, snapshots, nextPosition) = try file.read { database in
            let machines = try Row.fetchAll(database, sql: "SELECT * FROM machine").map(MachineRecord.init(row:))
            return (
                Dictionary(uniqueKeysWithValues: machines.map { ($0.id, $0) }),
                try Row.fetchAll(database, sql: "SELECT * FROM instance").map(InstanceRecord.init(row:)),
                try Row.fetchAll(database, sql: "SELECT * FROM journal ORDER BY position").map(
                    JournalRecord.init(row:)),
                try Row.fetchAll(database, sql: "SELECT * FROM snapshot").map(SnapshotRecord.init(row:)),
                try Int64.fetchOne(database, sql: "SELECT next_position FROM store") ?? 0
            )
        }
    }
}

extension Row {
    fileprivate func bytes(_ column: String) -> [UInt8] { Array(self[column] as Data) }

    fileprivate func digest() -> Digest { Digest(bytes: bytes("digest")) }

    fileprivate func state() -> SnapshotText {
        SnapshotText(
            configuration: self["configuration"], context: self["context"], memory: self["memory"],
            armed: self["armed"], output: self["output"])
    }

    fileprivate func status() throws -> InstanceStatus {
        guard let status = InstanceStatus(rawValue: self["status"]) else { throw TestingError("a strange status") }
        return status
    }
}

extension MachineRecord {
    fileprivate init(row: Row) {
        self.init(
            id: MachineID(rawValue: row["id"]), namespace: NamespaceID(rawValue: row["namespace_id"]),
            name: MachineName(rawValue: row["name"]), version: MachineVersion(rawValue: row["version"]),
            digest: row.digest(), semantics: row["semantics"], source: row["source"],
            created: Timestamp(rawValue: row["created_ms"]))
    }
}

extension InstanceRecord {
    fileprivate init(row: Row) throws {
        self.init(
            id: InstanceID(rawValue: row["id"]), uuid: UniqueID(bytes: row.bytes("uuid")),
            namespace: NamespaceID(rawValue: row["namespace_id"]), name: InstanceName(rawValue: row["name"]),
            machineID: MachineID(rawValue: row["machine_id"]), status: try row.status(),
            seq: Seq(rawValue: row["seq"]), head: Position(rawValue: row["head"]), state: row.state(),
            entered: Timestamp(rawValue: row["entered_ms"]), salt: Salt(bytes: row.bytes("salt")),
            digest: row.digest(), created: Timestamp(rawValue: row["created_ms"]),
            updated: Timestamp(rawValue: row["updated_ms"]))
    }
}

extension JournalRecord {
    fileprivate init(row: Row) throws {
        guard let kind = JournalKind(rawValue: row["kind"]) else { throw TestingError("a strange kind") }
        let previous: Int64? = row["previous"]
        let real: Int64? = row["real_ms"]
        let key: Data? = row["key"]
        let salt: Data? = row["salt"]
        // A digest stands in the place of erased data.
        let data: String? = salt?.isEmpty ?? false ? nil : row["data"]
        self.init(
            position: Position(rawValue: row["position"]), instanceID: InstanceID(rawValue: row["instance_id"]),
            machineID: MachineID(rawValue: row["machine_id"]), seq: Seq(rawValue: row["seq"]),
            previous: previous.map(Position.init), at: Timestamp(rawValue: row["at_ms"]),
            real: real.map(Timestamp.init), kind: kind, event: row["event"], data: data,
            from: row["from_state"], to: row["to_state"], actor: (row["actor"] as String?).map(Actor.init(rawValue:)),
            key: key.map(Array.init),
            note: row["note"], digest: row.digest())
    }
}

extension SnapshotRecord {
    fileprivate init(row: Row) throws {
        let salt: Data? = row["salt"]
        self.init(
            instanceID: InstanceID(rawValue: row["instance_id"]), seq: Seq(rawValue: row["seq"]),
            position: Position(rawValue: row["position"]), status: try row.status(), state: row.state(),
            salt: salt.map { Salt(bytes: Array($0)) }, digest: row.digest())
    }
}
