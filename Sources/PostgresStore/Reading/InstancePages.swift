import Statechart
package import WorkflowStore

/// A walk through the instances for one page. It reads bounded answers, and the page ends after a bounded number of
/// rows or bytes.
struct InstancePages {
    private let query: InstanceQuery
    private let namespace: NamespaceID
    private let limits: ReadLimits
    private let snapshot: Snapshot
    private var filter: ListFilter
    private var found: [ListedColumns] = []
    private var rowsLeft: Int
    private var bytesLeft: Int64
    private let end: ContinuousClock.Instant
    /// The last place that was looked at.
    private var last: InstanceListPosition?
    private var next: InstanceListPosition?
    private var isDone = false

    init(
        _ query: InstanceQuery, in namespace: NamespaceID, _ limits: ReadLimits, _ snapshot: Snapshot
    ) throws(StoreError) {
        self.query = query
        self.namespace = namespace
        self.limits = limits
        self.snapshot = snapshot
        filter = try ListFilter(query, in: namespace, snapshot)
        rowsLeft = limits.pageRows
        bytesLeft = limits.pageBytes
        end = .now + limits.conditionDuration
        last = query.after
    }

    /// Reads the page.
    mutating func page() throws -> InstancePage {
        if query.limit > 0, !filter.machines.isEmpty, !filter.statuses.isEmpty {
            let bound = query.enteredBefore
            switch query.order {
            case nil: try walkRanges()
            case .name: try walk { try $0.named() }
            case .age: try walk { try $0.sorted(Self.byAge, bound) }
            case .updated: try walk { try $0.sorted(Self.byUpdate, bound) }
            }
        }
        let instances: [InstanceRecord] = try snapshot.all(InstanceRecord.byIDs) {
            $0.add(ArrayColumn(found.map(\.id.rawValue)))
        }
        var page = InstancePage(instances: instances, next: next)
        page.examination = filter.examination
        return page
    }

    /// The rows of one answer.
    private var sliceRows: Int { filter.isCostly ? limits.costlyRows : limits.sliceRows }

    private func position(of row: ListedColumns) -> InstanceListPosition {
        query.order.map { .ranked(row.rank($0)) } ?? .found(row.place)
    }

    /// Takes a row; returns false if the page is complete.
    private mutating func take(_ row: ListedColumns) throws -> Bool {
        if try filter.takes(row) {
            if found.count == query.limit || bytesLeft <= 0 {
                // This row proves that there is a next page.
                pause()
                return false
            }
            found.append(row)
            bytesLeft -= row.bytes
        }
        last = position(of: row)
        return spend()
    }

    /// Counts a row; returns false if the page has looked at the allowed number of rows, or for the allowed time.
    private mutating func spend() -> Bool {
        rowsLeft -= 1
        guard rowsLeft <= 0 || (filter.isCostly && ContinuousClock.now >= end) else { return true }
        pause()
        return false
    }

    private mutating func pause() {
        next = last
        isDone = true
    }

    /// Reads answers until the page is complete or an answer is not full.
    private mutating func walk(_ read: (Self) throws -> (rows: [ListedColumns], isLast: Bool)) throws {
        while !isDone {
            let answer = try read(self)
            for row in answer.rows where try !take(row) { return }
            if answer.isLast { return }
        }
    }
}

// MARK: In the order of the store

extension InstancePages {
    /// Goes through the list index: machine by machine, status by status, id by id. Entering a range counts as a row,
    /// which also bounds many versions without instances.
    private mutating func walkRanges() throws {
        let start = query.after?.found
        for machine in filter.machines where machine.id >= start?.machineID ?? machine.id {
            for status in filter.statuses {
                var place = InstanceListPlace(machineID: machine.id, status: status, id: InstanceID(rawValue: 0))
                if let start, machine.id == start.machineID {
                    if status.rawValue < start.status.rawValue { continue }
                    if status == start.status { place.id = start.id }
                }
                last = .found(place)
                guard spend() else { return }
                try walk { pages in try pages.range(place.machineID, status) }
                if isDone { return }
            }
        }
    }

    private func range(
        _ machine: MachineID, _ status: InstanceStatus
    ) throws -> (rows: [ListedColumns], isLast: Bool) {
        try rows(Self.range) {
            $0.add(machine.rawValue)
            $0.add(status.rawValue)
            $0.add(last?.found?.id.rawValue ?? 0)
        }
    }

    private static let range = Statement(
        name: "list-range",
        sql: """
            SELECT \(ListedColumns.select) FROM instance
            WHERE namespace_id = $3::bigint AND machine_id = $5::bigint AND status = $6::text AND id > $7::bigint
            ORDER BY id LIMIT $4::bigint
            """)

    private func rows(
        _ statement: Statement, _ fill: (inout Parameters) -> Void
    ) throws -> (rows: [ListedColumns], isLast: Bool) {
        // A page needs one row more than it shows.
        let size = min(sliceRows, max(query.limit, 16) + 1)
        let request = Request(statement) {
            filter.addColumns(to: &$0)
            $0.add(namespace.rawValue)
            $0.add(Int64(size))
            fill(&$0)
        }
        let rows = try snapshot.read(request) { answer in try answer.all { row in try ListedColumns(&row) } }
        return (rows, rows.count < size)
    }
}

// MARK: In another order

extension InstancePages {
    private func addSelection(to parameters: inout Parameters) {
        parameters.add(ArrayColumn(filter.machines.map(\.id.rawValue)))
        parameters.add(ArrayColumn(texts: filter.statuses.map(\.rawValue)))
    }

    private var rank: InstanceRank? {
        if case .ranked(let rank)? = last { rank } else { nil }
    }

    /// Reads the next rows in the order of names, up to the end of those that begin with the prefix.
    private func named() throws -> (rows: [ListedColumns], isLast: Bool) {
        let prefix = query.prefix ?? ""
        // A name that is not from this range cannot lead before it.
        let start = rank.flatMap { $0.name.utf8.lexicographicallyPrecedes(prefix.utf8) ? nil : $0.name }
        let answer = try rows(start == nil ? Self.fromFirst : Self.behindLast) {
            $0.add(start ?? prefix)
        }
        let own = answer.rows.prefix { $0.name.rawValue.utf8.starts(with: prefix.utf8) }
        let isLast = answer.isLast || own.count < answer.rows.count
        return (own.map(\.self), isLast)
    }

    private static func names(_ name: String, _ comparison: String) -> Statement {
        Statement(
            name: name,
            sql: """
                SELECT \(ListedColumns.select) FROM instance
                WHERE namespace_id = $3::bigint AND name \(comparison) $5::text
                ORDER BY namespace_id, name LIMIT $4::bigint
                """)
    }

    private static let fromFirst = names("list-names-from", ">=")
    private static let behindLast = names("list-names-behind", ">")

    /// Reads the next rows in an order of time. The server sorts all instances that the query may select.
    ///
    /// - Parameter bound: The latest time of entering; `nil` for all.
    private func sorted(_ statement: Statement, _ bound: Timestamp?) throws -> (rows: [ListedColumns], isLast: Bool) {
        let rank = rank
        return try rows(statement) {
            addSelection(to: &$0)
            $0.add(rank?.time ?? .min)
            $0.add(rank?.id.rawValue ?? 0)
            $0.add(query.updatedAfter?.rawValue ?? .min)
            $0.add(bound?.rawValue ?? .max)
        }
    }

    private static func sorted(_ name: String, by time: String) -> Statement {
        Statement(
            name: name,
            sql: """
                SELECT \(ListedColumns.select) FROM instance
                WHERE namespace_id = $3::bigint AND machine_id = ANY ($5::bigint[]) AND status = ANY ($6::text[])
                    AND (\(time), id) > ($7::bigint, $8::bigint) AND updated_ms > $9::bigint
                    AND entered_ms <= $10::bigint
                ORDER BY \(time), id LIMIT $4::bigint
                """)
    }

    private static let byAge = sorted("list-by-age", by: "entered_ms")
    private static let byUpdate = sorted("list-by-update", by: "-updated_ms")
}

extension PostgresDatabase {
    package func instances(
        _ query: InstanceQuery, in namespace: NamespaceID
    ) async throws(StoreError) -> InstancePage {
        let limits = limits
        return try await readers.read { snapshot in
            var pages = try InstancePages(query, in: namespace, limits, snapshot)
            return try pages.page()
        }
    }
}
