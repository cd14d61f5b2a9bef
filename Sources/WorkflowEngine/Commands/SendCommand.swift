package import Statechart
package import WorkflowJSON
package import WorkflowStore

/// Sends an event to an instance.
package struct SendCommand: Sendable {
    package var instance: InstanceName
    package var event: Event
    /// The seq that the instance must have; `nil` for any.
    package var expectedSeq: Seq?
    /// The path of a state that must be active; `nil` for any.
    package var expectedState: String?
    /// True to report the effect of the event without changing anything.
    package var isDryRun: Bool
    /// True to list the transitions tried and the values that their guards read; for a dry run only.
    package var isExplained: Bool
    /// True if the answer includes the context. Without it, a waiting answer holds no context.
    package var wantsContext: Bool
    /// The caller's key; the same event with the same key is applied once.
    package var key: RequestKey?
    package var caller: Caller

    package init(
        instance: InstanceName, event: Event, expectedSeq: Seq? = nil, expectedState: String? = nil,
        isDryRun: Bool = false, isExplained: Bool = false, wantsContext: Bool = true, key: RequestKey? = nil,
        by caller: Caller
    ) {
        self.instance = instance
        self.event = event
        self.expectedSeq = expectedSeq
        self.expectedState = expectedState
        self.isDryRun = isDryRun
        self.isExplained = isExplained
        self.wantsContext = wantsContext
        self.key = key
        self.caller = caller
    }
}

extension SendCommand: InstanceVerb {
    var size: Int { 256 + event.name.utf8.count + (event.data?.size ?? 0) }
    var summary: String { "send \(instance) \(event.name)" }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> KeyedAnswer<SendResult> {
        try send(in: &batch)
    }

    /// Applies the event, and the events that the instance sends to itself as a consequence.
    ///
    /// - Parameters:
    ///   - reason: The reason of a caller who sends the event to many instances.
    ///   - run: The bulk run that the event is a part of.
    func send(
        in batch: inout BatchBuilder, reason: String? = nil, run: String? = nil
    ) throws(Rejection) -> KeyedAnswer<SendResult> {
        let instance = try batch.existing(target)
        let scope = KeyScope.instance(instance.state.record.id)
        if let key, !isDryRun {
            if let position = try batch.position(of: key, in: scope) { return .repeated(position) }
            try batch.refuseExpired(key)
        }
        try batch.refuseOfSuspendedMachine(instance)
        batch.fireDue(of: instance)
        let (chain, answer) = try step(from: instance.state, at: batch.now, spending: &batch.cost)
        batch.remember(key, in: scope, at: batch.numbers.nextPosition)
        batch.record(chain, of: instance, from: RowOrigin(caller, key: key, reason: reason, run: run))
        batch.parts.brake.fill(instance.state.record.id)
        return .first(answer)
    }

    /// Returns the chain that the event leads to, and the sender's answer.
    private func step(
        from before: borrowing InstanceState, at now: Timestamp, spending cost: inout Int
    ) throws(Rejection) -> (Chain, SendResult) {
        try before.refuse(self)
        let event = Event(name: self.event.name, data: self.event.data, at: before.time(at: now))
        switch before.chain(.event(event), isTracing: isDryRun, spending: &cost) {
        case .failure(let refusal):
            let rejection = before.rejection(refusal, of: event)
            throw isExplained ? rejection.explained(before.explained(event)) : rejection
        case .success(let chain):
            let answer = SendResult(
                chain, from: before, isDryRun: isDryRun, wantsContext: wantsContext, isExplained: isExplained)
            return (chain, answer)
        }
    }

    consuming func queued(_ destination: AnswerDestination<KeyedAnswer<SendResult>>) -> any QueuedCommand {
        QueuedSend(self, destination)
    }

    /// Throws if no caller may send such an event, whatever the instance.
    func check() throws(Rejection) {
        if EventName.isReserved(event.name) { throw .reservedEvent(event.name) }
        guard EventName.isValid(event.name) else {
            throw .invalidName("\(EventName.quoted(event.name)) is no event name: \(EventName.rule)")
        }
    }
}

/// The answer to a send.
///
/// The answer keeps the result of the step, and renders it on demand, not on the writer's time.
package final class SendResult: Sendable {
    package let event: String
    /// The seq after the event, and after the events that the instance sent to itself as a consequence; for a dry run,
    /// the expected seq.
    package let seq: Seq
    /// The seq before the event.
    package let fromSeq: Seq
    package let isDryRun: Bool
    /// Every transition that was tried, in order, with its verdict; `nil` if the caller did not ask.
    package let explanation: [CandidateView]?
    /// The effects that would begin and be cancelled; for a dry run only.
    package let effects: EffectForecast?
    /// True if this is the answer to an earlier event with the same key, given again.
    package let isRepeated: Bool
    /// The fate of pending items; for a reset only.
    package let reset: ResetView?
    /// The migration of the instance to another version; `nil` for every other command.
    package let migration: MigrationAnswer?
    /// The last link, if the instance would fail on it; for a dry run only.
    private let failing: Chain.Link?

    /// The name of the instance.
    package let instance: InstanceName
    /// The machine that the state numbers refer to, except the numbers before a migration.
    package let machine: Machine
    /// The machine that the instance ran before.
    private let old: Machine
    /// The configuration before.
    package let before: [StateIndex]
    /// The configuration after the last event that the instance sent to itself, like the properties below. No
    /// intermediate snapshot is kept: each may have a context of a mebibyte, and answers wait for their callers.
    package let afterStates: [StateIndex]
    package let status: InstanceStatus
    /// The context; empty if the command did not request it.
    package let context: JSONObject
    /// The output of the final state; `nil` while the instance runs, and if the state gives none.
    package let output: JSONValue?
    /// The first microsteps, in short; for a dry run only.
    package let microsteps: [Microstep]
    /// The states left, in order.
    package let exitedStates: [StateIndex]
    /// The states entered, in order.
    package let enteredStates: [StateIndex]

    /// - Parameter new: The machine that the instance runs afterwards, if it is another version.
    init(
        _ chain: Chain, from before: borrowing InstanceState, isDryRun: Bool, wantsContext: Bool = true,
        isExplained: Bool = false, isRepeated: Bool = false, into new: LoadedMachine? = nil,
        migration: MigrationAnswer? = nil
    ) {
        self.migration = migration
        let links = migration?.then.map { chain.rest + $0.links } ?? chain.rest
        instance = before.record.name
        event = chain.first.event.name
        seq = Seq(rawValue: before.record.seq.rawValue + Int64(1 + links.count))
        fromSeq = before.record.seq
        old = before.machine
        machine = new?.machine ?? old
        self.before = before.snapshot.configuration
        // Field by field: a copy of a snapshot counts the references of everything that an instance has.
        let first = chain.first
        let last = links.last ?? first
        exitedStates = links.reduce(into: first.macrostep.exited) { $0 += $1.macrostep.exited }
        enteredStates = links.reduce(into: first.macrostep.entered) { $0 += $1.macrostep.entered }
        microsteps = isDryRun ? RehearsedSteps.microsteps(of: [first] + links) : []
        afterStates = last.macrostep.snapshot.configuration
        status = InstanceStatus(last.macrostep.snapshot.status)
        context = wantsContext ? last.macrostep.snapshot.context : JSONObject()
        output = last.macrostep.snapshot.output
        self.isDryRun = isDryRun
        failing = isDryRun && last.refusal != nil ? last : nil
        reset = first.input.kind == .reset ? ResetView(first, from: before) : nil
        effects = isDryRun && machine.hasEffects && reset == nil ? EffectForecast(chain, from: before) : nil
        explanation = isExplained ? RehearsedSteps.candidates(of: [first] + links, in: machine) : nil
        self.isRepeated = isRepeated
    }

    /// Creates the answer to a start, given the instance after it.
    convenience init(startedBy chain: Chain, _ state: borrowing InstanceState, wantsContext: Bool) {
        let record = state.record
        self.init(
            chain,
            from: InstanceState(
                started: record.id, uuid: record.uuid, key: record.key, loaded: state.loaded, salt: record.salt,
                at: record.created), isDryRun: false, wantsContext: wantsContext)
    }

    /// The failure that the instance would have; for a dry run only.
    package var failure: InstanceFailure? { failing.flatMap { InstanceFailure($0, of: machine, seq: seq) } }

    /// True for the answer to a start: seq 1 is an instance's first.
    package var isStart: Bool { fromSeq.rawValue == 0 }

    /// The paths of the active leaves before.
    package var from: [String] { old.leafPaths(of: before) }

    /// The paths of the active leaves after.
    package var to: [String] { machine.leafPaths(of: afterStates) }

    /// The tags of the active states after; `nil` if no state of the machine has any.
    package var tags: [String]? { machine.hasTags ? machine.tags(of: afterStates) : nil }

    /// The paths of the states left, in order.
    package var exited: [String] { machine.paths(of: exitedStates) }

    /// The paths of the states entered, in order.
    package var entered: [String] { machine.paths(of: enteredStates) }
}

extension InstanceState {
    /// Throws if a command cannot be carried out, whatever its event.
    func refuse(_ command: SendCommand) throws(Rejection) {
        switch record.status {
        case .running: break
        case .failed: throw .failed(facts)
        case .suspended: throw .suspended(facts)
        case .done, .cancelled, .purging: throw .finished(facts)
        }
        try refuse(unless: command.expectedSeq)
        guard let path = command.expectedState else { return }
        let isActive = machine.state(atPath: path).map(snapshot.configuration.contains) ?? false
        if !isActive { throw .preconditionFailed("state '\(path)'", facts) }
    }
}

/// A single event in the queue. A class of its own, because events are frequent: a generic class looks its types up on
/// each use, which costs 4,300 instructions an event.
///
/// `@unchecked Sendable`: see `OutcomeKeeper`.
final class QueuedSend: OutcomeKeeper, @unchecked Sendable {
    let size: Int
    let isLong = false
    let asked: SendCommand
    let destination: AnswerDestination<SendCommand.Answer>
    var outcome: Result<SendCommand.Answer, Rejection>?
    var waits = 0

    init(_ command: SendCommand, _ destination: AnswerDestination<SendCommand.Answer>) {
        size = command.size
        self.destination = destination
        asked = command
    }
}
