package import WorkflowJSON

/// An instance after its migration to a new version.
package struct Migrated: Sendable {
    package let macrostep: Macrostep
    /// The event of the instance's row: the plan, and the due time of each timer whose delay counts from the past.
    package let event: Event

    let migration: Migration
    /// The states that the active leaves lead to.
    let targets: [StateIndex]
    /// The pending items that the migration ended.
    let ended: [Pending]
    let forgotten: [String]
    let undeclared: [String]

    /// The report, built on demand: a run over thousands of instances does not need it.
    package var told: MigrationReport {
        var told = MigrationReport()
        told.targets = migration.new.paths(of: targets)
        let seq = macrostep.snapshot.seq
        for pending in macrostep.snapshot.armed where pending.kind == .timer && !pending.isKept {
            let timer = MigrationReport.Timer(event: pending.event, due: pending.due)
            if pending.id.seq == seq { told.new.append(timer) } else { told.kept.append(timer) }
        }
        told.ended = ended.filter { $0.invocation == nil }.map(\.event)
        told.cancelled = ended.compactMap { $0.kind == .invocation ? $0.invocation : nil }
        told.forgotten = forgotten
        told.undeclared = undeclared
        return told
    }
}

/// The report about a migration for a person.
package struct MigrationReport: Sendable, Equatable {
    /// A timer and its due time.
    package struct Timer: Sendable, Equatable {
        package let event: String
        package let due: LogicalTime
    }

    /// The states that the active leaves lead to, before states below are entered and eventless transitions are taken.
    package internal(set) var targets: [String] = []
    /// The timers that continue.
    package internal(set) var kept: [Timer] = []
    /// The timers that were armed.
    package internal(set) var new: [Timer] = []
    /// The events of timers and delayed events that were ended.
    package internal(set) var ended: [String] = []
    /// The ids of the cancelled invocations.
    package internal(set) var cancelled: [String] = []
    /// The paths of history states that lost their memory.
    package internal(set) var forgotten: [String] = []
    /// The context keys that the new version does not declare.
    package internal(set) var undeclared: [String] = []

    /// Returns the report for an instance that took further events after the migration. Only timers that are still
    /// armed count as kept or new; kept timers that are gone count as ended.
    package func before(_ armed: [Pending]) -> MigrationReport {
        func isArmed(_ timer: Timer) -> Bool { armed.contains { $0.event == timer.event && $0.due == timer.due } }
        var report = self
        report.ended += kept.filter { !isArmed($0) }.map(\.event)
        report.kept.removeAll { !isArmed($0) }
        report.new.removeAll { !isArmed($0) }
        return report
    }
}

/// The reason why an instance cannot migrate to another version.
package enum MigrationFailure: Error, Sendable {
    /// The parts of the instance that have no place in the new version; never empty.
    case misfits([Misfit])
    /// The instance has finished, or its macrostep in the new version fails.
    case refused(Refusal)
}

extension Migration {
    /// The event name that expressions see during a migration.
    package static let event = "migrate"
    /// The event name of a row whose migration leaves states, or enters states other than the ancestors of mapped
    /// states.
    package static let move = "move"
    /// The event name of every other migration row; the time that the instance has spent in its state continues.
    package static let rename = "rename"

    /// The due times of new timers whose delays count from the past.
    enum Dues {
        /// The delays count from a moment.
        case since(LogicalTime)
        /// The due times are recorded in a row.
        case recorded(JSONObject)
    }

    /// Migrates an instance.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot in the old version.
    ///   - identity: The identity in the new version.
    ///   - entered: The time at which the instance entered its configuration.
    ///   - mark: The members that the row stores in addition to the plan.
    package func run(
        _ snapshot: Snapshot, as identity: InstanceIdentity, at time: LogicalTime, entered: LogicalTime,
        mark: JSONObject = JSONObject(), isTracing: Bool = false, spending spent: inout Int
    ) throws(MigrationFailure) -> Migrated {
        let since = plan.timers == .fromNow ? time : entered
        return try run(
            snapshot, as: identity, at: time, .since(since), mark: mark, StepMode(isTracing: isTracing),
            spending: &spent)
    }

    /// Repeats a migration that a row has recorded.
    package func run(
        recorded event: Event, _ snapshot: Snapshot, as identity: InstanceIdentity, isTracing: Bool = false,
        within bounds: StepBounds = .recorded, spending spent: inout Int
    ) throws(MigrationFailure) -> Migrated {
        let data = event.data?.object ?? JSONObject()
        var mark = JSONObject()
        mark[Self.then] = data[Self.then]
        return try run(
            snapshot, as: identity, at: event.at, .recorded(data["dues"]?.object ?? JSONObject()), mark: mark,
            StepMode(isTracing: isTracing, bounds), spending: &spent)
    }

    private func run(
        _ snapshot: Snapshot, as identity: InstanceIdentity, at time: LogicalTime, _ dues: Dues, mark: JSONObject,
        _ mode: StepMode, spending spent: inout Int
    ) throws(MigrationFailure) -> Migrated {
        if snapshot.refusal == .finished { throw .refused(.finished) }
        let memory = MemoryMigration(snapshot.memory, by: self)
        let states = StateMigration(snapshot, memory: memory.memory, by: self)
        let armed = ArmedMigration(snapshot, states, by: self)
        let context = ContextMigration(snapshot, by: self, as: identity, at: time)
        // If states have no place, the misfits of the items that they own are unknown.
        let misfits = states.misfits + (states.misfits.isEmpty ? armed.misfits : []) + context.misfits
        guard misfits.isEmpty else { throw .misfits(misfits) }
        let begun = Snapshot(
            seq: snapshot.seq, status: .running, configuration: states.kept, context: context.context,
            memory: memory.memory, armed: armed.armed, output: snapshot.output)
        var interpreter = Interpreter(
            machine: new, snapshot: begun, identity: identity, event: Event(name: Self.event, at: time),
            mode: mode)
        interpreter.beginMigration(ending: armed.ended, charging: context.cost)
        let armedDues = interpreter.arm(armed.newTimeouts(states), dues)
        for (state, invocation) in armed.newInvocations(states) { interpreter.beginNew(invocation, of: state) }
        interpreter.enter(states.entry)
        let macrostep: Macrostep
        do throws(Refusal) {
            macrostep = try interpreter.endMigration(as: snapshot.status, spending: &spent)
        } catch {
            if snapshot.status != .running, case .notAccepted = error { throw .misfits([raises(snapshot.status)]) }
            throw .refused(error)
        }
        let isMove = !macrostep.exited.isEmpty || leaves(of: macrostep.snapshot) != states.leaves
        return Migrated(
            macrostep: macrostep,
            event: Event(
                name: isMove ? Self.move : Self.rename, data: .object(data(armedDues, mark)), at: time),
            migration: self, targets: states.targets, ended: armed.ended, forgotten: memory.forgotten,
            undeclared: context.undeclared)
    }

    private func leaves(of snapshot: Snapshot) -> [StateIndex] {
        snapshot.configuration.filter { new[$0].isLeaf }
    }

    private func raises(_ status: Snapshot.Status) -> Misfit {
        Misfit(
            "entry",
            "entering the new states raises an event, which a \(status) instance cannot take; let it go on first")
    }

    private func data(_ dues: JSONObject, _ mark: JSONObject) -> JSONObject {
        var data = data
        if !dues.isEmpty { data["dues"] = .object(dues) }
        for member in mark.members { data[member.key] = member.value }
        return data
    }
}

/// A machine version that an instance had earlier.
package struct EarlierMachine: Sendable, Equatable {
    package let machine: Machine
    package let version: Int64
    /// The checked migration from this version; `nil` if none has been prepared.
    package var prepared: Migration?

    package init(_ machine: Machine, version: Int64) {
        self.machine = machine
        self.version = version
    }

    /// Returns the migration for the plan of a row that leads to another version.
    fileprivate func migration(
        _ plan: MigrationPlan, to new: Machine, version newVersion: Int64
    ) throws(MigrationMistake) -> Migration {
        if let prepared, prepared.plan == plan, prepared.old === machine, prepared.oldVersion == version,
            prepared.new === new, prepared.newVersion == newVersion
        {
            return prepared
        }
        return try Migration(plan, from: machine, version: version, to: new, version: newVersion)
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.machine === rhs.machine && lhs.version == rhs.version
    }
}

extension Machine {
    /// Migrates an instance to this machine as a row describes.
    func migrate(
        _ event: Event, from earlier: EarlierMachine, _ snapshot: Snapshot, as identity: InstanceIdentity,
        _ mode: StepMode, spending spent: inout Int
    ) -> Outcome {
        do {
            let migration = try earlier.migration(MigrationPlan(event.data), to: self, version: identity.version)
            let migrated = try migration.run(
                recorded: event, snapshot, as: identity, isTracing: mode.isTracing, within: mode.bounds,
                spending: &spent)
            guard migrated.event == event else {
                return .refused(.invalidData("the row of a migration says something else than the migration does"))
            }
            return .accepted(migrated.macrostep)
        } catch let mistake as MigrationMistake {
            return .refused(.invalidData(mistake.message))
        } catch MigrationFailure.refused(let refusal) {
            return .refused(refusal)
        } catch MigrationFailure.misfits(let misfits) {
            return .refused(.invalidData(misfits.map(\.reason).joined(separator: "; ")))
        } catch {
            preconditionFailure("a migration fails in no other way")
        }
    }
}

extension Migration {
    /// The key of a row's mark about its request. Its value is `retry` if the request then retries the item that the
    /// instance failed on.
    package static let then = "then"
    /// The value of `then` for a retry.
    package static let retry = "retry"
}
