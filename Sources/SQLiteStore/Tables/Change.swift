import GRDB
import Statechart
import WorkflowStore

extension ChangeRecord: TableRow {
    static let columns = Columns(
        of: "change",
        blank: ChangeRecord(
            position: Position(rawValue: 0), namespace: NamespaceID(rawValue: 0), at: Timestamp(rawValue: 0), by: nil,
            .apply))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("position", row.position) { $0.position = try $1.position() }
        try column("namespace_id", row.namespace) { $0.namespace = try $1.namespaceID() }
        try column("at_ms", row.at) { $0.at = try $1.time() }
        try column("actor", row.actor) { $0.actor = try $1.actor() }
        try column("action", row.action) { $0.action = try $1.word() }
        try column("object", row.object) { $0.object = try $1.optionalText() }
        try column("version", row.version) { $0.version = try $1.optionalVersion() }
        try column("number", row.number) { $0.number = try $1.optionalInteger(in: ChangeRecord.numbers) }
        try column("detail", row.detail) { $0.detail = try $1.optionalText() }
        try column("reason", row.reason) { $0.reason = try $1.optionalText() }
    }
}

extension Table {
    /// The table of changes that belong to no instance's history.
    static let change = Table(
        "change", key: ["rowid"], since: 9,
        rows: """
            SELECT \(ChangeRecord.columns.of("c")), c.namespace_id IN (SELECT id FROM namespace),
                EXISTS (
                    SELECT 1 FROM machine m WHERE m.namespace_id = c.namespace_id AND m.name = c.object
                    AND m.version = coalesce(c.version, m.version)),
                NOT EXISTS (SELECT 1 FROM journal j WHERE j.position = c.position)
                    AND NOT EXISTS (SELECT 1 FROM effect e WHERE e.id = c.position)
                    AND NOT EXISTS (SELECT 1 FROM audit a WHERE a.position = c.position)
            FROM change c
            """, as: "c"
    ) { row, inspection in try inspection.counts.changes.inconsistency(of: &row, inspection.store) }
}

/// Compares the recorded changes with each other and with the rest of the store.
struct ChangeInspection: Sendable {
    private var last: (position: Position, at: Timestamp)?
    private var lastNumber: Int64?

    /// Returns the inconsistency of a row; `nil` if there is none.
    mutating func inconsistency(of row: inout StatementRow, _ store: StoreRow) throws -> Inconsistency? {
        let change = try ChangeRecord(row: &row)
        let (isOfNamespace, isOfMachine, isAlone) = (row.integer() == 1, row.integer() == 1, row.integer() == 1)
        let (before, numberBefore) = (last, lastNumber)
        last = (change.position, change.at)
        lastNumber = change.number ?? lastNumber
        func wrong(_ what: String) -> Inconsistency { Inconsistency(position: change.position, what) }
        if !change.isPlausible {
            return wrong("a change does not have the values of its action '\(change.action.rawValue)'")
        }
        if !isOfNamespace { return wrong("a change names a namespace that is not there") }
        if change.action.isOfMachine, !isOfMachine {
            return wrong("a change names a machine or a version that is not there")
        }
        if !isAlone { return wrong("a change has the position of another row") }
        if let number = change.number, let numberBefore, number <= numberBefore {
            return wrong("a change of tokens has a number that is not above the one before")
        }
        // An accepted clock starts anew, so its first time may precede earlier times.
        let isTimed = before.map { $0.at <= change.at || $0.position < store.keys.begin.position } ?? true
        return isTimed ? nil : wrong("a change's time lies before the one before")
    }
}

/// Reads recorded changes.
enum ChangeQueries {
    /// Returns the latest change.
    static func last(_ database: Database) throws -> ChangeRecord? {
        try Table.change.isThere(in: database) ? ChangeRecord.first(database, "ORDER BY position DESC LIMIT 1") : nil
    }

    /// Returns the position of the latest change, whatever the rest of its row contains.
    static func lastPosition(_ database: Database) throws -> Position? {
        guard try Table.change.isThere(in: database) else { return nil }
        let positions = StoreNumbers.range
        let last = try PreparedStatement.number(
            database, "SELECT coalesce(max(position), 0) FROM change WHERE position <= \(positions.upperBound)")
        return positions.contains(last) ? Position(rawValue: last) : nil
    }

    /// Returns the number of the latest change of tokens, which is the highest.
    static func lastNumber(_ database: Database) throws -> Int64? {
        try ChangeRecord.first(database, "WHERE action = ? ORDER BY position DESC LIMIT 1", ChangeAction.token)?.number
    }
}
