import Statechart
package import WorkflowStore

/// The walk of a run through the instances: machine version by version, and in each by instance numbers, whatever their
/// status.
struct SelectionSlices {
    private let query: SelectionQuery
    private let namespace: NamespaceID
    private let snapshot: Snapshot
    private var filter: ListFilter
    private let limit: Int

    init(
        _ query: SelectionQuery, in namespace: NamespaceID, _ limits: ReadLimits, _ snapshot: Snapshot
    ) throws(StoreError) {
        self.query = query
        self.namespace = namespace
        self.snapshot = snapshot
        filter = try ListFilter(query.filter, in: namespace, snapshot)
        limit = min(query.limit, filter.isCostly ? limits.costlyRows : limits.sliceRows)
    }

    /// Returns the next wanted instances, after looking at `limit` instances at most.
    mutating func slice() throws -> SelectionSlice {
        for machine in filter.machines where machine.id.rawValue >= query.after.machine {
            let isInside = machine.id.rawValue == query.after.machine
            let rows = try rows(of: machine.id, after: isInside ? query.after.number : 0)
            guard let last = rows.last else { continue }
            var wanted: [Int64] = []
            for row in rows where try filter.takes(row) { wanted.append(row.id.rawValue) }
            let instances: [InstanceRecord] = try snapshot.all(InstanceRecord.byIDs) { $0.add(ArrayColumn(wanted)) }
            var slice = SelectionSlice(
                instances: instances, next: BulkMark(machine: machine.id.rawValue, number: last.id.rawValue))
            slice.examination = filter.examination
            return slice
        }
        return SelectionSlice(instances: [], next: nil)
    }

    private func rows(of machine: MachineID, after number: Int64) throws -> [ListedColumns] {
        let ids = query.ids(after: number)
        let request = Request(Self.next) {
            filter.addColumns(to: &$0)
            for number in [namespace.rawValue, machine.rawValue, ids.above, ids.below, Int64(limit)] {
                $0.add(number)
            }
            $0.add(ArrayColumn(texts: filter.statuses.map(\.rawValue)))
        }
        return try snapshot.read(request) { answer in try answer.all { row in try ListedColumns(&row) } }
    }

    /// The statuses are ranges of the list index.
    private static let next = Statement(
        name: "select-instances",
        sql: """
            SELECT \(ListedColumns.select) FROM instance JOIN (
                SELECT r.id AS found FROM unnest($8::text[]) s (wanted) CROSS JOIN LATERAL (
                    SELECT id FROM instance WHERE namespace_id = $3::bigint AND machine_id = $4::bigint
                        AND status = wanted AND id > $5::bigint AND id < $6::bigint
                    ORDER BY id LIMIT $7::bigint
                ) r ORDER BY 1 LIMIT $7::bigint
            ) f ON id = found ORDER BY id
            """)
}

extension PostgresDatabase {
    package func selection(
        _ query: SelectionQuery, in namespace: NamespaceID
    ) async throws(StoreError) -> SelectionSlice {
        let limits = limits
        return try await readers.read { snapshot in
            var slices = try SelectionSlices(query, in: namespace, limits, snapshot)
            return try slices.slice()
        }
    }
}
