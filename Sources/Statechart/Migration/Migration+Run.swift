package import WorkflowJSON

/// An instance in its new version.
package struct Migrated: Sendable {
    package let macrostep: Macrostep
    /// As its row has it: what was asked, and when each timer is due that counts from the past.
    package let event: Event

    let migration: Migration
    /// Where the leaves led.
    let targets: [StateIndex]
    /// What does not come any more.
    let ended: [Pending]
    let forgotten: [String]
    let undeclared: [String]

    /// Put together where somebody asks: a run over thousands does not.
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

/// What a person is told of a migration.
package struct MigrationReport: Sendable, Equatable {
    /// A timer, and when it is due.
    package struct Timer: Sendable, Equatable {
        package let event: String
        package let due: LogicalTime
    }

    /// Where the active leaves lead, before states below them are entered and transitions without event are taken.
    package internal(set) var targets: [String] = []
    /// Timers that go on.
    package internal(set) var kept: [Timer] = []
    /// Timers that were armed.
    package internal(set) var new: [Timer] = []
    /// Timers and delayed events that do not come any more.
    package internal(set) var ended: [String] = []
    /// The ids of invocations that were cancelled.
    package internal(set) var cancelled: [String] = []
    /// The paths of history states that have forgotten what they remembered.
    package internal(set) var forgotten: [String] = []
    /// Keys of the context that the new version does not declare.
    package internal(set) var undeclared: [String] = []

    /// The same where the instance then went on: only what is still armed is kept or new.
    package func before(_ armed: [Pending]) -> MigrationReport {
        func isArmed(_ timer: Timer) -> Bool { armed.contains { $0.event == timer.event && $0.due == timer.due } }
        var report = self
        report.ended += kept.filter { !isArmed($0) }.map(\.event)
        report.kept.removeAll { !isArmed($0) }
        report.new.removeAll { !isArmed($0) }
        return report
    }
}

/// Why an instance cannot go over to another version.
package enum MigrationFailure: Error, Sendable {
    /// What of it has no place there; never empty.
    case misfits([Misfit])
    /// It has finished, or what it would do there fails.
    case refused(Refusal)
}

extension Migration {
    /// What expressions see as the event's name.
    package static let event = "migrate"
    /// The event of a row that leaves states, or enters others than those around the mapped ones.
    package static let move = "move"
    /// The event of one that does not: its instance is in its state as long as before.
    package static let rename = "rename"

    /// When timers are due that count from the past.
    enum Dues {
        /// From a moment on.
        case since(LogicalTime)
        /// As a row says.
        case recorded(JSONObject)
    }

    /// Takes an instance over.
    ///
    /// - Parameters:
    ///   - snapshot: Of the old version.
    ///   - identity: In the new version.
    ///   - entered: When it entered its configuration.
    ///   - mark: What the row says beside the plan.
    package func run(
        _ snapshot: Snapshot, as identity: InstanceIdentity, at time: LogicalTime, entered: LogicalTime,
        mark: JSONObject = JSONObject(), isTracing: Bool = false, spending spent: inout Int
    ) throws(MigrationFailure) -> Migrated {
        let since = plan.timers == .fromNow ? time : entered
        return try run(
            snapshot, as: identity, at: time, .since(since), mark: mark, StepMode(isTracing: isTracing),
            spending: &spent)
    }

    /// The same, as a row has recorded it.
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
        // Where states have no place, nothing can be said of what ends with them.
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

/// A machine version that an instance had.
package struct EarlierMachine: Sendable, Equatable {
    package let machine: Machine
    package let version: Int64
    /// The plan that leads from here, where somebody has checked it already.
    package var prepared: Migration?

    package init(_ machine: Machine, version: Int64) {
        self.machine = machine
        self.version = version
    }

    /// The plan of a row that leads to another version.
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
    /// Takes an instance over as a row says; the machine is the new one.
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
    /// What a row says of the request that it belongs to: `retry` when that takes next what the instance failed on.
    package static let then = "then"
    /// See `then`.
    package static let retry = "retry"
}
