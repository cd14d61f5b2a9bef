import GRDB
import Statechart
import WorkflowStore

/// A walk through the list index for one page: machine by machine, status by status, id by id. A page in another order
/// needs the whole walk, and keeps the first instances of its order. If the walk reads much of the table, it reads the
/// table itself: the index would lead to rows all over the table.
///
/// A range is the instances of one machine version in one status. Entering a range costs as much of the page's rows as
/// reading a row, which also bounds many versions without instances.
struct InstanceScan: PageSearch {
    private let namespace: NamespaceID
    private let query: InstanceQuery
    private let statuses: [InstanceStatus]
    /// The first instances so far of a page in another order.
    private var ranked: RankedInstances
    private var search: ConditionSearch
    private var rowsLeft: Int
    private var bytesLeft: Int
    /// The last place that was looked at; an id of `.max` stands for the end of a range.
    private var place: InstanceListPlace?

    /// The machine versions whose instances are searched in the table itself, for a page in another order; `nil` for a
    /// walk through the index.
    private var walked: Walked?

    /// A set of machine versions.
    private enum Walked {
        case all
        case some(Set<Int64>)

        func contains(_ machine: Int64) -> Bool {
            switch self {
            case .all: true
            case .some(let machines): machines.contains(machine)
            }
        }
    }

    private(set) var page = InstancePage(instances: [], next: nil)
    private(set) var isDone: Bool
    var examination: InstanceExamination { search.examination }

    init(_ query: InstanceQuery, in namespace: NamespaceID, limits: StoreLimits) {
        self.namespace = namespace
        self.query = query
        statuses = query.possibleStatuses
        ranked = RankedInstances(query)
        search = ConditionSearch(query)
        rowsLeft = limits.pageRows
        bytesLeft = limits.pageBytes
        place = query.after?.found
        isDone = query.limit < 1 || statuses.isEmpty
    }

    mutating func step(_ database: Database, _ budget: inout SliceBudget) throws {
        if let order = query.order, !isDone {
            if place == nil { walked = try machinesToWalk(database) }
            if let walked { return try walk(walked, order, database, &budget) }
        }
        while !isDone {
            guard let start = try nextRange(database) else { return try end(database) }
            place = start
            spendRow()
            if isDone || !budget.spend() { return }
            if try read(from: start, database, &budget) == false { return }
            place = InstanceListPlace(
                machineID: start.machineID, status: start.status, id: InstanceID(rawValue: .max))
        }
    }

    /// Returns the place to continue from: inside the range of `place`, or before the first instance of the next range.
    private func nextRange(_ database: Database) throws -> InstanceListPlace? {
        if let place {
            if place.id.rawValue < .max, statuses.contains(place.status) { return place }
            if let status = statuses.first(where: { $0.rawValue > place.status.rawValue }) {
                return InstanceListPlace(machineID: place.machineID, status: status, id: InstanceID(rawValue: 0))
            }
        }
        guard let machine = try nextMachine(database), let status = statuses.first else { return nil }
        return InstanceListPlace(machineID: machine, status: status, id: InstanceID(rawValue: 0))
    }

    private func nextMachine(_ database: Database) throws -> MachineID? {
        let last = place?.machineID.rawValue ?? 0
        guard let machines = try query.selectedMachines(database, in: namespace, after: last) else {
            return try database.first(Self.anyMachine, last) { row in try row.machineID() }
        }
        return machines.min().map(MachineID.init(rawValue:))
    }

    /// Selects versions of any namespace: no wanted instance is found under another namespace's machine.
    private static let anyMachine = "SELECT id FROM machine WHERE id > ? ORDER BY id LIMIT 1"

    /// Reads the rest of a range; returns false if the page or the budget ended first.
    private mutating func read(
        from start: InstanceListPlace, _ database: Database, _ budget: inout SliceBudget
    ) throws -> Bool {
        var isWhole = true
        try database.forEachRow(
            """
            SELECT \(InstanceRecord.columns) FROM (
                SELECT id AS found FROM instance
                WHERE namespace_id = ? AND machine_id = ? AND status = ? AND id > ?
            ) LEFT JOIN instance ON id = found ORDER BY found
            """, namespace, start.machineID, start.status, start.id
        ) { row in
            try take(&row, of: start, database)
            isWhole = !isDone && budget.spend(isCostly: search.isCostly)
            return isWhole
        }
        return isWhole
    }

    private mutating func take(
        _ row: inout StatementRow, of range: InstanceListPlace, _ database: Database
    ) throws {
        let places = InstanceRecord.places
        // The join by the row's number makes these the row's own columns, not those of the index.
        guard row.integer(at: places.namespace) == namespace.rawValue,
            row.integer(at: places.machineID) == range.machineID.rawValue,
            try row.text(at: places.status) == range.status.rawValue
        else {
            throw SQLiteFailure.damage("the index of lists leads to a row that does not have it")
        }
        let isWanted = try query.takes(row) && search.takes(row, database)
        if let order = query.order {
            if isWanted { ranked.add(try row.rank(order)) }
        } else if isWanted, page.instances.count == query.limit || bytesLeft <= 0 {
            // This row proves that there is a next page.
            page.next = place.map { .found($0) }
            isDone = true
            return
        }
        place = InstanceListPlace(
            // Proof: nothing counts with an id here.
            machineID: range.machineID, status: range.status, id: InstanceID(rawValue: row.integer(at: places.id)))
        if isWanted, query.order == nil {
            let instance = try InstanceRecord(row: &row)
            page.instances.append(instance)
            bytesLeft -= instance.listedBytes
        }
        spendRow()
    }

    /// Counts a row, and ends the page when it has looked at the allowed number of rows.
    private mutating func spendRow() {
        rowsLeft -= 1
        if rowsLeft <= 0 { pause() }
    }

    mutating func pause() {
        guard !isDone, query.order == nil, let place else { return }
        page.next = .found(place)
        isDone = true
    }
}

// MARK: In an order

extension InstanceScan {
    /// The walk uses the table if more than one of so many rows is an instance of the machines in the statuses. A row
    /// that the index leads to costs about as much as five rows of the table.
    private static let rowsForOne: Int64 = 5

    private func machinesToWalk(_ database: Database) throws -> Walked? {
        if query.takesAllMachines {
            let isMost = try query.statuses.isEmpty || isMuch(try countInStatuses(database), database)
            return isMost ? .all : nil
        }
        guard !query.machines.isEmpty, try Table.tally.isThere(in: database) else { return nil }
        var select = try PreparedStatement(
            database,
            """
            SELECT id, version, coalesce(n, 0), coalesce(status, '') FROM machine LEFT JOIN tally ON machine_id = id
            WHERE namespace_id = ? AND name = ?
            """)
        var machines: Set<Int64> = []
        var count: Int64 = 0
        for name in query.machines {
            select.bind(namespace, name)
            try select.forEachRow { row in
                let (id, version, own) = (try row.ordinal(), try row.version(), try row.count())
                guard query.takes(name, version) else { return true }
                machines.insert(id)
                if isWanted(status: try row.text()) { count = min(count + own, StoreNumbers.range.upperBound) }
                return true
            }
        }
        return try isMuch(count, database) ? .some(machines) : nil
    }

    /// Returns the number of instances in the wanted statuses; the largest number if the file does not count them.
    private func countInStatuses(_ database: Database) throws -> Int64 {
        guard try Table.tally.isThere(in: database) else { return .max }
        var count: Int64 = 0
        try database.forEachRow("SELECT status, n FROM tally") { row in
            let isWanted = isWanted(status: try row.text())
            let own = try row.count()
            if isWanted { count = min(count + own, StoreNumbers.range.upperBound) }
            return true
        }
        return count
    }

    private func isWanted(status: String) -> Bool { statuses.contains { $0.rawValue == status } }

    /// Returns true if a number of instances is so great a part of the table that a walk uses the table.
    private func isMuch(_ count: Int64, _ database: Database) throws -> Bool {
        let rows = try PreparedStatement.number(database, "SELECT coalesce(max(id), 0) FROM instance")
        return count > rows / Self.rowsForOne
    }

    /// The ids of the first and of the longest run. Each run of a slice is twice as long as the one before: the first
    /// shows whether rows are so large that a long run would keep the writer waiting.
    private static let runs = 16...512

    /// Walks through all instances in the order of the table, in runs of ids. When the page is full, SQLite leaves out
    /// the rows behind it, which are most rows: to step to a row costs several times as much as to pass over it.
    private mutating func walk(
        _ walked: Walked, _ order: InstanceOrder, _ database: Database, _ budget: inout SliceBudget
    ) throws {
        var select = try PreparedStatement(database, Self.rows(order))
        var run = Self.runs.lowerBound
        while true {
            // Runs pass over the ids of deleted instances.
            // Proof: the one sum with an id is checked.
            guard let first = try database.first(Self.nextID, place?.id.rawValue ?? 0, read: { row in row.integer() })
            else { return try end(database) }
            run = min(run, budget.rowsLeft)
            let (last, isBeyond) = first.addingReportingOverflow(Int64(run) - 1)
            let end = isBeyond ? Int64.max : last
            select.bind(first)
            select.bind(end)
            select.bind(query.failures.isEmpty ? Int64(0) : 1)
            let bounds = ranked.bounds
            if order == .name {
                select.bind(bounds.lower?.name ?? "")
                select.bind(bounds.upper?.name)
            } else {
                select.bind(bounds.lower?.time ?? .min)
                select.bind(bounds.upper?.time ?? .max)
            }
            try select.forEachRow { row in
                try rank(&row, walked, order)
                return true
            }
            place = InstanceListPlace(
                machineID: MachineID(rawValue: 0), status: .running, id: InstanceID(rawValue: end))
            guard budget.spend(rows: run) else { return }
            run = min(2 * run, Self.runs.upperBound)
        }
    }

    private static let nextID = "SELECT id FROM instance WHERE id > ? ORDER BY id LIMIT 1"

    /// Returns the statement of a run: its instances that may be between two ranks.
    private static func rows(_ order: InstanceOrder) -> String {
        let isBetween =
            switch order {
            case .age: "entered_ms BETWEEN ?4 AND ?5"
            case .updated: "-updated_ms BETWEEN ?4 AND ?5"
            case .name: "name >= ?4 AND (?5 IS NULL OR name <= ?5)"
            }
        return """
            SELECT id, namespace_id, machine_id, status, configuration, entered_ms, updated_ms, name, failure,
                CASE WHEN ?3 AND failure IS NOT NULL THEN armed END
            FROM instance WHERE id BETWEEN ?1 AND ?2 AND \(isBetween) ORDER BY id
            """
    }

    /// Adds the instance of a row to the page if the query wants it and it is among the first ones.
    private mutating func rank(_ row: inout StatementRow, _ walked: Walked, _ order: InstanceOrder) throws {
        // Proof: nothing counts with the numbers of a namespace and a machine.
        guard row.integer(at: 1) == namespace.rawValue, walked.contains(row.integer(at: 2)) else { return }
        let (entered, updated) = (try row.time(at: 5), try row.time(at: 6))
        let rank = InstanceRank(
            // Proof: nothing counts with an id here.
            order, id: InstanceID(rawValue: row.integer(at: 0)), entered: entered, updated: updated,
            name: order == .name ? try row.text(at: 7) : "")
        guard ranked.admits(rank), isWanted(status: try row.text(at: 3)) else { return }
        let isWanted =
            try query.takes(updated: updated)
            && query.takes(
                configuration: query.states.isEmpty ? "" : try row.text(at: 4), entered: entered,
                failure: query.failures.isEmpty ? nil : try row.optionalText(at: 8),
                error: try row.optionalText(at: 9).flatMap(InvocationError.init(armed:)))
        if isWanted { ranked.add(rank) }
    }

    /// Ends the page after the whole walk.
    private mutating func end(_ database: Database) throws {
        isDone = true
        if query.order != nil { page = try ranked.page(database, bytes: bytesLeft) }
    }
}

extension StatementRow {
    /// Returns the place in an order of the instance in a row that starts with the columns of the table.
    func rank(_ order: InstanceOrder) throws -> InstanceRank {
        let places = InstanceRecord.places
        return InstanceRank(
            // Proof: nothing counts with an id here.
            order, id: InstanceID(rawValue: integer(at: places.id)), entered: try time(at: places.entered),
            updated: try time(at: places.updated), name: order == .name ? try text(at: places.name) : "")
    }
}
