import GRDB
import WorkflowStore

extension Restoration: TableRow {
    static let columns = Columns(
        of: "restoration",
        blank: Restoration(generation: 1, parent: 0, next: Position(rawValue: 0), restored: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("generation", row.generation) { $0.generation = try $1.integer(in: StoreRow.generations) }
        // A parent is older than its child, so following parents ends.
        try column("parent", row.parent) { $0.parent = try $1.integer(in: 0...$0.generation - 1) }
        try column("next_position", row.next) { $0.next = try $1.position() }
        try column("restored_ms", row.restored) { $0.restored = try $1.time() }
    }
}

extension Lineage {
    /// Reads the lineage from a store's file.
    static func read(_ database: Database, generation: Int64) throws -> Lineage {
        Lineage(try Restoration.all(database, "ORDER BY generation"), generation: generation)
    }
}
