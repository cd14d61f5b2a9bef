import NaiveStatechart
import Statechart
import WorkflowJSON

extension StepAdapter {
    /// Migrates the instance to another version; `nil` if it has ended.
    ///
    /// The row is applied once more, as a fold applies it, and the result must be the same.
    mutating func migrate(to next: Int64, by asked: ModelPlan, at now: Int64) -> Observation? {
        guard let snapshot, !isOver else { return nil }
        let (old, new) = (machine, machines[Int(next) - 1])
        let at = LogicalTime(milliseconds: now)
        var spent = 0
        do {
            let migration = try Migration(MigrationPlan(asked), from: old, version: version, to: new, version: next)
            let migrated = try migration.run(
                snapshot, as: identity(in: next), at: at, entered: entered, spending: &spent)
            guard isRecorded(migrated, snapshot, to: next), migrated.macrostep.asksForAll(since: snapshot) else {
                return .refused(.notRecorded)
            }
            let enteredBefore = entered
            let observation = observed(.accepted(migrated.macrostep), at: at, in: next)
            entered = migrated.event.name == Migration.move ? at : enteredBefore
            guard case .accepted(let step) = observation else { return observation }
            return .migrated(step, told: [migrated.event.name] + Self.lines(migrated.told))
        } catch MigrationFailure.misfits(let misfits) {
            return .misfits(Set(misfits.map(\.place)).sorted())
        } catch MigrationFailure.refused(let refusal) {
            return observed(.refused(refusal))
        } catch {
            return .refused(.mistake)
        }
    }

    /// Returns true if a fold of the row gives the same result. The row and the instance before it are written and read
    /// first.
    private func isRecorded(_ migrated: Migrated, _ snapshot: Snapshot, to next: Int64) -> Bool {
        let (new, identity) = (machines[Int(next) - 1], identity(in: next))
        let macrostep = migrated.macrostep.snapshot
        do {
            let data = try migrated.event.data.map { try JSONReader.value(from: JSONWriter.string($0)) }
            let event = Event(name: migrated.event.name, data: data, at: migrated.event.at)
            let before = try machine.snapshot(
                of: machine.text(of: snapshot), status: snapshot.status, seq: snapshot.seq)
            let folded = new.apply(
                .migrated(event, from: EarlierMachine(machine, version: version)), to: before, as: identity)
            let after = try new.snapshot(of: new.text(of: macrostep), status: macrostep.status, seq: macrostep.seq)
            return folded == .accepted(migrated.macrostep) && after == macrostep
        } catch {
            return false
        }
    }

    private static func lines(_ told: MigrationReport) -> [String] {
        func line(_ word: String, _ list: [String]) -> String { "\(word) \(list.joined(separator: ", "))" }
        func timers(_ list: [MigrationReport.Timer]) -> [String] {
            list.map { "\($0.event) at \($0.due.milliseconds)" }
        }
        return [
            line("targets", told.targets), line("kept", timers(told.kept)), line("new", timers(told.new)),
            line("ended", told.ended), line("cancelled", told.cancelled), line("forgotten", told.forgotten),
            line("undeclared", told.undeclared),
        ]
    }
}

extension Macrostep {
    /// Returns true if the requests are the items that were armed in the macrostep, and the ends of those that are no
    /// longer armed.
    fileprivate func asksForAll(since before: Snapshot) -> Bool {
        var armed: Set<Pending.ID> = []
        var ended: Set<Pending.ID> = []
        for request in requests {
            switch request {
            case .arm(let pending), .invoke(let pending, _): armed.insert(pending.id)
            case .cancel(let id): ended.insert(id)
            case .call: break
            }
        }
        let (old, new) = (Set(before.armed.map(\.id)), Set(snapshot.armed.map(\.id)))
        return armed == new.subtracting(old) && ended == old.subtracting(new)
    }
}

extension MigrationPlan {
    fileprivate init(_ asked: ModelPlan) {
        self.init(
            map: asked.map, assign: asked.assign.mapValues(\.expression), drop: asked.drop,
            timers: asked.countsFromNow ? .fromNow : .sinceEntry, cancelsInvocations: asked.cancelsInvocations)
    }
}

extension ModelPlan.Value {
    /// The value as CEL.
    var expression: String {
        switch self {
        case .literal(let value): JSONWriter.string(value)
        case .key(let key): "context.\(key)"
        case .fails: "1 / 0"
        }
    }
}
