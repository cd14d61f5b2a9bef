internal import Statechart
internal import Synchronization

/// A host in memory, for tests. A `MemoryHost` does what a file or a daemon does with instances. Its time moves only by
/// calls, including the time of retries, timeouts and leases of tasks.
///
/// A `MemoryHost` keeps the whole history, and loses everything when the process ends.
public final class MemoryHost: MachineHost {
    let state: Mutex<MemoryState>

    /// Creates a host whose time begins at `time`, counted from 1970, for expressions that read the time.
    public init(at time: Duration = .zero) {
        state = Mutex(MemoryState(time: LogicalTime(time)))
    }

    public func apply<M: MachineDefinition>(_ machine: M.Type) async throws(HostError) -> MachineVersion {
        let typed = try M.typed()
        let version = state.withLock { $0.apply(typed.machine, M.text) }
        let reading = try? Statechart.DefinitionReader.read(M.text)  // Its mistakes were thrown before.
        let waiting = typed.machine.effects.compactMap { effect in
            effect.action.kind == "task" ? nil : effect.warning("nothing here does '\(effect.action.kind)': it waits")
        }
        return MachineVersion(
            machine: version.machine, version: version.version, isNew: version.isNew,
            warnings: ((reading?.warnings ?? []) + waiting).map(\.description))
    }

    public func start<M: MachineDefinition>(
        _ machine: M.Type, _ name: String, context: M.Context?, key: String?
    ) async throws(HostError) -> Instance<M> {
        let typed = try M.typed()
        let data = try M.startData(context)
        try HostError.refuseName(name)
        try change { state throws(HostError) in
            try state.start(typed.machine, M.text, name, data: data, key: key)
        }
        return Instance(name: name, host: self, typed: typed)
    }

    public func instance<M: MachineDefinition>(
        _ machine: M.Type, _ name: String
    ) async throws(HostError) -> Instance<M> {
        let (stored, text) = try state.withLock { state throws(HostError) in
            let stored = try state.stored(name)
            return (stored, state.text(of: stored))
        }
        let typed = try TypedMachine<M>(stored.instance.machine, text: text, version: stored.version, of: name)
        let instance = Instance(name: name, host: self, typed: typed)
        _ = try await read(instance)
        return instance
    }

    public func send<M: MachineDefinition>(
        _ event: M.Event, to instance: Instance<M>, _ options: SendOptions
    ) async throws -> Transition<M> {
        let (name, data) = try M.encoded(event)
        let result = try change { state throws(HostError) in
            try state.send(name, data, to: instance.name, options)
        }
        switch result {
        case .success(let move): return try instance.typed.transition(move, sent: event, of: instance.name)
        case .failure(let refused):
            throw Refusal<M>(
                refused.code.map { Refusal<M>.Reason($0) } ?? .preconditionFailed,
                instance.typed.names.placed(refused.message),
                accepted: instance.typed.events(of: refused.accepted))
        }
    }

    public func read<M: MachineDefinition>(_ instance: Instance<M>) async throws(HostError) -> InstanceView<M> {
        let stored = try state.withLock { state throws(HostError) in try state.stored(instance.name) }.instance
        return try instance.typed.view(
            of: instance.name, leaves: stored.place.paths, context: stored.snapshot.context,
            accepted: stored.accepted, seq: stored.snapshot.seq, status: stored.snapshot.status.rawValue,
            failure: stored.failure)
    }

    public func transitions<M: MachineDefinition>(
        of instance: Instance<M>, after seq: Int64
    ) -> AsyncThrowingStream<Transition<M>, any Error> {
        let (stream, continuation) = AsyncThrowingStream<Transition<M>, any Error>.makeStream()
        let told = Mutex(seq)
        // Every caller that makes a change calls this closure, which yields each new move once and in order.
        let tell: @Sendable () -> Void = { [weak self] in
            told.withLock { told in
                guard let self else { return continuation.finish() }
                do {
                    let (moves, isDone) = try self.moves(of: instance, after: told)
                    for move in moves {
                        continuation.yield(move)
                        told = move.seq
                    }
                    if isDone { continuation.finish() }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
        let id = state.withLock { state in
            state.lastFollower += 1
            state.instances[instance.name]?.followers[state.lastFollower] = tell
            return state.lastFollower
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.instances[instance.name]?.followers[id] = nil }
        }
        tell()
        return stream
    }

    private func moves<M: MachineDefinition>(
        of instance: Instance<M>, after seq: Int64
    ) throws(HostError) -> ([Transition<M>], isDone: Bool) {
        let stored = try state.withLock { state throws(HostError) in try state.stored(instance.name) }
        var moves: [Transition<M>] = []
        for row in stored.history where row.after.seq > seq {
            let move = HostMove(row, of: stored.instance.machine)
            moves.append(try instance.typed.transition(move, of: instance.name))
        }
        return (moves, stored.instance.snapshot.status == .done)
    }

    /// Advances the time. The timers of all instances fire on the way, each at its own time.
    public func advance(by time: Duration) async {
        change { $0.advance(by: time) }
    }

    public func work<T: MachineTask>(
        _ task: T.Type, _ options: WorkOptions,
        _ body: @escaping @Sendable (TaskAttempt<T>) async throws -> T.Output
    ) async throws(HostError) {
        try await TaskWorker(of: MemoryTasks(host: self), options, body).run()
    }
}

extension MemoryHost {
    /// Changes the state, then notifies the followers and the workers that wait for tasks.
    func change<Answer: Sendable, Failure>(
        _ body: (inout MemoryState) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let (answer, tell) = state.withLock { state in
            let answer = Result { () throws(Failure) in try body(&state) }
            return (answer, state.takeTells())
        }
        for tell in tell { tell() }
        return try answer.get()
    }
}
