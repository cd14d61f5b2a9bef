import Statechart
import Synchronization
import WorkflowJSON
import WorkflowStore

// Rebuilds the first answer to a key from the journal: the step gives the same result now as it gave then.

extension Engine {
    /// Returns the answer that an event with this key got.
    func repeated(_ command: SendCommand, at position: Position) async throws(Rejection) -> SendResult {
        let row = try await row(of: command.key, by: command.caller, at: position)
        guard command.isRecorded(by: row) else { throw .keyReused(command.key?.text ?? "") }
        let before = try await instance(before: row)
        guard before.state.record.key == command.target else {
            throw .inconsistent("the row of a key belongs to another instance")
        }
        return try await answer(to: row, from: before, wantsContext: command.wantsContext)
    }

    /// Returns the answer that an operator's request with this key got.
    func repeated(_ command: some KeyedRepair, at position: Position) async throws(Rejection) -> SendResult {
        let row = try await row(of: command.key, by: command.caller, at: position)
        guard row.kind != .started else { throw .keyReused(command.key?.text ?? "") }
        let before = try await instance(before: row)
        guard before.state.record.key == command.target else {
            throw .inconsistent("the row of a key belongs to another instance")
        }
        guard command.isRecorded(by: row, after: before.state.snapshot) else {
            throw .keyReused(command.key?.text ?? "")
        }
        return try await answer(to: row, from: before, wantsContext: command.wantsContext)
    }

    /// Returns the answer that a migration with this key got.
    func repeated(_ command: MigrateCommand, at position: Position) async throws(Rejection) -> SendResult {
        let row = try await row(of: command.key, by: command.caller, at: position)
        guard command.isRecorded(by: row) else { throw .keyReused(command.key?.text ?? "") }
        let before = try await instance(before: row)
        guard before.state.record.key == command.target,
            let event = try? row.input(
                after: before.state.snapshot, of: before.state.earlier
            ).event
        else { throw .inconsistent("the row of a key belongs to another instance") }
        let new = try await loadedMachine(row.machineID)
        var spent = 0
        guard let migration = try? library.migration(command.plan, from: before.state.loaded, to: new),
            let migrated = try? migration.run(
                recorded: event, before.state.snapshot, as: before.state.identity(in: new), spending: &spent)
        else { throw .inconsistent("the history of '\(command.instance)' does not fold at seq \(row.seq.rawValue)") }
        return try command.repeated(migrated, of: before.state, to: new, at: event.at)
    }

    /// Rebuilds the answer whose command wrote a row.
    private func answer(
        to row: JournalRecord, from before: PastInstance, wantsContext: Bool
    ) async throws(Rejection) -> SendResult {
        let hasChanged = row.machineID != before.state.loaded.record.id
        let new = hasChanged ? try await loadedMachine(row.machineID) : before.state.loaded
        let chain = try chain(of: row, from: before.state, in: new)
        let answer = SendResult(
            chain, from: before.state, isDryRun: false, wantsContext: wantsContext,
            isRepeated: true, into: hasChanged ? new : nil)
        if !hasChanged { keep(before.after(chain)) }
        return answer
    }

    /// Returns the answer that a start with this key got.
    func repeated(_ command: StartCommand, at position: Position) async throws(Rejection) -> InstanceView {
        try await repeated(command, at: position) { instance, chain in
            instance.take(chain)
            return InstanceView(
                record: instance.written(), machine: instance.loaded.record, failure: instance.failure,
                isRepeated: true)
        }
    }

    /// Returns the answer that a line with this key got which started an instance.
    func repeated(_ line: StartLine, at position: Position) async throws(Rejection) -> SendResult {
        try await repeated(line.command, at: position) { instance, chain in
            SendResult(
                chain, from: instance, isDryRun: false, wantsContext: line.wantsContext,
                isRepeated: true)
        }
    }

    /// Builds an answer from the instance as it was before its start, and from the chain that the start caused.
    private func repeated<Answer>(
        _ command: StartCommand, at position: Position, _ answer: (inout InstanceState, Chain) -> Answer
    ) async throws(Rejection) -> Answer {
        let row = try await row(of: command.key, by: command.caller, at: position)
        let record = try await record(row.instanceID, key: command.key)
        let loaded = try await loadedMachine(row.machineID)
        var instance = InstanceState(
            started: record.id, uuid: record.uuid, key: record.key, loaded: loaded, salt: record.salt,
            at: record.created)
        guard command.isRecorded(by: row, of: record, version: loaded.record.version) else {
            throw .keyReused(command.key?.text ?? "")
        }
        let chain = try chain(of: row, from: instance, in: loaded)
        return answer(&instance, chain)
    }

    /// Returns the chain of a row: its macrostep and all events that the instance sent to itself in consequence.
    ///
    /// - Parameter loaded: The machine version that the instance runs behind the row.
    private func chain(
        of row: JournalRecord, from before: borrowing InstanceState, in loaded: LoadedMachine
    ) throws(Rejection) -> Chain {
        let snapshot = row.kind == .started ? nil : before.snapshot
        do throws(RowError) {
            let input = try row.input(after: snapshot, of: before.earlier)
            let identity = before.identity(in: loaded)
            // A chain that was recorded before a bound existed is within the wider, earlier bounds.
            for bounds in [.live, loaded.machine.semantics.earlierBounds].compactMap({ $0 }) {
                if case .success(let chain) = loaded.machine.chain(
                    input, from: snapshot, as: identity, within: bounds)
                {
                    return chain
                }
            }
        } catch {
            throw .inconsistent("the history of '\(before.record.name)' cannot be read at seq \(row.seq.rawValue)")
        }
        throw .inconsistent("the history of '\(before.record.name)' does not fold at seq \(row.seq.rawValue)")
    }

    /// Returns the row of a key, unless another actor used the key: whoever learns a key must not learn its answer.
    func row(of key: RequestKey?, by caller: Caller, at position: Position) async throws(Rejection) -> JournalRecord {
        // Only a deletion removes a row.
        guard let row = try await read({ () async throws(StoreError) in try await store.row(at: position) }) else {
            throw .purged(key)
        }
        guard row.key == key?.bytes else { throw .inconsistent("the row of a key is not in the store") }
        guard caller.isActor(row.actor) else { throw .keyReused(key?.text ?? "") }
        guard row.isRedacted else { return row }
        // The first row of a deleted instance is emptied too.
        _ = try await record(row.instanceID, key: key)
        throw .redacted("What was asked for with key '\(key?.text ?? "")'")
    }

    private func record(_ id: InstanceID, key: RequestKey?) async throws(Rejection) -> InstanceRecord {
        let record = try await read { () async throws(StoreError) in try await store.instance(id) }
        guard let record, record.status != .purging else { throw .purged(key) }
        return record
    }

    /// Returns an instance as it was before a row of its history.
    private func instance(before row: JournalRecord) async throws(Rejection) -> PastInstance {
        let last = row.seq.rawValue - 1
        if let known = pastInstances.withLock({ $0.value(for: row.instanceID, cost: \.size) }),
            known.state.record.seq.rawValue == last,
            known.state.loaded.record.id == row.machineID || row.kind.changesMachine
        {
            return known
        }
        let record = try await record(row.instanceID, key: row.key.map(RequestKey.init(bytes:)))
        let fold = try await fold(of: record, through: last)
        if fold.isInGap { throw .redacted("What '\(record.name)' was before seq \(row.seq.rawValue)") }
        guard let snapshot = fold.snapshot else {
            throw .inconsistent("'\(record.name)' has no row before seq \(last + 1)")
        }
        let loaded = try await loadedMachine(fold.machineID ?? row.machineID)
        return PastInstance(record, seq: Seq(rawValue: last), snapshot: snapshot, loaded: loaded)
    }
}

extension Engine {
    /// Keeps an instance in memory, because a caller that repeats one request often repeats the next one too.
    private func keep(_ instance: PastInstance) {
        pastInstances.withLock { cache in
            cache.insert(instance, for: instance.state.record.id, cost: instance.size)
            cache.trim()
        }
    }
}
