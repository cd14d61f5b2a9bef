import JSON
import Statechart
import WorkflowStore

// Commands about instances. Everything that a command can fail on is decided before its first row.

extension BatchBuilder {
    /// Starts an instance.
    mutating func start(
        _ command: StartCommand, cached: (String) -> LiveInstance?, random: inout some RandomNumberGenerator
    ) throws(Rejection) -> Answer {
        let scope = try command.key.flatMap { key throws(Rejection) in try self.scope(ofStart: command.machine, key) }
        if let key = command.key, let scope, let position = try position(of: key, in: scope) {
            return .repeated(position)
        }
        guard let loaded = try machine(named: command.machine, version: command.version) else {
            let latest = try machine(named: command.machine, version: nil)
            throw .machineNotFound(
                name: command.machine, version: command.version, latest: latest?.record.version)
        }
        let uuid = UniqueID(at: now, random: &random)
        let name = command.instance ?? uuid.text
        if try place(of: name, cached: cached) != nil { throw .instanceExists(name) }
        let instance = LiveInstance(started: numbers.nextInstance, uuid: uuid, name: name, loaded: loaded, at: now)
        switch loaded.machine.start(with: command.data, as: instance.identity) {
        case .refused(.invalidData(let reason)): throw .invalidData(reason)
        case .refused(let refusal):
            throw .refused(refusal, event: "init", machine: loaded.machine, facts: nil)
        case .accepted(let macrostep):
            numbers.nextInstance = InstanceID(rawValue: numbers.nextInstance.rawValue + 1)
            let event = command.event(at: instance.identity.startedAt)
            let chain = loaded.machine.chain(event, macrostep, as: instance.identity)
            if let scope { remember(command.key, in: scope, at: numbers.nextPosition) }
            let place = add(started: instance)
            record(chain, of: place, kind: .started, key: command.key)
            var started = self[place]
            return .started(
                InstanceView(record: started.written(), machine: loaded.record, failure: started.failure))
        }
    }

    /// Applies an event, and what the instance sends to itself in consequence.
    mutating func send(
        _ command: SendCommand, cached: (String) -> LiveInstance?
    ) throws(Rejection) -> Answer {
        let place = try existing(command.instance, cached: cached)
        let scope = KeyScope.instance(self[place].record.id)
        if let key = command.key, !command.isDryRun {
            if let position = try position(of: key, in: scope) { return .repeated(position) }
            try refuseExpired(key)
        }
        fireDue(of: place)
        let before = self[place]
        switch before.record.status {
        case .running: break
        case .failed: throw .failed(before.facts)
        case .done, .cancelled, .purging: throw .finished(before.facts)
        }
        try check(command, against: before)
        let identity = before.identity
        let event = Event(name: command.event.name, data: command.event.data, at: before.time(at: now))
        let explanation =
            command.isExplained
            ? before.machine.explain(before.snapshot, event, as: identity)
                .map { CandidateView($0, of: before.machine) } : nil
        let outcome = before.machine.step(before.snapshot, event, as: identity)
        guard case .accepted(let macrostep) = outcome else {
            let rejection = Self.rejection(outcome, of: event, in: before)
            throw explanation.map { .explained(rejection, $0) } ?? rejection
        }
        let chain = before.machine.chain(event, macrostep, as: identity)
        remember(command.key, in: scope, at: numbers.nextPosition)
        record(chain, of: place, kind: .event, key: command.key)
        return .sent(SentEvent(chain, from: before, isDryRun: command.isDryRun, explanation: explanation))
    }

    /// Applies events one after another, all or none.
    mutating func sendTogether(
        _ commands: [SendCommand], cached: (String) -> LiveInstance?
    ) throws(Rejection) -> [Answer] {
        // What is not accepted goes with the copy, and so does what fired before it.
        var trial = self
        var answers: [Answer] = []
        for (offset, command) in commands.enumerated() {
            do throws(Rejection) {
                answers.append(try trial.send(command, cached: cached))
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

    /// Lets a failed instance go on with the event that it failed on.
    mutating func retry(
        _ command: RetryCommand, cached: (String) -> LiveInstance?
    ) throws(Rejection) -> SentEvent {
        let place = try existing(command.instance, cached: cached)
        let before = self[place]
        if let expected = command.expectedSeq, expected != before.record.seq {
            throw .preconditionFailed("seq \(expected.rawValue)", before.facts)
        }
        guard before.record.status == .failed, let kept = before.snapshot.nextTimer else {
            throw .notFailed(before.facts)
        }
        var snapshot = before.snapshot
        snapshot.status = .running
        let due = before.machine.event(of: kept)
        // It came in time; that it failed does not make it late.
        let event = Event(
            name: due.name, data: due.data, at: before.time(at: now), origin: due.origin, firedAt: kept.due)
        let outcome = before.machine.step(snapshot, event, as: before.identity)
        guard case .accepted(let macrostep) = outcome else {
            throw Self.rejection(outcome, of: event, in: before)
        }
        let chain = before.machine.chain(event, macrostep, as: before.identity)
        record(chain, of: place, kind: .retried)
        return SentEvent(chain, from: before, isDryRun: false, explanation: nil)
    }

    mutating func record(
        _ chain: Chain, of place: TouchedInstances.Place, kind: JournalKind, key: RequestKey? = nil
    ) {
        for (offset, link) in chain.links.enumerated() {
            charge(link.macrostep.cost)
            record(
                link.macrostep.snapshot, of: place, kind: offset == 0 ? kind : .sent, event: link.event,
                key: offset == 0 ? key : nil)
        }
        if let failure = chain.failure { recordFailure(failure.event, of: place) }
    }

    /// An event that nobody waits for could not be applied: it stays among what is armed until somebody retries.
    mutating func recordFailure(_ event: Event, of place: TouchedInstances.Place) {
        var snapshot = self[place].snapshot
        snapshot.status = .failed
        record(snapshot, of: place, kind: .failed, event: event)
    }

    private func check(_ command: SendCommand, against instance: LiveInstance) throws(Rejection) {
        if let expected = command.expectedSeq, expected != instance.record.seq {
            throw .preconditionFailed("seq \(expected.rawValue)", instance.facts)
        }
        guard let path = command.expectedState else { return }
        let isActive = instance.machine.state(atPath: path).map(instance.snapshot.configuration.contains) ?? false
        if !isActive { throw .preconditionFailed("state '\(path)'", instance.facts) }
    }

    private mutating func existing(
        _ name: String, cached: (String) -> LiveInstance?
    ) throws(Rejection) -> TouchedInstances.Place {
        guard let place = try place(of: name, cached: cached) else { throw .instanceNotFound(name) }
        return place
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

    private static func rejection(_ outcome: Outcome, of event: Event, in instance: LiveInstance) -> Rejection {
        guard case .refused(let refusal) = outcome else { preconditionFailure("only refusals are rejected") }
        return .refused(refusal, event: event.name, machine: instance.machine, facts: instance.facts)
    }
}
