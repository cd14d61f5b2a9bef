import GRDB
import WorkflowStore

/// A table that repeats or supplements data of other tables, as `verify` walks through it.
struct Table: Sendable {
    /// The order of the table's rows.
    let order: KeyOrder
    /// The first schema that has the table.
    private let schema: Int64
    /// `SELECT … FROM …`, with the columns of the order first.
    private let rows: String
    /// The table's alias in `rows`; `nil` if `rows` uses the table's own name.
    private let alias: String?
    /// True if counting starts anew with this table.
    let isFirstCounted: Bool
    /// Inspects a row and returns its inconsistency.
    let look: @Sendable (inout StatementRow, inout TableInspection) throws -> Inconsistency?
    /// Inspects the counts after the last row.
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

    /// The tables that `verify` walks through, in this order.
    static let all = [
        snapshot, timer, effect, attempt, key, setting, erasure, run, runNames, queue, instance, purge, audit, change,
        tally,
    ]

    /// Returns false for a file of an earlier schema, which is only read.
    func isThere(in database: Database) throws -> Bool {
        try schema == 1 || PreparedStatement.number(database, "PRAGMA user_version") >= schema
    }

    /// Returns the statement that selects the rows in their order, all of them or those after a place.
    func rows(after place: Bool) -> String {
        let key = order.columns.map { column in alias.map { "\($0).\(column)" } ?? column }
        let list = key.joined(separator: ", ")
        let condition = place ? "WHERE (\(list)) > (\(key.map { _ in "?" }.joined(separator: ", ")))" : ""
        return "\(rows) \(condition) ORDER BY \(list)"
    }
}

/// The inspection of one slice of a table.
struct TableInspection {
    let database: Database
    let store: StoreRow
    /// The store's ledger of keys when the table was begun.
    let ledger: KeyLedger
    var counts: Counts
    var slice = InspectedCopies()
    /// False after a row that is out of order.
    var isInOrder = true

    /// Counts that are collected in one table and compared in another.
    struct Counts: Sendable {
        /// The number of keys so far.
        var keys: Int64 = 0
        /// The counts of instances per state.
        var tally = TallyInspection()
        /// The deleted instances, and those with rows left to delete.
        var purges = PurgeInspection()
        /// The numbers of instances that exist or were deleted.
        var deletions = DeletionInspection()
        /// The changes so far.
        var changes = ChangeInspection()
        /// The erasures of instances that do not exist.
        var erasures = ErasureInspection()

        /// The store's next position when the counting began. If the next position has changed, the counts prove
        /// nothing.
        private var ground: Position?
        /// False if something could not be counted.
        private(set) var isWhole = true

        /// Notes the state of the store; called with each slice.
        mutating func see(_ store: StoreRow, _ database: Database) throws {
            if let ground, ground != store.nextPosition { isWhole = false }
            ground = store.nextPosition
            try purges.see(store.nextPosition, database)
        }

        /// Notes that some rows of a table were not seen or could not be read.
        mutating func leaveOut(_ table: Table) {
            isWhole = false
            if table.order.table == Table.audit.order.table { erasures = ErasureInspection() }
        }
    }
}
