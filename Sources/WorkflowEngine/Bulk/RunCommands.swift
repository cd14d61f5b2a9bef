import WorkflowStore

/// Begins a run. If a run with its name exists, returns the existing run.
struct BeginRunCommand: PlacedCommand {
    let run: BulkRecord
    let request: BulkRequest
    let partitions: [PartitionID]
    /// The numbers of the partitions when the selection was read; none for those when the run begins.
    let begins: [RunBegin]
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
        let parts = partitions.map { part(in: $0, of: batch) }
        for part in parts { batch.changes.runs[part.key] = part }
        writeNames(in: &batch)
        batch.bytes += size
        batch.note(.run(run, verb: run.verb, "begins"))
        let count = run.selected == 1 ? "1 instance" : "\(run.selected) instances"
        batch.recordChange(
            .runBegin, of: run.key.name, detail: "\(run.verb): \(count)", reason: request.reason, by: caller)
        // Proof: a store has at least one partition.
        return parts[0]
    }

    /// Returns the run in a partition. Each other partition sets its own numbers when it opens the run.
    private func part(in partition: PartitionID, of batch: borrowing BatchBuilder) -> BulkRecord {
        let isOwn = partition == batch.numbers.partition
        var part = run
        part.key = run.key.with(partition: partition)
        part.floor = Position.beginning(of: partition).next
        part.request = request.text
        if !isOwn {
            part.selected = 0
            part.outcome = BulkOutcome().text
        }
        let begin = begins.first { $0.floor.partition == partition } ?? (isOwn ? RunBegin(batch.numbers) : nil)
        if let begin { part.begin(at: begin, request) }
        return part
    }

    private func writeNames(in batch: inout BatchBuilder) {
        if names.isEmpty { return }
        if batch.parts.placement.hasOne {
            batch.changes.runNames[run.key] = names
            return
        }
        let placement = batch.parts.placement
        let named = Dictionary(grouping: names) { placement.partition(of: InstanceKey($0, in: run.key.namespace)) }
        for (partition, names) in named { batch.changes.runNames[run.key.with(partition: partition)] = names }
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
        if !batch.parts.placement.hasOne { undone.cut() }
        batch.changes.runs[undone.key] = undone
        batch.note(.run(undone, verb: undone.verb, "is ended by its undo"))
    }
}

/// Opens a run in a partition other than the first: sets the numbers from which instances and rows are younger.
struct OpenRunCommand: PlacedCommand {
    let key: BulkKey

    var size: Int { 256 }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .partition(key.partition) }
    var summary: String { "open run \(key.name)" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) {
        batch.orders += 1
        guard var run = try batch.run(key), let request = BulkRequest(run.request) else { return }
        if let undo = request.action.undo,
            var undone = try batch.run(BulkKey(undo.run, in: key.namespace, partition: key.partition)),
            request.action.isUndo(of: undone), undone.state != .done
        {
            // Its further changes could no longer be undone.
            undone.state = .done
            undone.updated = max(batch.now, undone.begun)
            undone.ended = undone.updated
            undone.cut()
            batch.changes.runs[undone.key] = undone
        }
        if run.isOpened { return }
        run.begin(at: RunBegin(batch.numbers), request)
        batch.changes.runs[key] = run
    }
}

/// Removes ended runs in a partition other than the first, before they are removed in the first.
struct ForgetRunsCommand: PlacedCommand {
    let partition: PartitionID
    let runs: [BulkKey]

    var size: Int { 128 + 64 * runs.count }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .partition(partition) }
    var summary: String { "forget runs" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) {
        batch.orders += 1
        for run in runs { batch.changes.runs[run.with(partition: partition)] = .some(nil) }
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
    /// True if the change of the run is recorded in another partition.
    var isRecorded = false

    var size: Int { 256 }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [] }
    var place: CommandPlace { .partition(key.partition) }
    var summary: String { "\(state == .stopped ? "stop" : "resume") run \(key.name)" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> (run: BulkRecord, hasChanged: Bool) {
        batch.orders += 1
        guard var run = try batch.run(key) else { throw .runNotFound(key.name) }
        if run.state == .done || (run.state == state && run.generation == generation) { return (run, false) }
        run.state = state
        run.generation = generation
        run.updated = max(batch.now, run.begun)
        batch.changes.runs[key] = run
        if isRecorded { return (run, true) }
        batch.note(.run(run, verb: run.verb, state == .stopped ? "is stopped" : "goes on"))
        if let caller {
            batch.recordChange(
                state == .stopped ? .runStop : .runResume, of: key.name, detail: run.verb, by: caller)
        }
        return (run, true)
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
    /// Sets the numbers at which the run begins in its partition.
    fileprivate mutating func begin(at begin: RunBegin, _ request: BulkRequest) {
        var request = request
        request.instances = begin.instances
        self.request = request.text
        floor = begin.floor
    }

    /// Records that not all selected instances had their turn.
    fileprivate mutating func cut() {
        var outcome = BulkOutcome(outcome)
        outcome.isCut = true
        self.outcome = outcome.text
    }

    /// The verb of the run's request; empty if the request cannot be read.
    fileprivate var verb: String { BulkRequest(request)?.action.name ?? "" }
}
