import GRDB
import WorkflowStore

/// The values that the digests of the last rows depend on; each instance and machine is read once.
struct TailReader {
    /// The checked values of an instance.
    struct Instance {
        let id: InstanceID
        let name: InstanceName
        /// The values of the instance that digests cover.
        let chain: ChainInstance
        let machineID: MachineID
        let status: InstanceStatus
        let seq: Seq
        let head: Position
        let configuration: String
        let digest: Digest
    }

    /// The values of a row that the row after it needs.
    struct Link {
        let instanceID: InstanceID
        let seq: Seq
        let digest: Digest
    }

    private let database: Database
    private var instances: [InstanceID: Instance] = [:]
    private var machines: [MachineID: ChainMachine] = [:]
    var buffer = DigestBuffer()

    init(database: Database) {
        self.database = database
    }

    mutating func instance(_ id: InstanceID) throws -> Instance? {
        if let known = instances[id] { return known }
        let found = try database.first(
            """
            SELECT id, uuid, name, machine_id, status, seq, head, configuration, salt, digest,
                CASE status WHEN 'purging' THEN context END
            FROM instance WHERE id = ?
            """, id
        ) { row in
            let (id, uuid, name) = (try row.instanceID(), try row.uniqueID(), try row.instanceName())
            let (machine, status, seq) = (try row.machineID(), try row.status(), try row.seq())
            let (head, configuration, salt) = (try row.position(), try row.text(), try row.salt())
            let digest = try row.digest()
            let chainName = try row.optionalText().map(InstanceRecord.chainName(ofPurging:)) ?? name
            return Instance(
                id: id, name: name, chain: ChainInstance(uuid: uuid, name: chainName, salt: salt), machineID: machine,
                status: status, seq: seq, head: head, configuration: configuration, digest: digest)
        }
        instances[id] = found
        return found
    }

    mutating func machine(_ id: MachineID) throws -> ChainMachine? {
        if let known = machines[id] { return known }
        let found = try database.first(
            "SELECT name, version, digest, semantics FROM machine WHERE id = ?", id
        ) { row in
            ChainMachine(
                name: try row.machineName(), version: try row.version(), digest: try row.digest(),
                semantics: try row.ordinal())
        }
        machines[id] = found
        return found
    }

    func link(_ position: Position) throws -> Link? {
        return try database.first(
            "SELECT instance_id, seq, digest FROM journal WHERE position = ?", position
        ) { row in
            Link(instanceID: try row.instanceID(), seq: try row.seq(), digest: try row.digest())
        }
    }

    /// Returns the snapshot that was stored with a row.
    func snapshot(_ row: JournalRecord) throws -> SnapshotRecord? {
        try SnapshotRecord.first(database, "WHERE instance_id = ? AND seq = ?", row.instanceID, row.seq)
    }

    /// Returns true if a snapshot's own digest and position fit.
    mutating func isWhole(_ snapshot: SnapshotRecord, at row: JournalRecord) -> Bool {
        snapshot.position == row.position && buffer.digest(snapshot: snapshot) ?? snapshot.digest == snapshot.digest
    }
}
