internal import Statechart
internal import Synchronization
internal import WorkflowAPI

/// Instances in memory, for tests: what a file or a daemon does with them, without either. Its time moves by hand.
///
/// It keeps the whole history, and forgets everything with the process.
public final class MemoryHost: MachineHost {
    private struct Version {
        let number: Int64
        let text: String
        let machine: Machine
    }

    private struct Stored {
        let version: Int64
        var instance: UntypedInstance
        var history: [(move: UntypedMove, fromSeq: Int64)]
        /// What was asked with a key, and what was answered.
        var keys: [String: (event: String, data: JSONValue?, answer: HostMove)] = [:]
        var followers: [Int: @Sendable () -> Void] = [:]
    }

    private struct State {
        var time: LogicalTime
        var machines: [String: [Version]] = [:]
        var instances: [String: Stored] = [:]
        /// By machine and key.
        var starts: [String: [String: (instance: String, data: JSONObject)]] = [:]
        var lastFollower = 0
    }

    private let state: Mutex<State>

    /// - Parameter time: Since 1970, for expressions that ask what time it is.
    public init(at time: Duration = .zero) {
        state = Mutex(State(time: LogicalTime(time)))
    }

    public func apply<M: MachineDefinition>(_ machine: M.Type) async throws(HostError) -> MachineVersion {
        let typed = try M.typed()
        return state.withLock { $0.apply(typed.machine, M.text) }
    }

    public func start<M: MachineDefinition>(
        _ machine: M.Type, _ name: String, context: M.Context?, key: String?
    ) async throws(HostError) -> Instance<M> {
        let typed = try M.typed()
        let data = try M.startData(context)
        if let message = InstanceNameRule.message(for: name) { throw HostError(code: "invalid-name", message: message) }
        try state.withLock { state throws(HostError) in
            try state.start(typed.machine, M.text, name, data: data, key: key)
        }
        return Instance(name: name, host: self, typed: typed)
    }

    public func instance<M: MachineDefinition>(
        _ machine: M.Type, _ name: String
    ) async throws(HostError) -> Instance<M> {
        let stored = try state.withLock { state throws(HostError) in try state.stored(name) }
        let typed = try TypedMachine<M>(stored.instance.machine, version: stored.version, of: name)
        let instance = Instance(name: name, host: self, typed: typed)
        _ = try await read(instance)
        return instance
    }

    public func send<M: MachineDefinition>(
        _ event: M.Event, to instance: Instance<M>, _ options: SendOptions
    ) async throws -> Transition<M> {
        let (name, data) = try M.encoded(event)
        let (result, tell) = try state.withLock { state throws(HostError) in
            try state.send(name, data, to: instance.name, options)
        }
        for tell in tell { tell() }
        switch result {
        case .success(let move): return try instance.typed.transition(move, of: instance.name)
        case .failure(let refused):
            throw Refusal<M>(refused.reason(), refused.message, accepted: instance.typed.events(of: refused.accepted))
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
        // Called after each change, by whoever made it; what is new is told in order, once.
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
        for row in stored.history where row.move.after.seq > seq {
            let move = HostMove(row.move, fromSeq: row.fromSeq, of: stored.instance.machine)
            moves.append(try instance.typed.transition(move, of: instance.name))
        }
        return (moves, stored.instance.snapshot.status == .done)
    }

    /// Lets time go on: the timers of all instances fire on the way, each at its own time.
    public func advance(by time: Duration) async {
        let tell = state.withLock { $0.advance(by: time) }
        for tell in tell { tell() }
    }
}

/// Why a host's instance did not take an event.
private struct HostRefusal: Error {
    let code: Statechart.Refusal?
    let message: String
    let accepted: [String]

    func reason<M: MachineDefinition>() -> Refusal<M>.Reason {
        code.map { Refusal<M>.Reason($0) } ?? .preconditionFailed
    }
}

extension MemoryHost.State {
    fileprivate mutating func apply(_ machine: Machine, _ text: String) -> MachineVersion {
        let versions = machines[machine.name] ?? []
        if let latest = versions.last, latest.text == text {
            return MachineVersion(machine: machine.name, version: latest.number, isNew: false)
        }
        let number = Int64(versions.count + 1)
        machines[machine.name] = versions + [.init(number: number, text: text, machine: machine)]
        return MachineVersion(machine: machine.name, version: number, isNew: true)
    }

    fileprivate mutating func start(
        _ machine: Machine, _ text: String, _ name: String, data: JSONObject, key: String?
    ) throws(HostError) {
        if let key, let start = starts[machine.name]?[key] {
            guard start == (name, data) else { throw .keyReused(key) }
            return
        }
        if instances[name] != nil {
            throw HostError(code: "instance-exists", message: "Instance '\(name)' exists already")
        }
        // Not the latest by itself: two programs with two definitions would take turns in making versions.
        let number =
            machines[machine.name]?.last { $0.text == text }?.number ?? apply(machine, text).version
        switch UntypedInstance.start(machine, named: name, version: number, data: data, at: time) {
        case .success(let instance):
            let start = UntypedMove(
                event: "init", before: [], after: instance.snapshot, exited: [],
                entered: instance.snapshot.configuration.filter { $0 != .root }, time: time, failure: nil)
            var stored = MemoryHost.Stored(version: number, instance: instance, history: [(start, 0)])
            _ = stored.comeToRest()
            instances[name] = stored
            if let key { starts[machine.name, default: [:]][key] = (name, data) }
        case .failure(let refusal):
            throw HostError(code: "invalid-data", message: refusal.message(for: "init", in: machine))
        }
    }

    fileprivate func stored(_ name: String) throws(HostError) -> MemoryHost.Stored {
        guard let stored = instances[name] else {
            throw HostError(code: "instance-not-found", message: "There is no instance '\(name)'")
        }
        return stored
    }

    fileprivate mutating func send(
        _ event: String, _ data: JSONValue?, to name: String, _ options: SendOptions
    ) throws(HostError) -> (Result<HostMove, HostRefusal>, tell: [@Sendable () -> Void]) {
        var stored = try stored(name)
        if let key = options.key, let known = stored.keys[key] {
            guard known.event == event, known.data == data else { throw .keyReused(key) }
            return (.success(known.answer), [])
        }
        let place = stored.instance.place
        if let seq = options.expectedSeq, seq != place.seq {
            let message = "\(place.text), is not at seq \(seq)"
            return (.failure(HostRefusal(code: nil, message: message, accepted: [])), [])
        }
        do throws(Statechart.Refusal) {
            let move = try stored.instance.move(of: event, data, at: time)
            stored.keep(move)
            var answer = HostMove(move, fromSeq: place.seq, of: stored.instance.machine)
            for next in stored.comeToRest() {
                answer.append(HostMove(next, fromSeq: answer.seq, of: stored.instance.machine))
            }
            if let key = options.key { stored.keys[key] = (event, data, answer) }
            instances[name] = stored
            return (.success(answer), Array(stored.followers.values))
        } catch {
            let message = stored.instance.message(of: error, for: event)
            return (.failure(HostRefusal(code: error, message: message, accepted: stored.instance.accepted)), [])
        }
    }

    fileprivate mutating func advance(by duration: Duration) -> [@Sendable () -> Void] {
        let target = LogicalTime(.milliseconds(time.milliseconds) + duration)
        var touched: Set<String> = []
        // The next of all is looked for each time: a test has few instances, and what is told is in order.
        while let next = instances.min(by: { Self.nextTime($0) < Self.nextTime($1) }),
            let due = next.value.instance.nextTime, due <= target, var stored = instances[next.key],
            let pending = stored.instance.next(until: target)
        {
            time = max(time, due)
            stored.keep(stored.instance.move(of: pending))
            _ = stored.comeToRest()
            instances[next.key] = stored
            touched.insert(next.key)
        }
        time = max(time, target)
        return touched.flatMap { instances[$0].map { Array($0.followers.values) } ?? [] }
    }

    private static func nextTime(_ entry: (key: String, value: MemoryHost.Stored)) -> (Int64, String) {
        (entry.value.instance.nextTime?.milliseconds ?? .max, entry.key)
    }
}

extension MemoryHost.Stored {
    fileprivate mutating func keep(_ move: UntypedMove) {
        history.append((move, instance.snapshot.seq))
        instance.keep(move)
    }

    /// Takes what the instance has sent to itself, up to what the daemon takes at a time.
    fileprivate mutating func comeToRest() -> [UntypedMove] {
        var moves: [UntypedMove] = []
        while moves.count < StepLimits.chain, instance.snapshot.armed.nextSent != nil,
            let next = instance.next(until: instance.last)
        {
            let move = instance.move(of: next)
            keep(move)
            moves.append(move)
        }
        return moves
    }
}

extension HostMove {
    fileprivate init(_ move: UntypedMove, fromSeq: Int64, of machine: Machine) {
        self.init(
            event: move.event, from: machine.leafPaths(of: move.before),
            to: machine.leafPaths(of: move.after.configuration), exited: machine.paths(of: move.exited),
            entered: machine.paths(of: move.entered), fromSeq: fromSeq, seq: move.after.seq,
            context: move.after.context, failure: move.failure)
    }

    /// Goes on with what the instance sent to itself.
    fileprivate mutating func append(_ next: HostMove) {
        to = next.to
        exited += next.exited
        entered += next.entered
        seq = next.seq
        context = next.context
        failure = next.failure
    }
}

extension HostError {
    fileprivate static func keyReused(_ key: String) -> HostError {
        HostError(
            code: "key-reused", message: "Key '\(key)' was used for another request; nothing was changed", key: key)
    }
}
