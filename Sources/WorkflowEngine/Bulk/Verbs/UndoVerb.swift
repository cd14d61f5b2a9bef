import Statechart
import WorkflowJSON
import WorkflowStore

/// Undoes the changes of another run.
struct UndoVerb: BulkVerb {
    /// The name of the undone run.
    let run: String
    let invocations: Reset.Invocations?
    /// The kind of the undone run's rows; `migrated` until the run was looked up.
    private let kind: Input.Kind
    /// The positions before which the undone run has no rows, in the order of partitions; `nil` until the run was
    /// looked up.
    private let floors: [Position]?
    /// The number of instances that the undone run changed; `nil` until the run was looked up.
    let changed: Int64?

    init?(_ json: JSONObject) {
        // Before 0.2 only migrations could be undone.
        guard let run = json["run"]?.string,
            let kind = json["of"].map({ $0.string.flatMap(Input.Kind.init(rawValue:)) }) ?? .migrated
        else { return nil }
        self.run = run
        self.kind = kind
        invocations = (json["invocations"]?.string).flatMap(Reset.Invocations.init(rawValue:))
        floors = json.number("floor").map { [$0] + json.numbers("floors") }?.map(Position.init(rawValue:))
        changed = json.number("moved")
    }

    var traits: BulkTraits { BulkTraits(changesVersions: true) }

    /// Returns the position before which the undone run has no rows in a partition; `nil` if it is not known.
    func floor(in partition: PartitionID) -> Position? { floors?.first { $0.partition == partition } }

    /// The kind of the rows that undo the run. A suspended instance is resumed and continues with what waited, as after
    /// any suspension.
    private var undoingKind: Input.Kind { kind == .suspended ? .resumed : .reset }

    func prepare(
        _ record: InstanceRecord, for order: BulkOrder, in engine: Engine
    ) async throws(Rejection) -> BulkPreparation {
        guard let row = try await row(in: record, of: engine) else { return .passedOver }
        if row.isRedacted {
            return .changed(
                "a row '\(row.kind.rawValue)' was redacted: nobody can say any more whether it was this run's")
        }
        if row.seq < record.seq {
            return .changed("it has gone on since the run (seq \(row.seq.rawValue), now \(record.seq.rawValue))")
        }
        if undoingKind == .resumed {
            let command = RepairVerb(.resume).command(for: record, order)
            return .ready(bytes: 0) { instance, batch throws(Rejection) in
                if instance.state.record.seq != row.seq { return .moved }
                return try command.apply(to: &batch).deed
            }
        }
        let command = ResetCommand(
            instance: record.name, to: .beforeLast, timers: .due, invocations: invocations, by: order.caller)
        let past = await engine.past(of: record, for: .seq(Seq(rawValue: row.seq.rawValue - 1)))
        return .reset(command, to: past, for: order)
    }

    /// Returns the row that the undone run wrote in an instance. If there is none, returns a redacted row that may be
    /// the run's, because such a row no longer names its run. Returns `nil` if there is neither.
    func row(in record: InstanceRecord, of engine: Engine) async throws(Rejection) -> JournalRecord? {
        guard let floor = floor(in: record.id.partition), record.head >= floor else { return nil }
        var (found, redacted): (JournalRecord?, JournalRecord?)
        _ = try await engine.lastRow(of: record, before: floor) { row in
            guard row.kind == kind else { return }
            if RowNote(row.note).run == run { found = row } else if row.isRedacted { redacted = row }
        }
        return found ?? redacted
    }

    func writes(_ row: JournalRecord) -> Bool { row.kind == undoingKind }
}

extension Engine {
    /// Completes a request with stored data: an undo gets the facts about the run that it undoes.
    func resolved(
        _ request: BulkRequest, _ names: [InstanceName], by caller: Caller
    ) async throws(Rejection) -> (request: BulkRequest, names: [InstanceName]) {
        guard let undo = request.action.undo else { return (request, names) }
        let run = try await self.run(named: undo.run, by: caller)
        guard let kind = run.request.action.verb.traits.undoneKind else { throw .neverUndone(run) }
        if run.record.state == .running { throw .runNotDone(undo.run) }
        // An all-or-nothing run that left an instance out changed none.
        let isUndone = run.request.isAtomic && run.outcome.left > 0
        let changed = isUndone ? 0 : run.outcome.count(of: .done) + run.outcome.count(of: .failed)
        var stored = request.action.stored
        stored["floor"] = .int(run.record.floor.rawValue)
        if run.parts.count > 1 { stored["floors"] = .array(run.parts.dropFirst().map { .int($0.floor.rawValue) }) }
        stored["moved"] = .int(changed)
        if kind != .migrated { stored["of"] = .string(kind.rawValue) }
        // Proof: `stored` was read before, and has one more kind of row.
        guard let action = BulkAction(stored) else { preconditionFailure("an undo can be read again") }
        var request = request
        request.action = action
        switch run.request.targets {
        case .selection(let selection):
            // The instances count whatever version they have now.
            request.targets = .selection(BulkSelection(machines: selection.machines))
            return (request, [])
        case .names(let count, _):
            request.targets = run.request.targets
            return (request, try await self.names(of: run.record.key, count))
        }
    }
}

extension Rejection {
    fileprivate static func neverUndone(_ run: BulkView) -> Rejection {
        let name = run.record.key.name
        let message =
            run.request.action.isUndo
            ? "The run '\(name)' is an undo, which is not undone: do again what it has undone, in a new run"
            : "The run '\(name)' is of '\(run.request.action.name)', which is not undone: "
                + "set, cancel, skip, suspend, reset and migrate are"
        return Rejection(.notUndoable, message)
    }
}
