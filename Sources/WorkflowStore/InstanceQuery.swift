import Statechart
import WorkflowJSON

/// Which instances to list, and in which order.
package struct InstanceQuery: Sendable, Equatable {
    /// Of which machines; empty for all.
    package var machines: [MachineName]
    /// Empty for all.
    package var statuses: [InstanceStatus]
    /// Paths of states: instances in one of them or below it; empty for all.
    package var states: [String]
    /// Instances whose configuration is the same since then, or for longer.
    package var enteredBefore: Timestamp?
    /// Selects instances whose last row is later than this time.
    package var updatedAfter: Timestamp?
    /// Instances that have failed or are suspended, and whose reason has one of these texts in one of its parts; empty
    /// for all.
    package var failures: [String]
    /// Nil for the order in which they are found.
    package var order: InstanceOrder?
    package var limit: Int
    /// Where the page before ended; nil for the first page.
    package var after: InstanceListPosition?

    package init(
        machines: [MachineName] = [], statuses: [InstanceStatus] = [], states: [String] = [],
        enteredBefore: Timestamp? = nil, updatedAfter: Timestamp? = nil, failures: [String] = [],
        order: InstanceOrder? = nil, limit: Int, after: InstanceListPosition? = nil
    ) {
        self.machines = machines
        self.statuses = statuses
        self.states = states
        self.enteredBefore = enteredBefore
        self.updatedAfter = updatedAfter
        self.failures = failures
        self.order = order
        self.limit = limit
        self.after = after
    }

    /// Whether it wants instances of a machine.
    package func takes(_ machine: MachineName) -> Bool { machines.isEmpty || machines.contains(machine) }

    /// Whether it wants instances of a status.
    package func takes(_ status: InstanceStatus) -> Bool { statuses.isEmpty || statuses.contains(status) }

    /// True when the query selects an instance whose last row has this time.
    package func takes(updated: Timestamp) -> Bool { updatedAfter.map { updated > $0 } ?? true }

    /// Whether it wants an instance of a machine and a status that it wants.
    ///
    /// - Parameters:
    ///   - text: What the instance keeps of why it failed.
    ///   - error: The error that it keeps. Asked only where an invocation failed.
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

    /// Whether it wants instances in a configuration.
    package func takes(configuration: String) -> Bool {
        states.isEmpty || states.contains { SnapshotText.isActive($0, in: configuration) }
    }
}

extension JSONObject {
    /// Whether an instance that keeps it failed on an invocation.
    fileprivate var isOfInvocation: Bool { self["message"]?.string.map(ActionFailure.isOfInvocation) ?? false }

    /// The texts of why an instance failed on an invocation: what rows say, its type aside, and how the last attempt
    /// ended.
    fileprivate func parts(causedBy error: InvocationError?) -> [String] {
        let stored = members.filter { $0.key != "type" }.compactMap(\.value.string) + [InvocationError.failureType]
        guard let error else { return stored }
        let reason = error.reason(of: self["event"]?.string ?? "")
        return stored + [reason] + (error.status.map { ["\($0)"] } ?? [])
    }
}

/// What a list of instances is ordered by.
package enum InstanceOrder: String, Sendable, CaseIterable {
    /// Who has been in its configuration for longest comes first.
    case age
    /// Whose last row is the latest comes first.
    case updated
    /// By the bytes of names.
    case name
}

/// Where an instance stands in an order.
package struct InstanceRank: Sendable, Hashable, Comparable {
    /// Of the time; 0 in the order of names.
    package let time: Int64
    /// Empty in the orders of time.
    package let name: String
    /// Decides between equals.
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
    /// In the order in which they are found.
    case found(InstanceListPlace)
    /// In an order that was asked for.
    case ranked(InstanceRank)

    /// Nil in an order that was asked for.
    package var found: InstanceListPlace? {
        if case .found(let place) = self { place } else { nil }
    }
}

/// A place in the order in which instances are found.
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
    /// Where to go on; nil when this was the last page.
    package var next: InstanceListPosition?

    package init(instances: [InstanceRecord], next: InstanceListPosition?) {
        self.instances = instances
        self.next = next
    }
}
