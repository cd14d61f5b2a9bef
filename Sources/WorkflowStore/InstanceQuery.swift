import Statechart
import WorkflowJSON

/// A selection of instances, and their order.
package struct InstanceQuery: Sendable, Equatable {
    /// The text with which the names begin, compared by bytes; `nil` for all names.
    package var prefix: String?
    /// The machines; empty for all.
    package var machines: [MachineName]
    /// The versions of the machines; empty for all.
    package var versions: [MachineVersion]
    /// The statuses; empty for all.
    package var statuses: [InstanceStatus]
    /// The paths of states; selects instances in one of these states or below it. Empty for all.
    package var states: [String]
    /// The time since which the configuration has been unchanged, at least.
    package var enteredBefore: Timestamp?
    /// Selects instances whose last row is later than this time.
    package var updatedAfter: Timestamp?
    /// Texts of failures; selects failed or suspended instances whose reason has one of these texts as one of its
    /// parts. Empty for all.
    package var failures: [String]
    /// The condition on instances that the other criteria select; `nil` for none. It needs a list in the order of the
    /// store or of names.
    package var condition: DatedCondition?
    /// The order; `nil` for the order in which the store finds the instances.
    package var order: InstanceOrder?
    package var limit: Int
    /// The end of the previous page; `nil` for the first page.
    package var after: InstanceListPosition?

    package init(
        prefix: String? = nil, machines: [MachineName] = [], versions: [MachineVersion] = [],
        statuses: [InstanceStatus] = [], states: [String] = [], enteredBefore: Timestamp? = nil,
        updatedAfter: Timestamp? = nil, failures: [String] = [], condition: DatedCondition? = nil,
        order: InstanceOrder? = nil, limit: Int, after: InstanceListPosition? = nil
    ) {
        self.prefix = prefix
        self.machines = machines
        self.versions = versions
        self.statuses = statuses
        self.states = states
        self.enteredBefore = enteredBefore
        self.updatedAfter = updatedAfter
        self.failures = failures
        self.condition = condition
        self.order = order
        self.limit = limit
        self.after = after
    }

    /// Returns true if the query selects an instance with a name.
    package func takes(name: @autoclosure () throws -> String) rethrows -> Bool {
        guard let prefix else { return true }
        return try name().utf8.starts(with: prefix.utf8)
    }

    /// Returns true if the query selects instances of a machine.
    package func takes(_ machine: MachineName) -> Bool { machines.isEmpty || machines.contains(machine) }

    /// Returns true if the query selects instances of a version of a machine.
    package func takes(_ machine: MachineName, _ version: MachineVersion) -> Bool {
        takes(machine) && (versions.isEmpty || versions.contains(version))
    }

    /// True if the query selects instances of all versions of all machines.
    package var takesAllMachines: Bool { machines.isEmpty && versions.isEmpty }

    /// Returns true if the query selects instances with a status.
    package func takes(_ status: InstanceStatus) -> Bool { statuses.isEmpty || statuses.contains(status) }

    /// Returns true if the query selects an instance whose last row has this time.
    package func takes(updated: Timestamp) -> Bool { updatedAfter.map { updated > $0 } ?? true }

    /// Returns true if the query selects an instance, given that its machine version and status are selected.
    ///
    /// - Parameters:
    ///   - text: The failure that the instance stores.
    ///   - error: The error that the instance stores. Evaluated only if an invocation failed.
    package func takes(
        configuration: String, entered: Timestamp, failure text: String?,
        error: @autoclosure () throws -> InvocationError?
    ) rethrows -> Bool {
        if let enteredBefore, entered > enteredBefore { return false }
        guard takes(configuration: configuration) else { return false }
        if failures.isEmpty { return true }
        guard let text, let failure = (try? JSONReader.value(from: text))?.object else { return false }
        guard failure.isOfInvocation else { return isMet(by: failure.members.compactMap(\.value.string)) }
        return isMet(by: failure.parts(causedBy: try error()))
    }

    private func isMet(by parts: [String]) -> Bool {
        failures.contains { failure in parts.contains { $0.contains(failure) } }
    }

    /// Returns true if the query selects instances in a configuration.
    package func takes(configuration: String) -> Bool {
        states.isEmpty || states.contains { SnapshotText.isActive($0, in: configuration) }
    }
}

extension InstanceQuery {
    /// The statuses of the instances that the query may select, in the order of the list index.
    package var possibleStatuses: [InstanceStatus] {
        InstanceStatus.allCases.filter { status in
            status != .purging && takes(status) && (failures.isEmpty || !statuses.isEmpty || status.hasFailure)
        }.sorted { $0.rawValue < $1.rawValue }
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

extension JSONObject {
    /// True if an instance with this failure failed on an invocation.
    fileprivate var isOfInvocation: Bool { self["message"]?.string.map(ActionFailure.isOfInvocation) ?? false }

    /// Returns the texts of a failure caused by an invocation: the texts of the rows without the type, and the outcome
    /// of the last attempt.
    fileprivate func parts(causedBy error: InvocationError?) -> [String] {
        let stored = members.filter { $0.key != "type" }.compactMap(\.value.string) + [InvocationError.failureType]
        guard let error else { return stored }
        let reason = error.reason(of: self["event"]?.string ?? "")
        return stored + [reason] + (error.status.map { ["\($0)"] } ?? [])
    }
}

/// An order of a list of instances.
package enum InstanceOrder: String, Sendable, CaseIterable {
    /// The longest time in the current configuration first.
    case age
    /// The latest last row first.
    case updated
    /// The byte order of names.
    case name
}

/// The place of an instance in an order.
package struct InstanceRank: Sendable, Hashable, Comparable {
    /// The time; 0 in the order of names.
    package let time: Int64
    /// The name; empty in the orders of time.
    package let name: String
    /// The id, which decides between equals.
    package let id: InstanceID

    package init(time: Int64, name: String, id: InstanceID) {
        self.time = time
        self.name = name
        self.id = id
    }

    package init(_ order: InstanceOrder, id: InstanceID, entered: Timestamp, updated: Timestamp, name: String) {
        switch order {
        case .age: self.init(time: entered.rawValue, name: "", id: id)
        case .updated: self.init(time: -updated.rawValue, name: "", id: id)
        case .name: self.init(time: 0, name: name, id: id)
        }
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.time != rhs.time { return lhs.time < rhs.time }
        if lhs.name != rhs.name { return lhs.name.utf8.lexicographicallyPrecedes(rhs.name.utf8) }
        return lhs.id < rhs.id
    }
}

/// A place in a list of instances.
package enum InstanceListPosition: Sendable, Equatable {
    /// A place in the order in which the store finds instances.
    case found(InstanceListPlace)
    /// A place in a requested order.
    case ranked(InstanceRank)

    /// The place in the order of the store; `nil` in a requested order.
    package var found: InstanceListPlace? {
        if case .found(let place) = self { place } else { nil }
    }
}

/// A place in the order in which the store finds instances.
package struct InstanceListPlace: Sendable, Equatable {
    package var machineID: MachineID
    package var status: InstanceStatus
    package var id: InstanceID

    package init(machineID: MachineID, status: InstanceStatus, id: InstanceID) {
        self.machineID = machineID
        self.status = status
        self.id = id
    }
}

/// A page of a list of instances.
package struct InstancePage: Sendable {
    package var instances: [InstanceRecord]
    /// The start of the next page; `nil` after the last page.
    package var next: InstanceListPosition?
    /// The work for the condition of the query.
    package var examination = InstanceExamination()

    package init(instances: [InstanceRecord], next: InstanceListPosition?) {
        self.instances = instances
        self.next = next
    }
}
