package import Statechart
import WorkflowJSON
package import WorkflowStore

/// Replays an instance's history: each row is given to the step, and must lead to the state that the row records.
package struct Fold: Sendable {
    /// The instance after the last row; `nil` before the first.
    package private(set) var snapshot: Snapshot?
    /// The reason why the last row's event failed; `nil` if it did not.
    package private(set) var failure: RecordedFailure?
    /// The invocation that ended with the last row; `nil` if none did.
    private(set) var result: Pending.ID?
    /// The exit action that failed when the last row cancelled the instance; `nil` if none did.
    private(set) var exitFailure: RecordedFailure?
    /// The last row's timer, if the timer came too late; else `nil`.
    private(set) var skipped: SkippedTimer?
    /// True if macrosteps report their microsteps.
    package var isTracing = false
    /// True if the instance's state is unknown, because a row was redacted and no snapshot has come since.
    package private(set) var isInGap = false
    /// The machine that the instance runs; `nil` before the first row, and if the instance's state is unknown.
    private(set) var machine: EarlierMachine?
    /// The id of `machine`; `nil` if it was not given.
    private(set) var machineID: MachineID?
    /// The migrations that the folds of many instances share; `nil` to check each row's plan anew.
    var migrations: PreparedMigrations?
    private let name: InstanceName
    private let startedAt: LogicalTime

    /// Creates a fold that begins before the first row of an instance.
    package init(of instance: InstanceRecord) {
        name = instance.name
        startedAt = LogicalTime(instance.created)
    }

    /// Creates a fold that begins after the macrostep of a stored snapshot.
    package init(
        of instance: InstanceRecord, after stored: SnapshotRecord, machine: Machine, version: MachineVersion,
        id: MachineID? = nil
    ) throws(FoldError) {
        self.init(of: instance)
        try goOn(after: stored, machine: machine, version: version, id: id)
    }

    /// Continues after the macrostep of a stored snapshot, independently of earlier rows.
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

    /// Skips the next row if it cannot be applied, because this row or an earlier one was redacted. The snapshot of a
    /// row of kind `redacted` has the instance's state for the rows behind it.
    ///
    /// - Returns: False if the row must be applied.
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

    /// Applies the next row. Throws if the machine's result differs from the row.
    ///
    /// - Parameter version: The machine's version.
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
            // The step has compared the row with its result.
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

    /// Applies a row's input within the current bounds, or else within the bounds from before these existed. A row
    /// records whether its input was accepted, or the failure.
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

    /// Returns true if an outcome is the failure that a row records.
    private func isFailure(_ outcome: Outcome, of row: JournalRecord, _ machine: Machine) -> Bool {
        guard row.kind == .failed, case .failed(_, let refusal) = outcome else { return false }
        return RecordedFailure(refusal, of: row.event, in: machine)?.isAlike(RecordedFailure(note: row.note)) ?? false
    }

    /// Returns the input that a row records. Checks that the input was armed and due, and that the row repeats its
    /// data.
    private func input(of row: JournalRecord, in new: EarlierMachine) throws(FoldError) -> Input {
        let input: Input
        do throws(RowError) {
            input = try row.input(after: snapshot, of: machine)
        } catch {
            throw FoldError(seq: row.seq, message: error.message)
        }
        if case .migrated(let event, var earlier) = input, let migrations, let machineID {
            // The step reports a mistake in the plan.
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

/// A difference between a history and its machine.
package struct FoldError: Error, CustomStringConvertible {
    package let seq: Seq
    package let message: String
    package var description: String { "seq \(seq.rawValue): \(message)" }
}
