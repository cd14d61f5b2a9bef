import Statechart
import WorkflowStore

/// The columns of an instance that decide if a list shows it. The rest of the row may be large, and is read only for
/// the instances of a page.
struct ListedColumns {
    let id: InstanceID
    let machineID: MachineID
    let status: InstanceStatus
    let name: InstanceName
    let configuration: String
    let entered: Timestamp
    let updated: Timestamp
    let created: Timestamp
    /// The bytes of the state.
    let bytes: Int64
    /// The failure and the pending items, if the query reads failures and there is one.
    let failure: String?
    let armed: String?
    /// The context, if the query reads it.
    let context: String?

    /// The columns as a select list. The parameters `$1` and `$2` say if failures and contexts are read.
    static let select = """
        id, machine_id, status, name, configuration, entered_ms, updated_ms, created_ms,
        (octet_length(context) + octet_length(armed))::bigint,
        CASE WHEN $1::boolean THEN failure END, CASE WHEN $1::boolean AND failure IS NOT NULL THEN armed END,
        CASE WHEN $2::boolean THEN context END
        """

    init(_ row: inout AnswerRow) throws(PostgresFailure) {
        id = try row.instanceID()
        machineID = try row.machineID()
        status = try row.word()
        name = try row.instanceName()
        configuration = try row.text()
        entered = try row.time()
        updated = try row.time()
        created = try row.time()
        bytes = try row.count()
        failure = try row.optionalText()
        armed = try row.optionalText()
        context = try row.optionalText()
    }

    /// Returns the place in an order.
    func rank(_ order: InstanceOrder) -> InstanceRank {
        InstanceRank(order, id: id, entered: entered, updated: updated, name: name.rawValue)
    }

    var place: InstanceListPlace { InstanceListPlace(machineID: machineID, status: status, id: id) }
}

/// The filter of a list, applied to the columns of instances.
struct ListFilter {
    private let query: InstanceQuery
    /// The versions that the query selects, in the order of ids.
    let machines: [(id: MachineID, name: MachineName, version: MachineVersion)]
    let statuses: [InstanceStatus]
    private let selected: Set<MachineID>
    private(set) var examination = InstanceExamination()

    init(_ query: InstanceQuery, in namespace: NamespaceID, _ snapshot: Snapshot) throws(StoreError) {
        self.query = query
        statuses = query.possibleStatuses
        let all = try snapshot.read(Request(Self.versions) { $0.add(namespace.rawValue) }) { answer in
            try answer.all { row in
                (id: try row.machineID(), name: try row.machineName(), version: try row.version())
            }
        }
        machines = all.filter { query.takes($0.name, $0.version) }
        selected = Set(machines.map(\.id))
    }

    private static let versions = Statement(
        name: "versions", sql: "SELECT id, name, version FROM machine WHERE namespace_id = $1::bigint ORDER BY id")

    /// Adds the parameters `$1` and `$2` of `ListedColumns.select`.
    func addColumns(to parameters: inout Parameters) {
        let condition = query.condition?.condition
        parameters.add(!query.failures.isEmpty || condition?.readsFailure == true)
        parameters.add(condition?.readsContext == true)
    }

    /// True if each row may take long or be large.
    var isCostly: Bool { query.condition != nil }

    /// Returns true if the query selects an instance.
    mutating func takes(_ row: ListedColumns) throws(PostgresFailure) -> Bool {
        let isWanted =
            selected.contains(row.machineID) && statuses.contains(row.status)
            && query.takes(name: row.name.rawValue) && query.takes(updated: row.updated)
            && query.takes(
                configuration: row.configuration, entered: row.entered, failure: row.failure,
                error: row.armed.flatMap(InvocationError.init(armed:)))
        guard isWanted, let condition = query.condition else { return isWanted }
        guard let machine = machines.first(where: { $0.id == row.machineID }) else {
            throw PostgresFailure(.damaged, "an instance has no machine; restore a backup")
        }
        let failure = row.status == .failed ? row.failure : nil
        return examination.takes(
            ExaminedInstance(
                name: row.name, machine: machine.name, version: machine.version, status: row.status,
                configuration: row.configuration, created: row.created, updated: row.updated, entered: row.entered,
                context: row.context ?? "", failure: failure, armed: failure == nil ? "" : row.armed ?? ""),
            by: condition)
    }
}
