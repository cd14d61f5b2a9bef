import GRDB
import Statechart
import WorkflowStore

extension InstanceQuery {
    /// The statuses of the instances that the query may select, in the order of the list index.
    var possibleStatuses: [InstanceStatus] {
        InstanceStatus.allCases.filter { status in
            status != .purging && takes(status) && (failures.isEmpty || !statuses.isEmpty || status.hasFailure)
        }.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns true if the query selects the instance in a row that starts with the columns of the table. The
    /// instance's machine and status are selected.
    func takes(_ row: StatementRow) throws -> Bool {
        let places = InstanceRecord.places
        return try takes(name: try row.text(at: places.name)) && takes(updated: try row.time(at: places.updated))
            && takes(
                configuration: states.isEmpty ? "" : try row.text(at: places.configuration),
                entered: try row.time(at: places.entered),
                failure: failures.isEmpty ? nil : try row.optionalText(at: places.failure),
                error: InvocationError(armed: try row.text(at: places.armed)))
    }
}

extension InstanceStatus {
    /// True if an instance with this status has a failure.
    fileprivate var hasFailure: Bool {
        switch self {
        case .failed, .suspended: true
        case .running, .done, .cancelled, .purging: false
        }
    }
}
