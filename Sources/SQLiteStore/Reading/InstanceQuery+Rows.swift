import GRDB
import Statechart
import WorkflowStore

extension InstanceQuery {
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
