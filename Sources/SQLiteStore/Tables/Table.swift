import GRDB
import WorkflowStore

/// A table that only repeats what others say, or adds to it, as `verify` goes through it.
struct Table: Sendable {
    /// The order of its rows.
    let order: KeyOrder
    /// The first schema that has it.
    private let schema: Int64
    /// `SELECT … FROM …`, the columns of the order first.
    private let rows: String
    /// Its name in `rows`; nil where it has its own.
    private let alias: String?
    /// True where counting begins anew.
    let isFirstCounted: Bool
    /// Looks at a row; returns what is wrong with it.
    let look: @Sendable (inout StatementRow, inout TableInspection) throws -> Inconsistency?
    /// Looks at what was counted, behind the last row.
    let end: @Sendable (inout TableInspection) -> Void

    init(
        _ name: String, key: [String], since schema: Int64 = 1, rows: String, as alias: String? = nil,
        isFirstCounted: Bool = false, end: @escaping @Sendable (inout TableInspection) -> Void = { _ in },
        look: @escaping @Sendable (inout StatementRow, inout TableInspection) throws -> Inconsistency?
    ) {
        order = KeyOrder(table: name, index: nil, columns: key, unique: key.count)
        self.schema = schema
        self.rows = rows
        self.alias = alias
        self.isFirstCounted = isFirstCounted
        self.look = look
        self.end = end
    }

    /// Those that are gone through, one after another.
    static let all = [
        snapshot, timer, effect, attempt, key, setting, erasure, run, runNames, queue, instance, purge, audit, tally,
    ]

    /// False for a file of an earlier schema, which is only read.
    func isThere(in database: Database) throws -> Bool {
        try schema == 1 || PreparedStatement.number(database, "PRAGMA user_version") >= schema
    }

    /// The rows in their order, from behind a place on.
    func rows(after place: Bool) -> String {
        let key = order.columns.map { column in alias.map { "\($0).\(column)" } ?? column }
        let list = key.joined(separator: ", ")
        let condition = place ? "WHERE (\(list)) > (\(key.map { _ in "?" }.joined(separator: ", ")))" : ""
        return "\(rows) \(condition) ORDER BY \(list)"
    }
}

/// One slice of a table, being looked at.
struct TableInspection {
    let database: Database
    let store: StoreRow
    /// What the store said of its keys when the table was begun.
    let ledger: KeyLedger
    var counts: Counts
    var slice = InspectedCopies()
    /// False after a row that cannot stand where it stands.
    var isInOrder = true

    /// What is counted in one table and compared in another.
    struct Counts: Sendable {
        /// The keys so far.
        var keys: Int64 = 0
        /// What was counted of instances.
        var tally = TallyInspection()
        /// Instances that are deleted, and those of which something is left to delete.
        var purges = PurgeInspection()
        /// The numbers of instances that are there or were deleted.
        var deletions = DeletionInspection()
        /// What was erased of instances that are not there.
        var erasures = ErasureInspection()

        /// Where the store stood when the counting began: with another place at its end the counts say nothing.
        private var ground: Position?
        /// False where something could not be counted.
        private(set) var isWhole = true

        /// To be called with each slice.
        mutating func see(_ store: StoreRow, _ database: Database) throws {
            if let ground, ground != store.nextPosition { isWhole = false }
            ground = store.nextPosition
            try purges.see(store.nextPosition, database)
        }

        /// Not all rows of a table are seen, or one cannot be read.
        mutating func leaveOut(_ table: Table) {
            isWhole = false
            if table.order.table == Table.audit.order.table { erasures = ErasureInspection() }
        }
    }
}
