import GRDB
import Statechart
import WorkflowStore

/// Evaluates the condition of a query on rows.
struct ConditionSearch: Sendable {
    private let condition: DatedCondition?
    /// The names and versions of the machines that were met.
    private var machines: [MachineID: (MachineName, MachineVersion)] = [:]
    private(set) var examination = InstanceExamination()

    init(_ query: InstanceQuery) {
        condition = query.condition
    }

    /// True if each row may take long.
    var isCostly: Bool { condition != nil }

    /// Returns true if the condition holds for the instance in a row that starts with the columns of the table. The
    /// other criteria select the instance.
    mutating func takes(_ row: StatementRow, _ database: Database) throws -> Bool {
        guard let condition else { return true }
        let places = InstanceRecord.places
        // Proof: the number only leads to a row.
        let (machine, version) = try self.machine(MachineID(rawValue: row.integer(at: places.machineID)), database)
        let (reads, status) = (condition.condition, InstanceStatus(rawValue: try row.text(at: places.status)))
        guard let status else { throw row.implausible(at: places.status) }
        let failure =
            reads.readsFailure && status == .failed ? try row.optionalText(at: places.failure) : nil
        return examination.takes(
            ExaminedInstance(
                name: InstanceName(rawValue: try row.text(at: places.name)), machine: machine, version: version,
                status: status, configuration: try row.text(at: places.configuration),
                created: try row.time(at: places.created), updated: try row.time(at: places.updated),
                entered: try row.time(at: places.entered),
                context: reads.readsContext ? try row.text(at: places.context) : "", failure: failure,
                armed: failure == nil ? "" : try row.text(at: places.armed)),
            by: condition)
    }

    private mutating func machine(
        _ id: MachineID, _ database: Database
    ) throws -> (MachineName, MachineVersion) {
        if let machine = machines[id] { return machine }
        let found = try database.first("SELECT name, version FROM machine WHERE id = ?", id) { row in
            (try row.machineName(), try row.version())
        }
        guard let found else { throw SQLiteFailure.damage("an instance has no machine") }
        machines[id] = found
        return found
    }
}
