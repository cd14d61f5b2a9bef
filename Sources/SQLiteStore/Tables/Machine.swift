import GRDB
import Statechart
import WorkflowStore

extension MachineRecord: TableRow {
    static let columns = Columns(
        of: "machine",
        blank: MachineRecord(
            id: MachineID(rawValue: 0), namespace: NamespaceID(rawValue: 0), name: "", version: 0, digest: .zero,
            semantics: 0, source: "", created: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("id", row.id) { $0.id = try $1.machineID() }
        try column("name", row.name) { $0.name = try $1.machineName() }
        try column("version", row.version) { $0.version = try $1.version() }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
        try column("semantics", row.semantics) { $0.semantics = try $1.ordinal() }
        try column("source", row.source) { $0.source = try $1.text() }
        try column("created_ms", row.created) { $0.created = try $1.time() }
        try column("namespace_id", row.namespace) { $0.namespace = $1.anyNamespaceID() }
    }

    /// Inserts rows, each with the seal over its columns.
    static func insertSealed(
        _ machines: [MachineRecord], _ database: Database, values: BoundValues? = nil
    ) throws {
        guard !machines.isEmpty else { return }
        let places = columns.names.map { _ in "?" }.joined(separator: ", ")
        let insert = try PreparedStatement(
            database, "INSERT INTO machine (\(columns), seal) VALUES (\(places), ?)", values: values)
        var binder = ColumnBinder<MachineRecord>(statement: insert)
        for machine in machines {
            describe(machine, &binder)
            binder.statement.bind(Digest(sealing: machine))
            try binder.statement.run()
        }
    }

    /// The indices of columns that are compared before a row is read, from 0.
    static let places = (name: columns.place(of: "name"), namespace: columns.place(of: "namespace_id"))
}
