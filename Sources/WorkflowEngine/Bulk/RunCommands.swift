import WorkflowStore

/// Begins a run. If a run with its name exists, returns the existing run.
struct BeginRunCommand: PlacedCommand {
    let run: BulkRecord
    let request: BulkRequest
    /// The store's numbers when the selection was read; `nil` for those when the run begins.
    let begin: RunBegin?
    /// The instances that the run names.
    let names: [InstanceName]
    /// The runs that are removed to make room.
    let forgotten: [BulkKey]
    /// A setting of a machine that is changed in the same batch; `nil` for none.
    var settles: SetMachineCommand?
    let caller: Caller

    var size: Int { 1_024 + run.request.utf8.count + names.reduce(0) { $0 + 32 + $1.rawValue.utf8.count } }
    var isLong: Bool { names.count > 1_000 }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .first }
    var summary: String { "begin run \(run.key.name)" }

    func want(_ rows: inout WantedRows) { settles?.want(&rows) }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> BulkRecord {
        batch.orders += 1
        if let found = try batch.run(run.key) { return found }
        try endUndone(in: &batch)
        if let settles { _ = try settles.apply(to: &batch) }
        for key in forgotten { batch.changes.runs[key] = .some(nil) }
        let begin = begin ?? RunBegin(batch.numbers)
        var request = request
        request.instances = begin.instances
        var run = run
        run.request = request.text
        run.floor = begin.floor
        batch.changes.runs[run.key] = run
        if !names.isEmpty { batch.changes.runNames[run.key] = names }
        batch.bytes += size
        batch.note(.run(run, verb: run.verb, "begins"))
        let count = run.selected == 1 ? "1 instance" : "\(run.selected) instances"
        batch.recordChange(
            .runBegin, of: run.key.name, detail: "\(run.verb): \(count)", reason: request.reason, by: caller)
        return run
    }

    /// Ends the run that is undone, because its further changes could no longer be undone.
    private func endUndone(in batch: inout BatchBuilder) throws(Rejection) {
        guard let action = BulkRequest(run.request)?.action, let undo = action.undo,
            var undone = try batch.run(BulkKey(undo.run, in: run.key.namespace, partition: run.key.partition)),
            action.isUndo(of: undone), undone.state != .done
        else { return }
        if undone.state == .running { throw .runNotDone(undone.key.name) }
        undone.state = .done
        undone.updated = run.begun
        undone.ended = run.begun
        batch.changes.runs[undone.key] = undone
        batch.note(.run(undone, verb: undone.verb, "is ended by its undo"))
    }
}

/// Stops or resumes a run; a run that is done stays so.
struct ChangeRunCommand: PlacedCommand {
    let key: BulkKey
    let state: BulkRecord.State
    /// The store's generation.
    let generation: Int64
    /// The caller who changes the run; `nil` for the daemon, whose changes are not recorded.
    let caller: Caller?

    var size: Int { 256 }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .partition(key.partition) }
    var summary: String { "\(state == .stopped ? "stop" : "resume") run \(key.name)" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> BulkRecord {
        batch.orders += 1
        guard var run = try batch.run(key) else { throw .runNotFound(key.name) }
        if run.state == .done || (run.state == state && run.generation == generation) { return run }
        run.state = state
        run.generation = generation
        run.updated = max(batch.now, run.begun)
        batch.changes.runs[key] = run
        batch.note(.run(run, verb: run.verb, state == .stopped ? "is stopped" : "goes on"))
        if let caller {
            batch.recordChange(
                state == .stopped ? .runStop : .runResume, of: key.name, detail: run.verb, by: caller)
        }
        return run
    }
}

extension Rejection {
    static func runsUnderWay(_ count: Int) -> Rejection {
        Rejection(.overloaded, "\(count) runs are under way already; nothing was changed")
    }

    static func runsKept(_ count: Int) -> Rejection {
        Rejection(.overloaded, "\(count) runs are kept, and none of them is done; nothing was changed")
    }

    /// Returns the rejection of a request that needs a run to be done.
    package static func runNotDone(_ name: String) -> Rejection {
        Rejection(.notUndoable, "The run '\(name)' is not done yet: 'wfctl bulk stop \(name)' stops it")
    }

    static func runNotFound(_ name: String) -> Rejection {
        Rejection(.runNotFound, "There is no run '\(name)'; 'wfctl bulk list' shows those that there are")
    }
}

extension BulkRecord {
    /// The verb of the run's request; empty if the request cannot be read.
    fileprivate var verb: String { BulkRequest(request)?.action.name ?? "" }
}
