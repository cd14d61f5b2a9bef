import JSON
import Statechart
import WorkflowStore

// Commands about instances. Everything that a command can fail on is decided before its first row.

extension BatchBuilder {
    /// Starts an instance.
    mutating func start(_ command: StartCommand) throws(Rejection) -> Answer {
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
        let instance = LiveInstance(started: numbers.nextInstance, uuid: uuid, name: name, loaded: loaded, at: now)
        switch loaded.machine.start(with: command.data, as: instance.identity, spending: &cost) {
        case .refused(.invalidData(let reason)): throw .invalidData(reason)
        case .refused(let refusal):
            throw .refused(refusal, event: "init", machine: loaded.machine, facts: nil)
        case .accepted(let macrostep):
            numbers.nextInstance = InstanceID(rawValue: numbers.nextInstance.rawValue + 1)
            let event = command.event(at: instance.identity.startedAt)
            let chain = loaded.machine.chain(event, macrostep, as: instance.identity)
            if let scope { remember(command.key, in: scope, at: numbers.nextPosition) }
            add(started: instance)
            record(chain, of: instance, kind: .started, key: command.key)
            return .started(
                InstanceView(record: instance.written(), machine: loaded.record, failure: instance.failure))
        }
    }

    /// Applies an event, and what the instance sends to itself in consequence.
    mutating func send(
        _ command: SendCommand
    ) throws(Rejection) -> Answer {
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
        let macrostep: Macrostep
        switch instance.step(event, spending: &cost) {
        case .accepted(let accepted): macrostep = accepted
        case .refused(let refusal):
            let rejection = instance.rejection(refusal, of: event)
            throw explanation.map { .explained(rejection, $0) } ?? rejection
        }
        let chain = instance.chain(event, macrostep)
        let answer = SentEvent(
            chain, from: instance, isDryRun: command.isDryRun, wantsContext: command.wantsContext,
            explanation: explanation)
        remember(command.key, in: scope, at: numbers.nextPosition)
        record(chain, of: instance, kind: .event, key: command.key)
        return .sent(answer)
    }

    /// Applies events one after another, all or none.
    mutating func sendTogether(
        _ commands: [SendCommand]
    ) throws(Rejection) -> [Answer] {
        // What is not accepted goes with the copy, and so does what fired before it.
        var trial = trial()
        defer { cost = trial.cost }
        var answers: [Answer] = []
        for (offset, command) in commands.enumerated() {
            do throws(Rejection) {
                answers.append(try trial.send(command))
            } catch {
                throw .together(offset, error)
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
    ) throws(Rejection) -> SentEvent {
        let before = try existing(command.instance)
        try before.refuse(unless: command.expectedSeq)
        guard before.record.status == .failed, let kept = before.snapshot.nextTimer else {
            throw .notFailed(before.facts)
        }
        var snapshot = before.snapshot
        snapshot.status = .running
        let due = before.machine.event(of: kept)
        // It came in time; that it failed does not make it late.
        let event = Event(
            name: due.name, data: due.data, at: before.time(at: now), origin: due.origin, firedAt: kept.due)
        switch before.machine.step(snapshot, event, as: before.identity, spending: &cost) {
        case .refused(let refusal):
            let answer = SentEvent(failing: event, again: before)
            recordFailure(event, refusal, of: before)
            return answer
        case .accepted(let macrostep):
            let chain = before.chain(event, macrostep)
            let answer = SentEvent(chain, from: before, isDryRun: false, explanation: nil)
            record(chain, of: before, kind: .retried)
            return answer
        }
    }

    mutating func record(
        _ chain: Chain, of instance: LiveInstance, kind: JournalKind, key: RequestKey? = nil
    ) {
        record(chain.first, of: instance, kind: kind, key: key)
        for link in chain.rest { record(link, of: instance, kind: .sent) }
        if let failure = chain.failure { recordFailure(failure.event, failure.refusal, of: instance) }
    }

    private mutating func record(
        _ link: Chain.Link, of instance: LiveInstance, kind: JournalKind, key: RequestKey? = nil
    ) {
        charge(link.macrostep.cost)
        record(link.macrostep.snapshot, of: instance, kind: kind, event: link.event, key: key)
    }

    /// An event that nobody waits for could not be applied: it stays among what is armed until somebody retries.
    mutating func recordFailure(_ event: Event, _ refusal: Refusal, of instance: LiveInstance) {
        var snapshot = instance.snapshot
        snapshot.status = .failed
        let failure = RecordedFailure(refusal, of: event.name, in: instance.machine)
        record(snapshot, of: instance, kind: .failed, event: event, failure: failure)
        if let failure { note(.failed(instance.record, machine: instance.loaded.record, failure)) }
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

extension Chain {
    /// Rows of the journal that it takes.
    var rows: Int64 { Int64(1 + rest.count + (failure == nil ? 0 : 1)) }
}
