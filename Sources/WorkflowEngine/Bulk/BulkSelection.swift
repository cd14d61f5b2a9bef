import Statechart
package import WorkflowJSON
package import WorkflowStore

/// The criteria that select instances; all instances without any criterion.
package struct BulkSelection: Sendable, Equatable {
    /// The machines. Each list here is empty for all.
    package var machines: [MachineName]
    /// The versions of the machine; requires exactly one machine.
    package var versions: [MachineVersion]
    package var statuses: [InstanceStatus]
    package var states: [String]
    /// The milliseconds for which an instance must have been in its configuration when the run begins.
    package var olderThan: Int64?
    package var failures: [String]
    /// The text with which the names begin; `nil` for all names.
    package var prefix: String?
    /// The expression of a condition on the instances; `nil` for none.
    package var condition: String?
    /// True to select only instances that their machine suspended.
    package var isSuspendedByMachine: Bool

    package init(
        machines: [MachineName] = [], versions: [MachineVersion] = [], statuses: [InstanceStatus] = [],
        states: [String] = [], olderThan: Int64? = nil, failures: [String] = [], prefix: String? = nil,
        condition: String? = nil, isSuspendedByMachine: Bool = false
    ) {
        self.prefix = prefix
        self.condition = condition
        self.isSuspendedByMachine = isSuspendedByMachine
        self.machines = machines
        self.versions = versions
        self.statuses = statuses
        self.states = states
        self.olderThan = olderThan
        self.failures = failures
    }

    /// Returns the filter of a list that begins at a time. Throws if the condition cannot be compiled.
    func filter(at now: Timestamp) throws(Rejection) -> InstanceQuery {
        var filter = InstanceQuery(
            prefix: prefix, machines: machines, versions: versions,
            statuses: isSuspendedByMachine ? [.suspended] : statuses, states: states,
            enteredBefore: olderThan.map { Timestamp(rawValue: now.rawValue - $0) }, failures: failures, limit: 0)
        do throws(InstanceConditionError) {
            filter.condition = try condition.map { (source) throws(InstanceConditionError) in
                DatedCondition(try InstanceCondition(source), at: now)
            }
        } catch {
            throw .invalidData("The condition of the selection cannot be evaluated: \(error.message)")
        }
        return filter
    }

    /// True if a count by machine, status and state is not the number of instances.
    var needsWalk: Bool {
        olderThan != nil || !failures.isEmpty || isSuspendedByMachine || isNarrow
    }

    /// True if the selection has criteria that earlier releases do not know.
    var isNarrow: Bool { prefix != nil || condition != nil }

    /// Returns true if the selection includes the instances of a tally, judged by the criteria that a tally has.
    func takes(_ counted: TallyRecord) -> Bool {
        let counting = InstanceQuery(
            machines: machines, versions: versions, statuses: statuses, states: states, limit: 0)
        return counting.takes(counted.machine, counted.version)
            && counting.takes(counted.key.status) && counting.takes(configuration: counted.key.configuration)
    }
}

extension JSONValue {
    fileprivate var version: MachineVersion? {
        if case .int(let number) = self { MachineVersion(rawValue: number) } else { nil }
    }
}

extension BulkSelection {
    /// The selection as it is stored.
    package var object: JSONObject {
        var object = JSONObject()
        object["machine"] = Self.value(of: machines.map { .string($0.rawValue) })
        object["version"] = Self.value(of: versions.map { .int($0.rawValue) })
        object["status"] = Self.value(of: statuses.map { .string($0.rawValue) })
        object["state"] = Self.value(of: states.map(JSONValue.string))
        object["olderThan"] = olderThan.map(JSONValue.int)
        object["failure"] = Self.value(of: failures.map(JSONValue.string))
        object["prefix"] = prefix.map(JSONValue.string)
        object["where"] = condition.map(JSONValue.string)
        if isSuspendedByMachine { object["suspendedBy"] = .string(Actor.machine.rawValue) }
        return object
    }

    /// Returns a single value alone, and several values in a list.
    private static func value(of values: [JSONValue]) -> JSONValue? { values.count > 1 ? .array(values) : values.first }

    private static func values(of value: JSONValue?) -> [JSONValue] {
        if case .array(let values)? = value { return values }
        return value.map { [$0] } ?? []
    }

    private static func texts(of value: JSONValue?) -> [String] { values(of: value).compactMap(\.string) }

    /// Reads a stored selection; skips everything unknown.
    package init(_ object: JSONObject) {
        self.init(
            machines: Self.texts(of: object["machine"]).map(MachineName.init(rawValue:)),
            versions: Self.values(of: object["version"]).compactMap(\.version),
            statuses: Self.texts(of: object["status"]).compactMap(InstanceStatus.init(rawValue:)),
            states: Self.texts(of: object["state"]),
            olderThan: object.number("olderThan").map { min(max(0, $0), Timestamp.range.upperBound) },
            failures: Self.texts(of: object["failure"]), prefix: object["prefix"]?.string,
            condition: object["where"]?.string,
            isSuspendedByMachine: object["suspendedBy"]?.string == Actor.machine.rawValue)
    }
}
