package import Statechart
package import WorkflowStore

extension DatedCondition {
    /// Creates the condition of a query that begins at a time.
    package init(_ condition: InstanceCondition, at now: Timestamp) {
        self.init(condition, at: now) { failure, armed, machine in
            InstanceFailure(failure, data: InvocationError.data(armed: armed), machine: machine)?.json
        }
    }
}
