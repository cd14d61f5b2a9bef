import GRDB
import Statechart
package import WorkflowStore

extension SQLiteReading {
    package func audits(_ query: AuditQuery, in namespace: NamespaceID) async throws(StoreError) -> AuditPage {
        let scan = AuditScan(query: query, namespace: namespace, limits: limits)
        return try await readers.slice { database, _ in try scan.page(database) }
    }
}

/// Reads a page of deletions and changes: two tables with positions of one order.
private struct AuditScan {
    let query: AuditQuery
    let namespace: NamespaceID
    let limits: StoreLimits

    func page(_ database: Database) throws -> AuditPage {
        let limit = min(query.limit, limits.historyRows)
        let readsDeletions = try takesDeletions && Table.audit.isThere(in: database)
        let readsChanges = try takesChanges && Table.change.isThere(in: database)
        var floor: Int64 = 0
        if readsDeletions { floor = try self.floor(of: "audit", database) }
        if readsChanges { floor = max(floor, try self.floor(of: "change", database)) }
        var entries: [AuditEntry] = []
        if readsDeletions {
            entries += try AuditRecord.all(
                database, "\(Self.condition) ORDER BY position DESC LIMIT ?6", before, floor, namespace, since,
                query.actor, limit, query.actorPrefix
            ).map(AuditEntry.deletion)
        }
        if readsChanges {
            entries += try ChangeRecord.all(
                database, "\(Self.condition) AND (?8 IS NULL OR action = ?8) ORDER BY position DESC LIMIT ?6", before,
                floor, namespace, since, query.actor, limit, query.actorPrefix, action
            ).map(AuditEntry.change)
        }
        entries.sort { $0.position > $1.position }
        if entries.count > limit { entries.removeLast(entries.count - limit) }
        let end = floor > 0 ? Position(rawValue: floor) : nil
        return AuditPage(entries: entries, next: entries.count == limit ? entries.last?.position : end)
    }

    private static let condition = """
        WHERE position < ?1 AND position >= ?2 AND namespace_id = ?3 AND at_ms >= ?4
          AND (?5 IS NULL OR actor = ?5 OR substr(actor, 1, length(?7)) = ?7)
        """

    private var before: Int64 { query.before?.rawValue ?? .max }
    private var since: Int64 { query.since?.rawValue ?? 0 }
    private var takesDeletions: Bool { query.kind == nil || query.kind == .deletion }
    private var takesChanges: Bool { query.kind != .deletion }

    private var action: ChangeAction? {
        if case .change(let action) = query.kind { action } else { nil }
    }

    /// Returns the position at which the scan of a table ends; 0 if it reaches the table's end.
    private func floor(of table: String, _ database: Database) throws -> Int64 {
        let rows = max(1, limits.pageRows / 2)
        return try database.first(
            "SELECT position FROM \(table) WHERE position < ? ORDER BY position DESC LIMIT 1 OFFSET ?", before,
            rows - 1
        ) { row in try row.position().rawValue } ?? 0
    }
}
