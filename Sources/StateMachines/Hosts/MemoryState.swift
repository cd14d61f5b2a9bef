internal import Statechart

/// The state of a `MemoryHost`.
struct MemoryState {
    struct Version {
        let number: Int64
        let text: String
        let machine: Machine
    }

    var time: LogicalTime
    var machines: [String: [Version]] = [:]
    var instances: [String: MemoryInstance] = [:]
    /// The starts by machine and key.
    var starts: [String: [String: (instance: String, data: JSONObject)]] = [:]
    var lastFollower = 0
    /// The tasks that wait for workers or are leased, oldest first.
    var tasks: [MemoryTask] = []
    var lastTask = 0
    /// The callbacks of the workers that wait for tasks.
    var workers: [Int: @Sendable () -> Void] = [:]
    /// The changed instances whose followers were not notified.
    var touched: Set<String> = []

    /// Returns the callbacks to run, and clears `touched` so that none runs twice.
    mutating func takeTells() -> [@Sendable () -> Void] {
        defer { touched = [] }
        return touched.flatMap { instances[$0].map { Array($0.followers.values) } ?? [] } + workers.values
    }
}

/// An instance in a `MemoryHost`.
struct MemoryInstance {
    let version: Int64
    var instance: UntypedInstance
    var history: [UntypedMove]
    /// The requests with a key, and their answers.
    var keys: [String: (event: String, data: JSONValue?, answer: HostMove)] = [:]
    var followers: [Int: @Sendable () -> Void] = [:]
}

/// The reason that a host's instance did not take an event.
struct HostRefusal: Error {
    /// The step's refusal; `nil` if the instance does not have the seq that the caller expected.
    let code: Statechart.Refusal?
    let message: String
    let accepted: [String]
}

extension MemoryState {
    mutating func apply(_ machine: Machine, _ text: String) -> MachineVersion {
        let versions = machines[machine.name] ?? []
        if let latest = versions.last, latest.text == text {
            return MachineVersion(machine: machine.name, version: latest.number, isNew: false)
        }
        let number = Int64(versions.count + 1)
        machines[machine.name] = versions + [.init(number: number, text: text, machine: machine)]
        return MachineVersion(machine: machine.name, version: number, isNew: true)
    }

    mutating func start(
        _ machine: Machine, _ text: String, _ name: String, data: JSONObject, key: String?
    ) throws(HostError) {
        if let key, let start = starts[machine.name]?[key] {
            guard start == (name, data) else { throw .keyReused(key) }
            return
        }
        if instances[name] != nil {
            throw HostError(code: "instance-exists", message: "Instance '\(name)' exists already")
        }
        // Any version with this text fits, not only the latest. Otherwise two programs with different definitions would
        // take turns in adding versions.
        let number =
            machines[machine.name]?.last { $0.text == text }?.number ?? apply(machine, text).version
        switch UntypedInstance.start(machine, named: name, version: number, data: data, at: time) {
        case .success(let instance):
            instances[name] = MemoryInstance(version: number, instance: instance, history: [instance.position])
            _ = comeToRest(name, after: 0)
            if let key { starts[machine.name, default: [:]][key] = (name, data) }
        case .failure(let refusal):
            throw HostError(code: "invalid-data", message: refusal.message(for: "init", in: machine))
        }
    }

    func stored(_ name: String) throws(HostError) -> MemoryInstance {
        guard let stored = instances[name] else {
            throw HostError(code: "instance-not-found", message: "There is no instance '\(name)'")
        }
        return stored
    }

    /// Returns the text of the version that an instance runs.
    func text(of stored: MemoryInstance) -> String {
        machines[stored.instance.machine.name]?.first { $0.number == stored.version }?.text ?? ""
    }

    mutating func send(
        _ event: String, _ data: JSONValue?, to name: String, _ options: SendOptions
    ) throws(HostError) -> Result<HostMove, HostRefusal> {
        let stored = try stored(name)
        if let key = options.key, let known = stored.keys[key] {
            guard known.event == event, known.data == data else { throw .keyReused(key) }
            return .success(known.answer)
        }
        let place = stored.instance.place
        if let seq = options.expectedSeq, seq != place.seq {
            let message = "\(place.text), is not at seq \(seq)"
            return .failure(HostRefusal(code: nil, message: message, accepted: []))
        }
        do throws(Statechart.Refusal) {
            let move = try stored.instance.move(of: event, data, at: time)
            var answer = HostMove(move, of: stored.instance.machine)
            for next in take(move, of: name) { answer.append(HostMove(next, of: stored.instance.machine)) }
            if let key = options.key { instances[name]?.keys[key] = (event, data, answer) }
            // As in the daemon, events beyond the limit of a chain follow right after.
            advance(by: .zero)
            return .success(answer)
        } catch {
            let message = stored.instance.message(of: error, for: event)
            return .failure(HostRefusal(code: error, message: message, accepted: stored.instance.accepted))
        }
    }

    mutating func advance(by duration: Duration) {
        let target = LogicalTime(.milliseconds(time.milliseconds) + duration)
        // Limits the steps at one moment. The next call continues a machine that never rests.
        let restlessness = 1_000 * instances.count
        var steps = 0
        // Each pass searches for the next item of all instances: a test has few instances, and moves must be reported
        // in order.
        while steps < restlessness, let next = next(until: target) {
            steps = next.due > time ? 0 : steps + 1
            time = max(time, next.due)
            switch next.what {
            case .pending(let pending, let name):
                if let move = instances[name]?.instance.move(of: pending) { _ = take(move, of: name) }
            case .lease(let token): expire(token)
            }
        }
        time = max(time, target)
    }

    /// An item that becomes due.
    private enum Coming {
        case pending(Pending, String)
        case lease(String)
    }

    private func next(until target: LogicalTime) -> (due: LogicalTime, what: Coming)? {
        let lease = tasks.compactMap(\.lease).filter { $0.until <= target }.min { $0.until < $1.until }
        let first = instances.min { Self.nextTime($0) < Self.nextTime($1) }
        // A timer that is due at the same moment comes first, because it may end the task.
        if let first, let due = first.value.instance.nextTime, due <= min(target, lease?.until ?? target),
            let pending = first.value.instance.next(until: target)
        {
            return (due, .pending(pending, first.key))
        }
        return lease.map { ($0.until, .lease($0.token)) }
    }

    private static func nextTime(_ entry: (key: String, value: MemoryInstance)) -> (Int64, String) {
        (entry.value.instance.nextTime?.milliseconds ?? .max, entry.key)
    }

    /// Stores a move of an instance, and takes the events that the instance sent to itself.
    ///
    /// - Returns: The moves by these events.
    mutating func take(_ move: UntypedMove, of name: String) -> [UntypedMove] {
        guard let count = instances[name]?.history.count else { return [] }
        instances[name]?.keep(move)
        return comeToRest(name, after: count)
    }

    /// Takes the events that the instance sent to itself, and updates its tasks.
    ///
    /// - Parameter count: The number of moves whose tasks are known.
    private mutating func comeToRest(_ name: String, after count: Int) -> [UntypedMove] {
        let moves = instances[name]?.comeToRest() ?? []
        changeTasks(of: name, after: count)
        touched.insert(name)
        return moves
    }
}

extension MemoryInstance {
    fileprivate mutating func keep(_ move: UntypedMove) {
        history.append(move)
        instance.keep(move)
    }

    /// Takes the events that the instance sent to itself, at most as many as the daemon takes at a time.
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
    init(_ move: UntypedMove, of machine: Machine) {
        let after = move.after
        self.init(
            event: move.event, data: move.data, from: machine.leafPaths(of: move.before),
            to: machine.leafPaths(of: after.configuration),
            exited: machine.paths(of: move.exited), entered: machine.paths(of: move.entered), fromSeq: move.fromSeq,
            seq: after.seq, context: after.context, failure: move.failure)
    }

    /// Appends a move by an event that the instance sent to itself.
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
