import GRDB

/// What the digests of the last rows depend on; instances and machines are read once.
struct TailReader {
    /// What is checked of an instance.
    struct Instance {
        let id: InstanceID
        let uuid: UniqueID
        let name: String
        let machineID: MachineID
        let status: InstanceStatus
        let seq: Seq
        let head: Position
        let configuration: String
        let digest: Digest
    }

    /// What a row's digest needs of its machine.
    struct Machine {
        let name: String
        let version: Int64
        let digest: Digest
        let semantics: Int64
    }

    /// What a row needs to know of the one before it.
    struct Link {
        let instanceID: InstanceID
        let seq: Seq
        let digest: Digest
    }

    private let database: Database
    private var instances: [InstanceID: Instance] = [:]
    private var machines: [MachineID: Machine] = [:]

    init(database: Database) {
        self.database = database
    }

    mutating func instance(_ id: InstanceID) throws -> Instance? {
        if let known = instances[id] { return known }
        var select = try PreparedStatement(
            database,
            """
            SELECT id, uuid, name, machine_id, status, seq, head, configuration, digest FROM instance WHERE id = ?
            """)
        select.bind(id.rawValue)
        let found = try select.first { row in
            Instance(
                id: InstanceID(rawValue: row.integer()), uuid: try row.uniqueID(), name: row.text(),
                machineID: MachineID(rawValue: row.integer()), status: try row.status(),
                seq: Seq(rawValue: row.integer()), head: Position(rawValue: row.integer()),
                configuration: row.text(), digest: try row.digest())
        }
        instances[id] = found
        return found
    }

    mutating func machine(_ id: MachineID) throws -> Machine? {
        if let known = machines[id] { return known }
        var select = try PreparedStatement(
            database, "SELECT name, version, digest, semantics FROM machine WHERE id = ?")
        select.bind(id.rawValue)
        let found = try select.first { row in
            Machine(name: row.text(), version: row.integer(), digest: try row.digest(), semantics: row.integer())
        }
        machines[id] = found
        return found
    }

    func link(_ position: Position) throws -> Link? {
        var select = try PreparedStatement(
            database, "SELECT instance_id, seq, digest FROM journal WHERE position = ?")
        select.bind(position.rawValue)
        return try select.first { row in
            Link(
                instanceID: InstanceID(rawValue: row.integer()), seq: Seq(rawValue: row.integer()),
                digest: try row.digest())
        }
    }

    /// The snapshot that was stored with a row, and whether its own digest and position fit.
    func snapshot(_ row: JournalRecord) throws -> (record: SnapshotRecord, isWhole: Bool)? {
        var select = try PreparedStatement(
            database, "SELECT \(SnapshotRecord.columns), digest FROM snapshot WHERE instance_id = ? AND seq = ?")
        select.bind(row.instanceID.rawValue)
        select.bind(row.seq.rawValue)
        return try select.first { columns in
            let record = try SnapshotRecord(row: &columns)
            let digest = try columns.digest()
            return (record, digest == Digest(snapshot: record) && record.position == row.position)
        }
    }
}
