package import Statechart
package import WorkflowJSON

/// A condition of a query, with the time for which it is evaluated.
package struct DatedCondition: Sendable, Equatable {
    /// Returns the failure of an instance as the API shows it, from the stored failure and the pending items.
    package typealias ReadFailure = @Sendable (_ failure: String, _ armed: String, _ machine: MachineName) -> JSONValue?

    package let condition: InstanceCondition
    /// The time up to which `inState` counts.
    package let now: Timestamp
    private let readFailure: ReadFailure

    package init(_ condition: InstanceCondition, at now: Timestamp, readFailure: @escaping ReadFailure) {
        self.condition = condition
        self.now = now
        self.readFailure = readFailure
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.condition == rhs.condition && lhs.now == rhs.now }

    fileprivate func verdict(on instance: ExaminedInstance) -> InstanceVerdict {
        let failure = instance.failure.flatMap { readFailure($0, instance.armed, instance.machine) }
        return condition.verdict(
            on: InstanceValues(
                name: instance.name.rawValue, machine: instance.machine.rawValue, version: instance.version.rawValue,
                status: instance.status.rawValue, state: instance.configuration, createdAt: instance.created.rawValue,
                updatedAt: instance.updated.rawValue, inState: max(0, now.rawValue - instance.entered.rawValue),
                context: instance.context, failure: failure))
    }
}

/// The stored values that a condition can read.
package struct ExaminedInstance: Sendable {
    package let name: InstanceName
    package let machine: MachineName
    package let version: MachineVersion
    package let status: InstanceStatus
    package let configuration: String
    package let created: Timestamp
    package let updated: Timestamp
    package let entered: Timestamp
    /// The context; empty if the condition does not read it.
    package let context: String
    /// The failure; `nil` if there is none, or the condition does not read it.
    package let failure: String?
    /// The pending items; empty without `failure`.
    package let armed: String

    package init(
        name: InstanceName, machine: MachineName, version: MachineVersion, status: InstanceStatus,
        configuration: String, created: Timestamp, updated: Timestamp, entered: Timestamp, context: String,
        failure: String?, armed: String
    ) {
        self.name = name
        self.machine = machine
        self.version = version
        self.status = status
        self.configuration = configuration
        self.created = created
        self.updated = updated
        self.entered = entered
        self.context = context
        self.failure = failure
        self.armed = armed
    }

    package init(_ record: InstanceRecord, machine: MachineName, version: MachineVersion) {
        self.init(
            name: record.name, machine: machine, version: version, status: record.status,
            configuration: record.state.configuration, created: record.created, updated: record.updated,
            entered: record.entered, context: record.state.context,
            failure: record.status == .failed ? record.failure : nil, armed: record.state.armed)
    }
}

/// The numbers of instances for which a condition was evaluated.
package struct InstanceExamination: Sendable, Equatable {
    /// The instances that the other criteria select.
    package private(set) var examined: Int64 = 0
    /// The instances among them for which the condition has no value. They are not selected.
    package private(set) var failed: Int64 = 0
    /// The first of these instances.
    package private(set) var first: Failed?

    /// An instance for which the condition has no value.
    package struct Failed: Sendable, Equatable {
        package let instance: InstanceName
        /// The reason, which may quote values of the instance.
        package let message: String
    }

    package init() {}

    /// Returns true if a condition holds for an instance, and counts the instance.
    package mutating func takes(_ instance: ExaminedInstance, by condition: DatedCondition) -> Bool {
        examined += 1
        switch condition.verdict(on: instance) {
        case .holds: return true
        case .holdsNot: return false
        case .fails(let message):
            failed += 1
            if first == nil { first = Failed(instance: instance.name, message: message) }
            return false
        }
    }

    /// Adds later instances.
    package mutating func add(_ other: InstanceExamination) {
        examined += other.examined
        failed += other.failed
        first = first ?? other.first
    }
}
