import Statechart
import WorkflowStore

/// Reads a page of deletions and changes: two tables with positions of one order.
struct AuditScan: Sendable {
    let query: AuditQuery
    let namespace: NamespaceID
    let limits: ReadLimits

    func page(_ snapshot: Snapshot) throws -> AuditPage {
        let limit = min(query.limit, Int(limits.historyRows))
        let requests = tables.map { table in
            Request(table) {
                $0.add(before)
                $0.add(rows)
            }
        }
        let floor = try snapshot.read(requests) { answers in
            try answers.compactMap { answer in try answer.first { row in try row.position() } }.max()
        }
        var entries: [AuditEntry] = []
        if takesDeletions {
            let deletions: [AuditRecord] = try snapshot.all(Self.deletions) { add(to: &$0, floor, limit) }
            entries += deletions.map(AuditEntry.deletion)
        }
        if takesChanges {
            let changes: [ChangeRecord] = try snapshot.all(Self.changes) {
                add(to: &$0, floor, limit)
                $0.add(action?.rawValue)
            }
            entries += changes.map(AuditEntry.change)
        }
        entries.sort { $0.position > $1.position }
        if entries.count > limit { entries.removeLast(entries.count - limit) }
        return AuditPage(entries: entries, next: entries.count == limit ? entries.last?.position : floor)
    }

    private func add(to parameters: inout Parameters, _ floor: Position?, _ limit: Int) {
        for number in [before, floor?.rawValue ?? 0, namespace.rawValue, query.since?.rawValue ?? 0] {
            parameters.add(number)
        }
        parameters.add(query.actor?.rawValue)
        parameters.add(query.actorPrefix)
        parameters.add(Int64(limit))
    }

    private var before: Int64 { query.before?.rawValue ?? .max }
    /// The rows of a table that a page looks at.
    private var rows: Int64 { Int64(max(1, limits.pageRows / 2)) }
    private var takesDeletions: Bool { query.kind == nil || query.kind == .deletion }
    private var takesChanges: Bool { query.kind != .deletion }
    private var tables: [Statement] {
        (takesDeletions ? [Self.floor(of: "audit")] : []) + (takesChanges ? [Self.floor(of: "change")] : [])
    }

    private var action: ChangeAction? {
        if case .change(let action) = query.kind { action } else { nil }
    }

    /// Returns the statement that finds the position at which the scan of a table ends.
    private static func floor(of table: String) -> Statement {
        Statement(
            name: "\(table)-floor",
            sql: """
                SELECT position FROM \(table) WHERE position < $1::bigint ORDER BY position DESC
                LIMIT 1 OFFSET $2::bigint - 1
                """)
    }

    private static let condition = """
        WHERE position < $1::bigint AND position >= $2::bigint AND namespace_id = $3::bigint AND at_ms >= $4::bigint
            AND ($5::text IS NULL OR actor = $5::text OR starts_with(actor, $6::text))
        """

    private static let deletions = AuditRecord.columns.select(
        "list-deletions", "\(condition) ORDER BY position DESC LIMIT $7::bigint")

    private static let changes = ChangeRecord.columns.select(
        "list-changes",
        "\(condition) AND ($8::text IS NULL OR action = $8::text) ORDER BY position DESC LIMIT $7::bigint")
}
