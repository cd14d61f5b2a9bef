package import Statechart
import WorkflowJSON
package import WorkflowStore

/// Goes through an instance's history again: each row is given to the step, and must lead where the row says.
package struct Fold: Sendable {
    /// The instance after the last row; nil before the first.
    package private(set) var snapshot: Snapshot?
    /// Why the last row's event could not be taken; nil when it could.
    package private(set) var failure: RecordedFailure?
    /// The invocation whose end the last row was; nil when it was none.
    private(set) var result: Pending.ID?
    /// Which exit action failed when the last row cancelled the instance; nil when none did.
    private(set) var exitFailure: RecordedFailure?
    /// The last row's timer, if it came too late; nil otherwise.
    private(set) var skipped: SkippedTimer?
    /// Whether macrosteps tell their microsteps.
    package var isTracing = false
    /// Whether nobody knows what the instance was: a row was redacted, and none with a snapshot has come since.
    package private(set) var isInGap = false
    /// What the instance runs; nil before the first row, and where nobody knows what the instance was.
    private(set) var machine: EarlierMachine?
    /// The row number of that; nil where nobody has said it.
    private(set) var machineID: MachineID?
    /// Shared by the folds of many instances; nil where each row's plan is checked anew.
    var migrations: PreparedMigrations?
    private let name: InstanceName
    private let startedAt: LogicalTime

    /// Begins before the first row of an instance.
    package init(of instance: InstanceRecord) {
        name = instance.name
        startedAt = LogicalTime(instance.created)
    }

    /// Begins after the macrostep of a stored snapshot.
    package init(
        of instance: InstanceRecord, after stored: SnapshotRecord, machine: Machine, version: MachineVersion,
        id: MachineID? = nil
    ) throws(FoldError) {
        self.init(of: instance)
        try goOn(after: stored, machine: machine, version: version, id: id)
    }

    /// Goes on after the macrostep of a stored snapshot, whatever came before.
    package mutating func goOn(
        after stored: SnapshotRecord, machine: Machine, version: MachineVersion, id: MachineID? = nil
    ) throws(FoldError) {
        machineID = id
        self.machine = EarlierMachine(machine, version: version.rawValue)
        do throws(SnapshotTextError) {
            snapshot = try machine.snapshot(
                of: stored.state, status: Snapshot.Status(stored.status), seq: stored.seq.rawValue)
        } catch {
            throw FoldError(seq: stored.seq, message: error.message)
        }
        isInGap = false
    }

    /// Passes the next row when it cannot be taken: what it says was redacted, or what came before. Behind one of kind
    /// `redacted` its snapshot says how the instance goes on.
    ///
    /// - Returns: False of a row that is to be taken.
    package mutating func passes(_ row: JournalRecord) -> Bool {
        guard isInGap || row.isRedacted else { return false }
        isInGap = true
        snapshot = nil
        machine = nil
        machineID = row.machineID
        failure = nil
        result = nil
        exitFailure = nil
        skipped = nil
        return true
    }

    /// Takes the next row; throws where the machine says something else than the row.
    ///
    /// - Parameter version: That of the machine.
    @discardableResult
    package mutating func apply(
        _ row: JournalRecord, machine: Machine, version: MachineVersion
    ) throws(FoldError) -> Macrostep {
        defer { machineID = row.machineID }
        let identity = InstanceIdentity(name: name.rawValue, version: version.rawValue, startedAt: startedAt)
        let macrostep: Macrostep
        let input = try input(of: row, in: EarlierMachine(machine, version: version.rawValue))
        let result = snapshot?.ended(by: input)
        switch outcome(of: input, as: row, machine, identity) {
        case .refused:
            throw FoldError(seq: row.seq, message: "'\(row.event)' is recorded, but the machine refuses it")
        case .failed(let failed, let refusal):
            guard row.kind == .failed else {
                throw FoldError(seq: row.seq, message: "'\(row.event)' is recorded, but the machine refuses it")
            }
            failure = RecordedFailure(refusal, of: row.event, in: machine)
            macrostep = failed
        case .accepted(let accepted):
            guard row.kind != .failed else {
                throw FoldError(
                    seq: row.seq, message: "'\(row.event)' is recorded as failed, but the machine takes it")
            }
            failure = row.kind == .reset ? RecordedFailure(ofReset: input.event.data) : nil
            macrostep = accepted
        }
        guard machine.isText(row.to, of: macrostep.snapshot.configuration) else {
            let configuration = machine.leafPaths(of: macrostep.snapshot.configuration).joined(separator: ",")
            throw FoldError(
                seq: row.seq, message: "'\(row.event)' is recorded to lead to '\(row.to)', not to '\(configuration)'")
        }
        if row.kind.changesMachine {
            // The step has compared what the row says with what it does.
            guard self.machine?.machine.name == machine.name else {
                throw FoldError(seq: row.seq, message: "the row leads to another machine")
            }
        }
        if self.machine?.machine !== machine { self.machine = EarlierMachine(machine, version: version.rawValue) }
        snapshot = macrostep.snapshot
        exitFailure = macrostep.exitFailure.flatMap { RecordedFailure($0, of: row.event, in: machine) }
        self.result = result
        skipped = macrostep.skipped
        return macrostep
    }

    /// Takes a row's input: within the bounds of now, or else within those from before there were these. A row
    /// says whether it was taken, or on what the instance failed.
    private func outcome(
        of input: Input, as row: JournalRecord, _ machine: Machine, _ identity: InstanceIdentity
    ) -> Outcome {
        let outcome = machine.apply(input, to: snapshot, as: identity, isTracing: isTracing, within: .live)
        guard let bounds = machine.semantics.earlierBounds, outcome.dependsOnBounds,
            !isFailure(outcome, of: row, machine)
        else { return outcome }
        let earlier = machine.apply(input, to: snapshot, as: identity, isTracing: isTracing, within: bounds)
        return row.kind != .failed || isFailure(earlier, of: row, machine) ? earlier : outcome
    }

    /// Whether an outcome is the failure that a row records.
    private func isFailure(_ outcome: Outcome, of row: JournalRecord, _ machine: Machine) -> Bool {
        guard row.kind == .failed, case .failed(_, let refusal) = outcome else { return false }
        return RecordedFailure(refusal, of: row.event, in: machine)?.isAlike(RecordedFailure(note: row.note)) ?? false
    }

    /// What the row records. What it took was armed, and by then due; that the row repeats its data is checked here.
    private func input(of row: JournalRecord, in new: EarlierMachine) throws(FoldError) -> Input {
        let input: Input
        do throws(RowError) {
            input = try row.input(after: snapshot, of: machine)
        } catch {
            throw FoldError(seq: row.seq, message: error.message)
        }
        if case .migrated(let event, var earlier) = input, let migrations, let machineID {
            // A mistake of the plan is found by the step.
            earlier.prepared = try? migrations.migration(
                MigrationPlan(event.data), from: earlier, machineID, to: new, row.machineID)
            return .migrated(event, from: earlier)
        }
        guard let taken = input.taken else { return input }
        guard row.data == taken.event.data.map(JSONWriter.string) else {
            throw FoldError(seq: row.seq, message: "the data of '\(row.event)' is not what was armed")
        }
        guard snapshot?.armed.contains(where: { $0.id == taken.id && $0.due <= taken.event.at }) ?? false
        else { throw FoldError(seq: row.seq, message: "'\(row.event)' is recorded before it was due") }
        return input
    }
}

/// Where history and machine part.
package struct FoldError: Error, CustomStringConvertible {
    package let seq: Seq
    package let message: String
    package var description: String { "seq \(seq.rawValue): \(message)" }
}
