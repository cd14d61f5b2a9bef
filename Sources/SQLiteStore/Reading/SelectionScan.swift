import GRDB
import Statechart
import WorkflowStore

/// The walk of a run through the instances: machine version by version, and in each by instance numbers, whatever their
/// status. The statuses are ranges of the list index; their next instances are merged within one transaction.
struct SelectionScan {
    private let query: SelectionQuery
    private let namespace: NamespaceID
    private let statuses: [InstanceStatus]
    private var search: ConditionSearch

    init(_ query: SelectionQuery, in namespace: NamespaceID) {
        self.query = query
        self.namespace = namespace
        statuses = query.filter.possibleStatuses
        search = ConditionSearch(query.filter)
    }

    /// Returns the next wanted instances, after looking at `limit` instances at most.
    mutating func slice(_ database: Database, _ budget: inout SliceBudget) throws -> SelectionSlice {
        var slice = try nextSlice(database, &budget)
        slice.examination = search.examination
        return slice
    }

    private mutating func nextSlice(_ database: Database, _ budget: inout SliceBudget) throws -> SelectionSlice {
        var after = query.after
        while true {
            let isInside = after.machine > 0 && after.number < .max
            guard let machine = isInside ? after.machine : try nextMachine(database, after: after.machine) else {
                return SelectionSlice(instances: [], next: nil)
            }
            if !isInside { after = BulkMark(machine: machine, number: 0) }
            let slice = try instances(database, after: after, &budget)
            if slice.mark > after { return SelectionSlice(instances: slice.instances, next: slice.mark) }
            after = BulkMark(machine: machine, number: .max)
            if !budget.spend() { return SelectionSlice(instances: [], next: after) }
        }
    }

    private func nextMachine(_ database: Database, after id: Int64) throws -> Int64? {
        guard let machines = try query.filter.selectedMachines(database, in: namespace, after: id) else {
            return try database.first(
                "SELECT id FROM machine WHERE id > ? AND namespace_id = ? ORDER BY id LIMIT 1", id, namespace
            ) { row in try row.ordinal() }
        }
        return machines.min()
    }

    /// Returns the next instances of one machine version. If there are none, the mark stays unchanged.
    private mutating func instances(
        _ database: Database, after: BulkMark, _ budget: inout SliceBudget
    ) throws -> (instances: [InstanceRecord], mark: BulkMark) {
        var ids: [Int64] = []
        let limit = search.isCostly ? min(query.limit, budget.costlyRows) : query.limit
        let range = query.ids(after: after.number)
        for status in statuses {
            ids += try database.all(
                """
                SELECT id FROM instance WHERE namespace_id = ? AND machine_id = ? AND status = ? AND id > ? AND id < ?
                ORDER BY id LIMIT ?
                """, namespace, after.machine, status, range.above, range.below, limit
            ) { row in try row.ordinal() }
        }
        var mark = after
        var found: [InstanceRecord] = []
        for id in ids.sorted().prefix(limit) {
            mark.number = id
            if let instance = try instance(database, id, machine: after.machine) { found.append(instance) }
            if !budget.spend(isCostly: search.isCostly) { break }
        }
        return (found, mark)
    }

    /// Returns the instance; `nil` if the selection does not include it.
    private mutating func instance(_ database: Database, _ id: Int64, machine: Int64) throws -> InstanceRecord? {
        var select = try PreparedStatement(
            database, "SELECT \(InstanceRecord.columns) FROM instance WHERE id = ?", id)
        let places = InstanceRecord.places
        return try select.first { row in
            guard row.integer(at: places.namespace) == namespace.rawValue, row.integer(at: places.machineID) == machine
            else {
                throw SQLiteFailure.damage(
                    "the index of lists leads to a row that does not have it")
            }
            return try query.filter.takes(row) && search.takes(row, database) ? try InstanceRecord(row: &row) : nil
        } ?? nil
    }
}
