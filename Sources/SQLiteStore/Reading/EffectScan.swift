import GRDB
import WorkflowStore

/// A walk through the table of effects for one page, in the order of ids.
///
/// No index has that order for a queue or a state, so the walk passes rows that are not wanted. A page looks at a
/// bounded number of rows, and may be shorter than requested. The request follows the compared columns, and is read
/// only for a wanted row.
struct EffectScan: Sendable {
    private let namespace: NamespaceID
    private let query: EffectQuery
    private var rowsLeft: Int
    private var bytesLeft: Int
    /// The last id that was looked at.
    private var place: Position?

    /// The page so far.
    private(set) var page = EffectPage(effects: [], next: nil)
    private(set) var isDone: Bool

    init(_ query: EffectQuery, in namespace: NamespaceID, limits: StoreLimits) {
        self.namespace = namespace
        self.query = query
        rowsLeft = limits.pageRows
        bytesLeft = limits.pageBytes
        place = query.after
        isDone = query.limit < 1
    }

    /// Continues until the page is complete, or until its rows or the slice's budget are used up.
    mutating func step(_ database: Database, _ budget: inout SliceBudget) throws {
        guard try Table.effect.isThere(in: database) else {
            isDone = true
            return
        }
        var isWhole = true
        try database.forEachRow(
            """
            SELECT effect.id, queue, effect.state, namespace_id, instance.name, \(EffectRecord.columns.of("effect"))
            FROM effect NOT INDEXED LEFT JOIN instance ON instance.id = effect.instance_id
            WHERE effect.id > ? ORDER BY effect.id
            """, place?.rawValue ?? .min
        ) { row in
            try take(&row)
            isWhole = !isDone && budget.spend()
            return isWhole
        }
        if isWhole { isDone = true }
    }

    private mutating func take(_ row: inout StatementRow) throws {
        let (id, queue, state) = (try row.position(), try row.name(), try row.text())
        let isOwn = row.integer() == namespace.rawValue
        // An effect without its instance is not listed.
        let instance = InstanceName(rawValue: try row.text())
        let isWanted = isOwn && query.takes(queue: queue, state: state)
        if isWanted, page.effects.count == query.limit || bytesLeft <= 0 {
            // This row proves that there is a next page.
            page.next = place
            isDone = true
            return
        }
        place = id
        if isWanted {
            let effect = try EffectRecord(row: &row)
            page.effects.append(ListedEffect(effect: effect, instance: instance))
            bytesLeft -= effect.size
        }
        rowsLeft -= 1
        guard rowsLeft <= 0 else { return }
        page.next = place
        isDone = true
    }
}

extension EffectRecord {
    /// The approximate number of bytes that the record takes in memory.
    fileprivate var size: Int {
        512 + request.utf8.count + (progress?.utf8.count ?? 0) + (error?.utf8.count ?? 0) + (answer?.utf8.count ?? 0)
    }
}
