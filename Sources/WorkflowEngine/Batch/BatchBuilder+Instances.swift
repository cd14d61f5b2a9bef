import Statechart
import WorkflowJSON
import WorkflowStore

// Commands about instances. Everything that a command can fail on is decided before its first row.

extension BatchBuilder {
    /// Starts an instance.
    mutating func start(_ command: StartCommand) throws(Rejection) -> KeyedAnswer<InstanceView> {
        let scope = try command.key.flatMap { key throws(Rejection) in try self.scope(ofStart: command.machine, key) }
        if let key = command.key, let scope, let position = try position(of: key, in: scope) {
            return .repeated(position)
        }
        guard let loaded = try machine(named: command.machine, version: command.version) else {
            let latest = try machine(named: command.machine, version: nil)
            throw .machineNotFound(
                name: command.machine, version: command.version, latest: latest?.record.version)
        }
        let uuid = newID(now)
        let name = command.instance ?? uuid.text
        if try self.instance(named: name) != nil { throw .instanceExists(name) }
        let instance = LiveInstance(
            started: numbers.nextInstance, uuid: uuid, name: name, loaded: loaded, salt: newSalt(), at: now)
        let input = Input.start(with: command.data, at: instance.identity.startedAt)
        switch loaded.machine.chain(input, from: nil, as: instance.identity, spending: &cost) {
        case .failure(.invalidData(let reason)): throw .invalidData(reason)
        case .failure(let refusal):
            throw .refused(refusal, event: input.event.name, machine: loaded.machine, facts: nil)
        case .success(let chain):
            numbers.nextInstance = numbers.nextInstance.next
            if let scope { remember(command.key, in: scope, at: numbers.nextPosition) }
            add(started: instance)
            record(chain, of: instance, by: command.caller.actor, key: command.key)
            return .first(
                InstanceView(record: instance.written(), machine: loaded.record, failure: instance.failure))
        }
    }

    /// Applies an event, and what the instance sends to itself in consequence.
    mutating func send(
        _ command: SendCommand
    ) throws(Rejection) -> KeyedAnswer<SendResult> {
        let instance = try existing(command.instance)
        let scope = KeyScope.instance(instance.record.id)
        if let key = command.key, !command.isDryRun {
            if let position = try position(of: key, in: scope) { return .repeated(position) }
            try refuseExpired(key)
        }
        fireDue(of: instance)
        try instance.refuse(command)
        let event = Event(name: command.event.name, data: command.event.data, at: instance.time(at: now))
        let explanation = command.isExplained ? instance.explained(event) : nil
        switch instance.chain(.event(event), spending: &cost) {
        case .failure(let refusal):
            let rejection = instance.rejection(refusal, of: event)
            throw explanation.map(rejection.explained) ?? rejection
        case .success(let chain):
            let answer = SendResult(
                chain, from: instance, isDryRun: command.isDryRun, wantsContext: command.wantsContext,
                explanation: explanation)
            remember(command.key, in: scope, at: numbers.nextPosition)
            record(chain, of: instance, by: command.caller.actor, key: command.key)
            return .first(answer)
        }
    }

    /// Applies events one after another, all or none.
    mutating func sendTogether(
        _ commands: [SendCommand]
    ) throws(Rejection) -> [KeyedAnswer<SendResult>] {
        // What is not accepted goes with the copy, and so does what fired before it.
        var trial = trial()
        defer { cost = trial.cost }
        var answers: [KeyedAnswer<SendResult>] = []
        for (offset, command) in commands.enumerated() {
            do throws(Rejection) {
                answers.append(try trial.send(command))
            } catch {
                throw error.at(offset)
            }
            guard trial.cost - cost <= limits.togetherCost, trial.bytes - bytes <= limits.batchBytes else {
                throw .tooMuchTogether("The first \(offset + 1) of \(commands.count) events are too much at once")
            }
        }
        self = trial
        return answers
    }

    /// Lets a failed instance go on with the event that it failed on; when it fails on it again that is recorded.
    mutating func retry(
        _ command: RetryCommand
    ) throws(Rejection) -> SendResult {
        let before = try existing(command.instance)
        try before.refuse(unless: command.expectedSeq)
        guard before.record.status == .failed, let kept = before.snapshot.armed.kept else {
            throw .notFailed(before.facts)
        }
        let input = Input.retried(Taken(kept, at: before.time(at: now)))
        switch before.chain(input, spending: &cost) {
        case .failure: preconditionFailure("what is armed is taken, or the instance fails on it")
        case .success(let chain):
            let answer = SendResult(chain, from: before, isDryRun: false, explanation: nil)
            record(chain, of: before, by: command.caller.actor)
            return answer
        }
    }

    private mutating func existing(
        _ name: String
    ) throws(Rejection) -> LiveInstance {
        guard let instance = try instance(named: name) else { throw .instanceNotFound(name) }
        return instance
    }

    /// The scope of a start's key: the machine's name, whatever the version.
    private func scope(ofStart machine: String, _ key: RequestKey) throws(Rejection) -> KeyScope? {
        guard let first = try self.machine(named: machine, version: 1) else { return nil }
        let scope = KeyScope.machine(first.record.id)
        if try position(of: key, in: scope) == nil { try refuseExpired(key) }
        return scope
    }

    /// A key that says its age may have been forgotten: then nobody knows whether it was used.
    private func refuseExpired(_ key: RequestKey) throws(Rejection) {
        guard let retention = limits.keyAge, let time = key.time else { return }
        let forgotten = try read { () throws(StoreError) in try store.forgottenKeys() }
        let oldest = max(Timestamp(rawValue: now.rawValue - retention), forgotten)
        if time <= oldest { throw .keyExpired(key.text, at: time) }
        let newest = max(now, numbers.last).rawValue + limits.keyAheadMilliseconds
        if time.rawValue > newest { throw .keyAhead(key.text, at: time, now: now) }
    }
}
