import Statechart
package import WorkflowStore

/// Reads all rows of a store as of one moment, as those of a store with one partition. Daemons may write meanwhile.
///
/// The rows come slice by slice, on a connection and a thread of their own. Until the export is released, the server
/// keeps the old versions of the rows that daemons change.
package final class PostgresExport: StoreExport {
    private let audit: PostgresAudit

    package init(_ address: PostgresAddress) {
        audit = PostgresAudit(address, ReadLimits(), thread: "wfd-export")
    }

    package func exportedStore() async throws(StoreError) -> ExportedStore {
        try await audit.read { snapshot, store in
            var exported = try MergedPartitions.read(snapshot, store).store
            exported.bytes =
                try snapshot.read(Request(Self.bytes)) { answer in
                    try answer.first { row in try row.integer(in: 0 ... .max) }
                } ?? 0
            return exported
        }
    }

    package func exportRows(after place: InspectionPlace) async throws(StoreError) -> ExportedRows {
        try await audit.read { [limits = audit.limits] snapshot, store in
            // An export gets back only the places that it gave; any other one begins anew.
            var place =
                try place.mark as? ExportPlace ?? ExportPlace(merge: MergedPartitions.read(snapshot, store))
            return try place.slice(snapshot, limits)
        }
    }

    private static let bytes = Statement(
        name: "export-bytes",
        sql: """
            SELECT coalesce(sum(pg_table_size(t)), 0)::bigint
            FROM unnest(ARRAY['machine', 'instance', 'journal', 'snapshot', 'effect', 'dedupe']::regclass[]) t
            """)
}

/// A place in the walk through the tables, one after another.
private struct ExportPlace: Sendable {
    private let merge: MergedPartitions
    private var number = 0
    private var last: [KeyedTable.KeyValue]?

    init(merge: MergedPartitions) {
        self.merge = merge
    }

    /// Reads some rows from this place on.
    mutating func slice(_ snapshot: Snapshot, _ limits: ReadLimits) throws -> ExportedRows {
        var rows = ExportedRows()
        guard ExportTable.all.indices.contains(number) else { return rows }
        let table = ExportTable.all[number]
        let limit = table.isCostly ? limits.costlyRows : limits.sliceRows
        var count = 0
        if merge.hasRuns || !table.isOfRuns {
            count = try snapshot.read(table.rows.request(after: last, limit: limit)) { answer in
                try answer.all { row in
                    last = try table.rows.place(&row)
                    try table.read(&row, &rows)
                }.count
            }
        }
        if count < limit { (number, last) = (number + 1, nil) }
        if number < ExportTable.all.count {
            rows.next = InspectionPlace(self)
        } else {
            rows.restorations = merge.restorations
        }
        try merge.take(&rows)
        return rows
    }
}
