import JSON
package import Statechart
package import WorkflowStore

/// Goes through an instance's history again: each row is given to the step, and must lead where the row says.
package struct Fold: Sendable {
    /// The instance after the last row; nil before the first.
    package private(set) var snapshot: Snapshot?
    /// Why the last row's event could not be taken; nil when it could.
    private(set) var failure: RecordedFailure?
    /// Whether macrosteps tell their microsteps.
    package var isTracing = false
    private let name: String
    private let startedAt: LogicalTime

    /// Begins before the first row of an instance.
    package init(of instance: InstanceRecord) {
        name = instance.name
        startedAt = LogicalTime(instance.created)
    }

    /// Begins after the macrostep of a stored snapshot.
    package init(
        of instance: InstanceRecord, after stored: SnapshotRecord, machine: Machine
    ) throws(FoldError) {
        self.init(of: instance)
        do throws(SnapshotTextError) {
            snapshot = try machine.snapshot(of: stored.state, status: Snapshot.Status(stored.status))
        } catch {
            throw FoldError(seq: stored.seq, message: error.message)
        }
    }

    /// Takes the next row; throws where the step says something else than the row. Nil for a row that is no macrostep.
    ///
    /// - Parameter version: That of the machine.
    @discardableResult
    package mutating func apply(
        _ row: JournalRecord, machine: Machine, version: Int64
    ) throws(FoldError) -> Macrostep? {
        let event = row.recordedEvent(
            try data(of: row), from: waiting(for: row), hadFailed: snapshot?.status == .failed)
        let outcome = try outcome(of: row, event, machine, version)
        if row.kind == .failed {
            try fail(row, outcome, machine)
            return nil
        }
        failure = nil
        guard case .accepted(let macrostep) = outcome else {
            throw FoldError(seq: row.seq, message: "'\(row.event)' is recorded, but the machine refuses it")
        }
        guard machine.isText(row.to, of: macrostep.snapshot.configuration) else {
            let configuration = machine.leafPaths(of: macrostep.snapshot.configuration).joined(separator: ",")
            throw FoldError(
                seq: row.seq, message: "'\(row.event)' is recorded to lead to '\(row.to)', not to '\(configuration)'")
        }
        snapshot = macrostep.snapshot
        return macrostep
    }

    private mutating func fail(_ row: JournalRecord, _ outcome: Outcome, _ machine: Machine) throws(FoldError) {
        guard case .refused(let refusal) = outcome else {
            throw FoldError(seq: row.seq, message: "'\(row.event)' is recorded as failed, but the machine takes it")
        }
        guard let failure = RecordedFailure(refusal, of: row.event, in: machine) else {
            throw FoldError(seq: row.seq, message: "'\(row.event)' is recorded as failed, but nothing was to come")
        }
        self.failure = failure
        snapshot?.status = .failed
    }

    private func outcome(
        of row: JournalRecord, _ event: Event, _ machine: Machine, _ version: Int64
    ) throws(FoldError) -> Outcome {
        let identity = InstanceIdentity(name: name, version: version, startedAt: startedAt)
        switch (row.kind, snapshot) {
        case (.started, nil):
            return machine.start(with: event.data?.object ?? JSONObject(), as: identity, isTracing: isTracing)
        case (.event, let before?), (.sent, let before?), (.timer, let before?):
            return machine.step(before, event, as: identity, isTracing: isTracing)
        case (.retried, var before?), (.failed, var before?):
            before.status = .running
            return machine.step(before, event, as: identity, isTracing: isTracing)
        default:
            throw FoldError(seq: row.seq, message: "a row of kind '\(row.kind.rawValue)' cannot stand here")
        }
    }

    /// Events that the instance sent to itself come from the journal; the one that was waiting is taken away.
    private func waiting(for row: JournalRecord) -> ArmedTimer? {
        switch row.kind {
        case .sent: snapshot?.nextImmediate
        case .timer, .retried, .failed: snapshot?.nextTimer
        case .started, .event, .result, .cancelled, .reset, .set, .migrated, .redacted: nil
        }
    }

    private func data(of row: JournalRecord) throws(FoldError) -> JSONValue? {
        guard let text = row.data else { return nil }
        do throws(JSONError) {
            return try JSONReader.value(from: text)
        } catch {
            throw FoldError(seq: row.seq, message: "its data is not JSON: \(error)")
        }
    }
}

/// Where history and machine part.
package struct FoldError: Error, CustomStringConvertible {
    package let seq: Seq
    package let message: String
    package var description: String { "seq \(seq.rawValue): \(message)" }
}
