import GRDB
import Statechart
import WorkflowStore

/// A walk through the index of names for one page of the instances whose names begin with a text. A page in another
/// order than that of names needs the whole range.
struct NameScan: PageSearch {
    private let namespace: NamespaceID
    private let query: InstanceQuery
    private let prefix: String
    private let order: InstanceOrder
    private let statuses: [InstanceStatus]
    private var ranked: RankedInstances
    private var search: ConditionSearch
    private var rowsLeft: Int
    private var bytesLeft: Int
    /// The last instance that was looked at.
    private var last: InstanceRank?

    private(set) var page = InstancePage(instances: [], next: nil)
    private(set) var isDone: Bool
    var examination: InstanceExamination { search.examination }

    /// Returns `nil` for a query that `InstanceScan` answers: without a prefix, or in the order of the store. A query
    /// with a condition in the order of names goes through all names.
    init?(_ query: InstanceQuery, in namespace: NamespaceID, limits: StoreLimits) {
        let isThroughAll = query.condition != nil && query.order == .name
        guard let order = query.order, let prefix = query.prefix ?? (isThroughAll ? "" : nil) else { return nil }
        self.namespace = namespace
        self.query = query
        self.prefix = prefix
        self.order = order
        statuses = query.possibleStatuses
        ranked = RankedInstances(query)
        search = ConditionSearch(query)
        rowsLeft = limits.pageRows
        bytesLeft = limits.pageBytes
        if case .ranked(let rank)? = query.after, order == .name { last = rank }
        isDone = query.limit < 1 || statuses.isEmpty
    }

    mutating func step(_ database: Database, _ budget: inout SliceBudget) throws {
        let machines = try query.selectedMachines(database, in: namespace)
        var isWhole = true
        // A name that is not from this range cannot lead before it.
        let start = last.flatMap { $0.name.utf8.lexicographicallyPrecedes(prefix.utf8) ? nil : $0.name }
        try database.forEachRow(
            start == nil ? Self.fromFirst : Self.behindLast, namespace, start ?? prefix
        ) { row in
            let name = try row.text(at: Self.nameInIndex)
            guard name.utf8.starts(with: prefix.utf8) else { return false }
            isWhole = false
            try take(&row, named: name, of: machines, database)
            guard !isDone, budget.spend(isCostly: search.isCostly) else { return false }
            isWhole = true
            return true
        }
        guard isWhole, !isDone else { return }
        isDone = true
        if order != .name { page = try ranked.page(database, bytes: bytesLeft) }
    }

    /// The subselect reads the index alone, and the join the row itself, so that the two can be compared.
    private static func select(_ comparison: String) -> String {
        """
        SELECT \(InstanceRecord.columns), known FROM (
            SELECT id AS found, name AS known FROM instance WHERE namespace_id = ? AND name \(comparison) ?
        ) LEFT JOIN instance ON id = found ORDER BY known
        """
    }

    private static let fromFirst = select(">=")
    private static let behindLast = select(">")
    private static let nameInIndex = CInt(InstanceRecord.columns.names.count)

    private mutating func take(
        _ row: inout StatementRow, named name: String, of machines: Set<Int64>?, _ database: Database
    ) throws {
        let places = InstanceRecord.places
        // Proof: both numbers are compared only.
        let (owner, machine) = (row.integer(at: places.namespace), row.integer(at: places.machineID))
        guard owner == namespace.rawValue,
            try row.text(at: places.name).utf8.elementsEqual(name.utf8)
        else {
            throw SQLiteFailure.damage("the index of names leads to a row that does not have it")
        }
        let status = try row.text(at: places.status)
        let isWanted =
            try statuses.contains { $0.rawValue == status }
            && machines?.contains(machine) ?? true && query.takes(row)
            && search.takes(row, database)
        let rank = try row.rank(order)
        if isWanted, order != .name {
            ranked.add(rank)
        } else if isWanted, page.instances.count == query.limit || bytesLeft <= 0 {
            // This row proves that there is a next page.
            return pause()
        } else if isWanted {
            let instance = try InstanceRecord(row: &row)
            page.instances.append(instance)
            bytesLeft -= instance.listedBytes
        }
        last = order == .name ? rank : InstanceRank(time: 0, name: name, id: rank.id)
        rowsLeft -= 1
        if rowsLeft <= 0 { pause() }
    }

    mutating func pause() {
        guard !isDone, order == .name, let last else { return }
        page.next = .ranked(last)
        isDone = true
    }
}
