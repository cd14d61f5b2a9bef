package import Statechart
package import WorkflowJSON
package import WorkflowStore

/// The action of a bulk run on each of its instances.
package enum BulkAction: Sendable, Equatable {
    case repair(RepairCommand.Verb)
    case send(event: String, data: JSONValue?)
    /// Migrates instances. With `retries`, only those are migrated that then accept the input on which they failed.
    case migrate(to: MachineVersion, MigrationPlan, retries: Bool)
    case reset(to: Seq, timers: Reset.Timers, invocations: Reset.Invocations?)
    /// Undoes the changes of another run.
    case undo(UndoneRun, invocations: Reset.Invocations?)
    case delete(cancelsEffects: Bool)
    case redact(paths: [String])

    /// The action's name in the API.
    package var verb: String {
        switch self {
        case .repair(let verb): verb.name
        case .send: "send"
        case .migrate(_, _, let retries): retries ? "retry" : "migrate"
        case .reset: "reset"
        case .undo: "undo"
        case .delete: "delete"
        case .redact: "redact"
        }
    }

    /// The kind of the action's rows if a run of it can be undone; else `nil`.
    var undoneKind: Input.Kind? {
        switch self {
        case .repair(.retry), .repair(.resume): nil
        case .repair(let verb): verb.kind
        case .migrate(_, _, let retries): retries ? nil : .migrated
        case .reset: .reset
        case .send, .undo, .delete, .redact: nil
        }
    }

    /// True if the action undoes a run.
    var isUndo: Bool { if case .undo = self { true } else { false } }

    /// Returns true if the action undoes this run, and no other with the same name.
    func isUndo(of run: BulkRecord) -> Bool {
        guard case .undo(let undone, _) = self else { return false }
        return undone.name == run.key.name && undone.floor == run.floor
    }

    fileprivate func undoes(_ run: String, _ wanted: Reset.Invocations?) -> Bool {
        guard case .undo(let undone, let invocations) = self else { return false }
        return undone.name == run && invocations == wanted
    }

    /// True if the action reads its data as it is on disk.
    var isLong: Bool {
        switch self {
        case .delete, .redact: true
        case .repair, .send, .migrate, .reset, .undo: false
        }
    }

    /// The way in which the data that a run erases leaves the files, before the run is done; `nil` if the verb erases
    /// nothing.
    var erasure: ErasureKind? {
        switch self {
        case .delete: .deletion
        case .redact: .redaction
        case .repair, .send, .migrate, .reset, .undo: nil
        }
    }

    /// True if the action needs more data of an instance than its row has.
    var isPrepared: Bool {
        switch self {
        case .reset, .undo, .delete, .redact: true
        case .repair, .send, .migrate: false
        }
    }
}

/// A run that is undone.
package struct UndoneRun: Sendable, Equatable {
    package let name: String
    /// The kind of the run's rows; `migrated` until the run was looked up.
    let kind: Input.Kind
    /// The position before which the run has no rows; `nil` until the run was looked up.
    package let floor: Position?
    /// The number of instances that the run changed; `nil` until the run was looked up.
    let changed: Int64?

    package init(_ name: String) { self.init(name, kind: .migrated, floor: nil, changed: nil) }

    init(_ name: String, kind: Input.Kind, floor: Position?, changed: Int64?) {
        self.name = name
        self.kind = kind
        self.floor = floor
        self.changed = changed
    }

    /// The kind of the rows that undo the run. A suspended instance is resumed and continues with what waited, as after
    /// any suspension.
    var undoingKind: Input.Kind { kind == .suspended ? .resumed : .reset }
}

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
    /// True to select only instances that their machine suspended.
    package var isSuspendedByMachine: Bool

    package init(
        machines: [MachineName] = [], versions: [MachineVersion] = [], statuses: [InstanceStatus] = [],
        states: [String] = [], olderThan: Int64? = nil, failures: [String] = [], isSuspendedByMachine: Bool = false
    ) {
        self.isSuspendedByMachine = isSuspendedByMachine
        self.machines = machines
        self.versions = versions
        self.statuses = statuses
        self.states = states
        self.olderThan = olderThan
        self.failures = failures
    }

    /// Returns the filter of a list that begins at a time.
    func filter(at now: Timestamp) -> InstanceQuery {
        InstanceQuery(
            machines: machines, statuses: isSuspendedByMachine ? [.suspended] : statuses, states: states,
            enteredBefore: olderThan.map { Timestamp(rawValue: now.rawValue - $0) }, failures: failures, limit: 0)
    }

    /// Returns true if the selection includes the instances of a tally, judged by the criteria that a tally has.
    func takes(_ counted: TallyRecord) -> Bool {
        let counting = InstanceQuery(machines: machines, statuses: statuses, states: states, limit: 0)
        return SelectionQuery(counting, versions: versions, limit: 0).takes(counted.machine, counted.version)
            && counting.takes(counted.key.status) && counting.takes(configuration: counted.key.configuration)
    }
}

/// A request for many instances.
package struct BulkRequest: Sendable, Equatable {
    /// The instances of a request.
    package enum Targets: Sendable, Equatable {
        case selection(BulkSelection)
        /// Named instances: their number, and the digest of their names.
        case names(Int, Digest)
    }

    package var action: BulkAction
    package var targets: Targets
    /// The beginning of the digest of the rehearsed selection.
    package var expect: String?
    package var reason: String?
    /// True to change nothing unless the action can be done to all instances.
    package var isAtomic: Bool
    /// The first instance id that the run does not include, because its instance was started after the run began; `nil`
    /// until the run has begun.
    var instances: InstanceID?

    package init(
        action: BulkAction, targets: Targets, expect: String? = nil, reason: String? = nil, isAtomic: Bool = false
    ) {
        self.isAtomic = isAtomic
        self.action = action
        self.targets = targets
        self.expect = expect
        self.reason = reason
    }

    /// True if the request is only for instances that their machine suspended.
    var isForSuspendedByMachine: Bool {
        if case .selection(let selection) = targets { selection.isSuspendedByMachine } else { false }
    }

    /// Returns the digest of names, for `Targets.names`.
    package static func digest(of names: [InstanceName]) -> Digest {
        Digest(of: Array(names.map(\.rawValue).joined(separator: "\n").utf8))
    }
}

// MARK: As it is stored: two requests are the same when their texts are

extension BulkRequest {
    var text: String {
        var object: JSONObject = ["action": .object(action.object)]
        switch targets {
        case .selection(let selection): object["select"] = .object(selection.object)
        case .names(let count, let digest):
            object["names"] = ["count": .int(Int64(count)), "digest": .string(digest.text)]
        }
        object["expect"] = expect.map(JSONValue.string)
        object["reason"] = reason.map(JSONValue.string)
        if isAtomic { object["allOrNothing"] = true }
        object["instances"] = (instances?.rawValue).map(JSONValue.int)
        return JSONWriter.string(JSONValue.object(object))
    }

    /// Returns true if this stored request is the one that a caller asks for. The caller of an undo needs to know only
    /// the name of the run to undo.
    func isSame(as asked: BulkRequest) -> Bool {
        var asked = asked
        asked.instances = instances
        if case .undo(let undone, let invocations) = action, asked.action.undoes(undone.name, invocations) {
            asked.action = action
            asked.targets = targets
        }
        return text == asked.text
    }

    /// Returns `nil` if no wfd has written the text.
    init?(_ text: String) {
        guard let object = RecordedFailure.object(text), let action = object["action"]?.object.flatMap(BulkAction.init)
        else { return nil }
        if let selection = object["select"]?.object {
            targets = .selection(BulkSelection(selection))
        } else if let names = object["names"]?.object, case .int(let count)? = names["count"],
            let digest = (names["digest"]?.string).flatMap({ Digest(text: $0) })
        {
            targets = .names(Int(clamping: count), digest)
        } else {
            return nil
        }
        self.action = action
        expect = object["expect"]?.string
        reason = object["reason"]?.string
        isAtomic = object["allOrNothing"] == true
        if case .int(let id)? = object["instances"] { instances = InstanceID(rawValue: id) }
    }
}

extension JSONValue {
    fileprivate var version: MachineVersion? {
        if case .int(let number) = self { MachineVersion(rawValue: number) } else { nil }
    }
}

extension BulkSelection {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object["machine"] = Self.value(of: machines.map { .string($0.rawValue) })
        object["version"] = Self.value(of: versions.map { .int($0.rawValue) })
        object["status"] = Self.value(of: statuses.map { .string($0.rawValue) })
        object["state"] = Self.value(of: states.map(JSONValue.string))
        object["olderThan"] = olderThan.map(JSONValue.int)
        object["failure"] = Self.value(of: failures.map(JSONValue.string))
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

    fileprivate init(_ object: JSONObject) {
        func number(_ name: String) -> Int64? { if case .int(let number)? = object[name] { number } else { nil } }
        self.init(
            machines: Self.texts(of: object["machine"]).map(MachineName.init(rawValue:)),
            versions: Self.values(of: object["version"]).compactMap(\.version),
            statuses: Self.texts(of: object["status"]).compactMap(InstanceStatus.init(rawValue:)),
            states: Self.texts(of: object["state"]),
            olderThan: number("olderThan").map { min(max(0, $0), Timestamp.range.upperBound) },
            failures: Self.texts(of: object["failure"]),
            isSuspendedByMachine: object["suspendedBy"]?.string == Actor.machine.rawValue)
    }
}
