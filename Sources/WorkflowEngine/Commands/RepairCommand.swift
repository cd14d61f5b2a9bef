package import Statechart
import WorkflowJSON
package import WorkflowStore

/// Carries out an operator's verb on an instance, other than an event.
package struct RepairCommand: Sendable {
    /// The operator's verb.
    package enum Verb: Sendable, Equatable {
        /// Ends the instance in its present state.
        case cancel(runsActions: Bool)
        /// Makes a failed instance take the item that it failed on again.
        case retry
        /// Makes a failed instance continue without the item that it failed on.
        case skip
        /// Changes the context.
        case set(ContextChange)
        /// Makes all inputs wait from now on.
        case suspend
        /// Ends a suspension.
        case resume

        /// The word in the API, and the event of the row; the row of a retry has the event that is taken again.
        package var name: String {
            switch self {
            case .cancel: "cancel"
            case .retry: "retry"
            case .skip: "skip"
            case .set: "set"
            case .suspend: "suspend"
            case .resume: "resume"
            }
        }

        /// The kind of the row; a retry that fails again has another.
        var kind: Input.Kind {
            switch self {
            case .cancel: .cancelled
            case .retry: .retried
            case .skip: .skipped
            case .set: .set
            case .suspend: .suspended
            case .resume: .resumed
            }
        }
    }

    package var instance: InstanceName
    package var verb: Verb
    /// The caller's reason.
    package var reason: String?
    /// The seq that the instance must have; `nil` for any.
    package var expectedSeq: Seq?
    /// True to report the effect of the command without changing anything.
    package var isDryRun: Bool
    /// True if the answer includes the context.
    package var wantsContext: Bool
    /// The caller's key; the same request with the same key is carried out once.
    package var key: RequestKey?
    package var caller: Caller
    /// The bulk run that the command is a part of.
    var run: String?

    package init(
        instance: InstanceName, _ verb: Verb, reason: String? = nil, expectedSeq: Seq? = nil, isDryRun: Bool = false,
        wantsContext: Bool = true, key: RequestKey? = nil, by caller: Caller
    ) {
        self.instance = instance
        self.verb = verb
        self.reason = reason
        self.expectedSeq = expectedSeq
        self.isDryRun = isDryRun
        self.wantsContext = wantsContext
        self.key = key
        self.caller = caller
    }
}

extension RepairCommand: InstanceVerb {
    typealias Answer = KeyedAnswer<SendResult>

    var size: Int {
        guard case .set(let change) = verb else { return 512 }
        return 512 + change.data.size
    }

    var summary: String { "\(verb.name) \(instance)" }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        let (instance, repeated) = try begin(in: &batch)
        if let repeated { return .repeated(repeated) }
        try refuse(instance.state)
        // A due timer would suspend the instance again.
        if verb == .resume { try batch.refuseOfSuspendedMachine(instance) }
        // Everything that can fail comes first: afterwards the row is recorded.
        let before = instance.state.snapshot.status
        let waiting = before == .running ? [] : try batch.effects(of: instance)
        if verb == .retry, let kept = instance.state.snapshot.armed.kept { try batch.lookUp(kept, of: instance) }
        let (chain, answer) = try step(instance.state, waiting, at: batch.now, spending: &batch.cost)
        batch.remember(key, in: .instance(instance.state.record.id), at: batch.numbers.nextPosition)
        batch.record(chain, of: instance, from: RowOrigin(caller, key: key, reason: reason, run: run))
        if before != .running { batch.goOn(waiting, of: instance) }
        if verb == .resume { batch.fireDue(of: instance) }
        batch.lookForHeld(of: instance, waiting, after: before)
        return .first(answer)
    }

    /// Returns the chain that the verb leads to, and the answer.
    private func step(
        _ state: borrowing InstanceState, _ waiting: [EffectRecord], at now: Timestamp, spending cost: inout Int
    ) throws(Rejection) -> (Chain, SendResult) {
        let input = try input(for: state, waiting, at: now)
        switch state.chain(input, isTracing: isDryRun, spending: &cost) {
        case .failure(let refusal):
            var hint = ""
            if verb == .cancel(runsActions: true) { hint = "; without exit actions it can be cancelled" }
            if case .invalidData(let message) = refusal { throw .invalidData("\(self.instance): \(message)") }
            throw .undone(
                refusal, verb: verb.name, machine: state.machine, state.facts, hint: hint)
        case .success(let chain):
            let answer = SendResult(
                chain, from: state, isDryRun: isDryRun, wantsContext: wantsContext, isExplained: isDryRun)
            return (chain, answer)
        }
    }

    /// Throws if the verb does not apply to the instance.
    private func refuse(_ state: borrowing InstanceState) throws(Rejection) {
        let status = state.snapshot.status
        switch verb {
        case .cancel, .set: if status == .done || status == .cancelled { throw .unchangeable(state.facts) }
        case .retry, .skip:
            if status != .failed { throw .notFailed(verb.name, state.facts) }
            if verb == .retry, let kept = state.snapshot.armed.kept, !state.machine.takes(again: kept) {
                throw .forgotten(kept.event, state.facts)
            }
        case .suspend:
            if status == .done || status == .cancelled { throw .unchangeable(state.facts) }
            if status != .running { throw .restsAlready(state.facts) }
        case .resume: if status != .suspended { throw .notSuspended(state.facts) }
        }
        try state.refuse(unless: expectedSeq)
    }

    private func input(
        for state: borrowing InstanceState, _ waiting: [EffectRecord], at now: Timestamp
    ) throws(Rejection) -> Input {
        let time = state.time(at: now)
        func event(_ data: JSONValue? = nil) -> Event { Event(name: verb.name, data: data, at: time) }
        switch verb {
        case .cancel: return .cancelled(event(data))
        case .set: return .set(event(data))
        case .suspend: return .suspended(event())
        case .resume: return .resumed(Event(name: verb.name, at: state.time(ofResumeAt: now, waiting)))
        case .retry, .skip:
            guard let kept = state.snapshot.armed.kept else { throw .keepsNothing(state.record.name) }
            if case .retry = verb { return .retried(Taken(kept, at: time)) }
            return .skipped(event(["event": .string(kept.event)]))
        }
    }

    /// The data of the request that the row keeps; `nil` if there is none.
    private var data: JSONValue? {
        switch verb {
        case .cancel(let runsActions): runsActions ? nil : ["actions": false]
        case .set(let change): change.data
        case .retry, .skip, .suspend, .resume: nil
        }
    }

    func isRecorded(by row: JournalRecord, after before: Snapshot) -> Bool {
        guard RowNote(row.note).reason == reason else { return false }
        switch verb {
        // A failed retry has a row of another kind, which a failed result may have, too.
        case .retry: return before.status == .failed && (row.kind == .retried || row.kind == .failed)
        case .skip: return row.kind == verb.kind
        case .cancel, .set, .suspend, .resume:
            return row.kind == verb.kind && row.data == data.map(JSONWriter.string)
        }
    }
}

extension RepairCommand: KeyedRepair {}

extension InstanceState {
    /// Returns the logical time of a resume: the time of the first item that waited, or now if none did. So every item
    /// comes at its own time, as after an outage.
    fileprivate func time(ofResumeAt now: Timestamp, _ waiting: [EffectRecord]) -> LogicalTime {
        let answers = waiting.filter { $0.state == .answered }.map { LogicalTime($0.due) }
        let first = (snapshot.armed.comingByItself.map(\.due) + answers).min()
        return max(min(first ?? LogicalTime(now), LogicalTime(now)), LogicalTime(record.updated))
    }
}
