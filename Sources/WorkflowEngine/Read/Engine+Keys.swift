import Statechart
import Synchronization
import WorkflowJSON
import WorkflowStore

// The first answer to a key, made again from the journal: the step gives the same now as it gave then.

extension Engine {
    /// The answer that an event with this key got.
    func repeated(_ command: SendCommand, at position: Position) async throws(Rejection) -> SendResult {
        let row = try await row(of: command.key, at: position)
        guard row.kind == .event, row.event == command.event.name,
            row.data == command.event.data.map(JSONWriter.string)
        else { throw .keyReused(command.key?.text ?? "") }
        let before = try await instance(before: row)
        guard before.record.key == command.target else {
            throw .fault("the row of a key belongs to another instance")
        }
        let chain = try chain(of: row, from: before)
        let answer = SendResult(
            chain, from: before, isDryRun: false, wantsContext: command.wantsContext, explanation: nil,
            isRepeated: true)
        keep(before.after(chain))
        return answer
    }

    /// The answer that a start with this key got.
    func repeated(_ command: StartCommand, at position: Position) async throws(Rejection) -> InstanceView {
        let row = try await row(of: command.key, at: position)
        let record = try await record(row.instanceID)
        let loaded = try await loadedMachine(row.machineID)
        let instance = LiveInstance(
            started: record.id, uuid: record.uuid, key: record.key, loaded: loaded, salt: record.salt,
            at: record.created)
        let input = Input.start(with: command.data, at: instance.identity.startedAt)
        guard row.kind == .started, row.data == input.event.data.map(JSONWriter.string),
            record.name == command.instance ?? InstanceName(rawValue: record.uuid.text),
            command.version == nil || command.version == loaded.record.version
        else { throw .keyReused(command.key?.text ?? "") }
        instance.take(try chain(of: row, from: instance))
        return InstanceView(
            record: instance.written(), machine: loaded.record, failure: instance.failure, isRepeated: true)
    }

    /// What a row led to, with all that the instance sent to itself in consequence.
    private func chain(of row: JournalRecord, from before: LiveInstance) throws(Rejection) -> Chain {
        let snapshot = row.kind == .started ? nil : before.snapshot
        do throws(RowError) {
            let input = try row.input(after: snapshot)
            if case .success(let chain) = before.machine.chain(input, from: snapshot, as: before.identity) {
                return chain
            }
        } catch {
            throw .fault("the history of '\(before.record.name)' cannot be read at seq \(row.seq.rawValue)")
        }
        throw .fault("the history of '\(before.record.name)' does not fold at seq \(row.seq.rawValue)")
    }

    private func row(of key: RequestKey?, at position: Position) async throws(Rejection) -> JournalRecord {
        guard let row = try await read({ () async throws(StoreError) in try await store.row(at: position) }),
            row.key == key?.bytes
        else { throw .fault("the row of a key is not in the store") }
        return row
    }

    private func record(_ id: InstanceID) async throws(Rejection) -> InstanceRecord {
        guard let record = try await read({ () async throws(StoreError) in try await store.instance(id) }) else {
            throw .fault("the instance of a key is not in the store")
        }
        return record
    }

    /// An instance as it was before a row of its history.
    private func instance(before row: JournalRecord) async throws(Rejection) -> LiveInstance {
        let last = row.seq.rawValue - 1
        if let known = pastInstances.withLock({ $0.value(for: row.instanceID, cost: \.size) }),
            known.record.seq.rawValue == last, known.record.machineID == row.machineID
        {
            return LiveInstance(past: known.record, snapshot: known.snapshot, loaded: known.loaded)
        }
        let record = try await record(row.instanceID)
        let fold = try await fold(of: record, through: last)
        guard let snapshot = fold.snapshot else { throw .fault("'\(record.name)' has no row before seq \(last + 1)") }
        let past = PastInstance(
            record, seq: Seq(rawValue: last), snapshot: snapshot, loaded: try await loadedMachine(row.machineID))
        return LiveInstance(past: past.record, snapshot: past.snapshot, loaded: past.loaded)
    }
}

extension Engine {
    /// Who asks for one answer again often asks for the next one too.
    private func keep(_ instance: PastInstance) {
        pastInstances.withLock { cache in
            cache.insert(instance, for: instance.record.id, cost: instance.size)
            cache.trim()
        }
    }
}

/// An instance as it was after a macrostep; only what an answer needs is as it was then.
struct PastInstance: Sendable {
    let record: InstanceRecord
    let snapshot: Snapshot
    let loaded: LoadedMachine

    init(_ record: InstanceRecord, seq: Seq, snapshot: Snapshot, loaded: LoadedMachine) {
        var record = record
        record.seq = seq
        record.status = InstanceStatus(snapshot.status)
        self.record = record
        self.snapshot = snapshot
        self.loaded = loaded
    }

    /// Roughly the bytes that it takes in a cache.
    var size: Int { record.size + 8 * snapshot.configuration.count }
}

extension LiveInstance {
    /// The instance as it was after a chain.
    fileprivate func after(_ chain: Chain) -> PastInstance {
        let seq = Seq(rawValue: record.seq.rawValue + Int64(chain.count))
        return PastInstance(record, seq: seq, snapshot: chain.snapshot, loaded: loaded)
    }

    /// Takes the macrosteps of a chain without writing them.
    func take(_ chain: Chain) {
        var digests = DigestBuffer()
        var journal: [JournalRecord] = []
        let itself = Caller.process(in: record.namespace)
        for link in chain.links {
            _ = advance(to: link, at: record.head, now: record.created, by: itself, &digests, &journal)
        }
    }
}
