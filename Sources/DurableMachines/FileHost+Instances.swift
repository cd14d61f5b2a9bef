public import StateMachines
import Statechart
import WorkflowEngine
import WorkflowStore

extension FileHost {
    public func apply<M: MachineDefinition>(
        _ machine: M.Type
    ) async throws(HostError) -> StateMachines.MachineVersion {
        _ = try M.typed()
        let (applied, warnings) = try await asking { () async throws(Rejection) in
            try await self.engine.apply(M.text, syntax: .detected, by: self.caller)
        }
        return StateMachines.MachineVersion(
            machine: applied.record.name.rawValue, version: applied.record.version.rawValue, isNew: applied.isNew,
            warnings: warnings.map(\.description))
    }

    public func start<M: MachineDefinition>(
        _ machine: M.Type, _ name: String, context: M.Context?, key: String?
    ) async throws(HostError) -> Instance<M> {
        let typed = try M.typed()
        let data = try M.startData(context)
        try HostError.refuseName(name)
        let requestKey = try requestKey(key)
        let machine = MachineName(rawValue: typed.machine.name)
        var version = try await version(of: machine, text: M.text)
        if version == nil { version = .init(rawValue: try await apply(M.self).version) }
        let command = StartCommand(
            machine: machine, version: version, instance: InstanceName(rawValue: name), data: data, key: requestKey,
            by: caller)
        _ = try await asking(key: key) { () async throws(Rejection) in try await self.engine.start(command) }
        return Instance(name: name, host: self, typed: typed)
    }

    public func instance<M: MachineDefinition>(
        _ machine: M.Type, _ name: String
    ) async throws(HostError) -> Instance<M> {
        let loaded = try await asking { () async throws(Rejection) in
            let view = try await self.engine.instance(named: InstanceName(rawValue: name), by: self.caller)
            return try await self.engine.loadedMachine(view.record.machineID)
        }
        let typed = try TypedMachine<M>(
            loaded.machine, text: loaded.record.source, version: loaded.record.version.rawValue, of: name)
        let instance = Instance(name: name, host: self, typed: typed)
        _ = try await read(instance)
        return instance
    }

    public func send<M: MachineDefinition>(
        _ event: M.Event, to instance: Instance<M>, _ options: SendOptions
    ) async throws -> StateMachines.Transition<M> {
        let (name, data) = try M.encoded(event)
        let command = SendCommand(
            instance: InstanceName(rawValue: instance.name), event: Event(name: name, data: data),
            expectedSeq: options.expectedSeq.map(Seq.init(rawValue:)), key: try requestKey(options.key), by: caller)
        switch await engine.outcome(of: command) {
        case .success(let sent):
            let told = try instance.typed.transition(
                sent.event, data, sent: event, in: sent.machine, from: sent.before, to: sent.afterStates,
                exited: sent.exitedStates,
                entered: sent.enteredStates, fromSeq: sent.fromSeq.rawValue, seq: sent.seq.rawValue,
                context: sent.context, of: instance.name)
            if let told { return told }
            let move = HostMove(
                event: sent.event, data: data, from: sent.from, to: sent.to, exited: sent.exited, entered: sent.entered,
                fromSeq: sent.fromSeq.rawValue, seq: sent.seq.rawValue, context: sent.context)
            return try instance.typed.transition(move, sent: event, of: instance.name)
        case .failure(let rejection):
            if let refusal = StateMachines.Refusal<M>(
                code: rejection.code.rawValue, message: rejection.message, accepted: rejection.facts?.accepted ?? [],
                in: instance.typed)
            {
                throw refusal
            }
            throw HostError(rejection, key: options.key)
        }
    }

    public func read<M: MachineDefinition>(
        _ instance: Instance<M>
    ) async throws(HostError) -> StateMachines.InstanceView<M> {
        let (events, _, view) = try await asking { () async throws(Rejection) in
            try await self.engine.acceptance(of: InstanceName(rawValue: instance.name), by: self.caller)
        }
        return try instance.typed.view(
            of: instance.name, leaves: SnapshotText.leafPaths(in: view.record.state.configuration),
            context: try context(of: view), accepted: events.filter { $0.isAccepted != false }.map(\.descriptor),
            seq: view.record.seq.rawValue, status: view.record.status.rawValue,
            failure: view.failure.map { $0.reason.detail(machine: $0.machine) })
    }

    public func transitions<M: MachineDefinition>(
        of instance: Instance<M>, after seq: Int64
    ) -> AsyncThrowingStream<StateMachines.Transition<M>, any Error> {
        let (stream, continuation) = AsyncThrowingStream<StateMachines.Transition<M>, any Error>.makeStream()
        let telling = Task {
            do {
                try await tell(continuation, of: instance, after: seq)
                continuation.finish()
            } catch let rejection as Rejection {
                continuation.finish(throwing: HostError(rejection))
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in telling.cancel() }
        return stream
    }
}

extension FileHost {
    /// Yields the moves of an instance's history as they come.
    private func tell<M: MachineDefinition>(
        _ continuation: AsyncThrowingStream<StateMachines.Transition<M>, any Error>.Continuation,
        of instance: Instance<M>, after seq: Int64
    ) async throws {
        let name = InstanceName(rawValue: instance.name)
        var last = seq
        while !Task.isCancelled {
            let record = try await engine.instance(named: name, by: caller).record
            // The subscription begins before the rows are read, so that no row is missed.
            guard let changes = try engine.bell(of: record, by: caller)?.rings else {
                throw HostError(code: "overloaded", message: "Too many follow instances already")
            }
            let now = try await engine.instance(named: name, by: caller).record
            while last < now.seq.rawValue {
                continuation.yield(try await transition(Seq(rawValue: last + 1), in: now, of: instance))
                last += 1
            }
            guard [.running, .failed, .suspended].contains(now.status) else { return }
            if await changes.first(where: { true }) == nil, !Task.isCancelled {
                throw HostError(code: "draining", message: "The file is closed: no more is told")
            }
        }
    }

    /// Returns the move of one history row.
    private func transition<M: MachineDefinition>(
        _ seq: Seq, in record: InstanceRecord, of instance: Instance<M>
    ) async throws -> StateMachines.Transition<M> {
        let query = HistoryQuery(
            instance: record.id, head: record.head, headSeq: record.seq, seqs: seq.rawValue...seq.rawValue,
            isReversed: false)
        let rows = try await engine.history(query, of: record, by: caller)
        guard let row = rows.first,
            let moves = try await engine.moves(of: rows, in: record, query: query, by: caller).first,
            let past = try await engine.instance(named: record.name, after: seq, by: caller)
        else { throw HostError(code: "seq-not-found", message: "'\(record.name)' has no seq \(seq.rawValue)") }
        let move = HostMove(
            event: row.event, data: try data(of: row), from: SnapshotText.leafPaths(in: row.from),
            to: SnapshotText.leafPaths(in: row.to),
            exited: moves.exited, entered: moves.entered, fromSeq: seq.rawValue - 1, seq: seq.rawValue,
            context: try context(of: past),
            failure: row.kind == .failed ? past.failure.map { $0.reason.detail(machine: $0.machine) } : nil)
        return try instance.typed.transition(move, of: instance.name)
    }

    /// Returns the data of a row's event; `nil` if it has none.
    private func data(of row: JournalRecord) throws(HostError) -> JSONValue? {
        guard let text = row.data else { return nil }
        do throws(JSONError) { return try JSONReader.value(from: text) } catch {
            throw HostError(code: "database-damaged", message: "The data of '\(row.event)' is no JSON")
        }
    }

    private func context(of view: WorkflowEngine.InstanceView) throws(HostError) -> JSONObject {
        do throws(JSONError) {
            return try JSONReader.value(from: view.record.state.context).object ?? JSONObject()
        } catch {
            throw HostError(code: "database-damaged", message: "The context of '\(view.record.name)' is no JSON")
        }
    }

    /// Returns the newest version of a machine that has a text; `nil` if none has. An older version also fits.
    /// Otherwise two programs with different definitions would take turns in adding versions.
    private func version(of machine: MachineName, text: String) async throws(HostError) -> StoredVersion? {
        guard let latest = try await record(of: machine, version: nil) else { return nil }
        if latest.source == text { return latest.version }
        for number in stride(from: latest.version.rawValue - 1, to: 0, by: -1) {
            let record = try await record(of: machine, version: .init(rawValue: number))
            if let record, record.source == text { return record.version }
        }
        return nil
    }

    private func record(
        of machine: MachineName, version: StoredVersion?
    ) async throws(HostError) -> MachineRecord? {
        do throws(Rejection) {
            return try await engine.machine(named: machine, version: version, by: caller)
        } catch {
            guard error.code == .machineNotFound else { throw HostError(error) }
            return nil
        }
    }

    private func requestKey(_ key: String?) throws(HostError) -> RequestKey? {
        guard let key else { return nil }
        guard let read = RequestKey(text: key) else {
            throw HostError(
                code: "invalid-request", message: "A key is a UUID, or 1 to 200 printable ASCII characters", key: key)
        }
        return read
    }

    private func asking<Value: Sendable>(
        key: String? = nil, _ body: () async throws(Rejection) -> Value
    ) async throws(HostError) -> Value {
        do throws(Rejection) {
            return try await body()
        } catch {
            throw HostError(error, key: key)
        }
    }
}
