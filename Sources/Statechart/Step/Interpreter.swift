import WorkflowCEL
import WorkflowJSON

/// One macrostep under way: the procedures of SCXML, Appendix D, on a machine's tables. Names follow the appendix
/// where it has one (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation).
///
/// It cannot be copied: a copy would count the references of everything that an instance has.
struct Interpreter: ~Copyable {
    let machine: Machine
    let identity: InstanceIdentity
    /// Sorted: the descendants of a state stand together behind it.
    var configuration: [StateIndex]
    var context: JSONObject
    var memory: [HistoryMemory]
    var armed: [Pending]
    /// What the macrostep asks for so far.
    var requests: [Macrostep.Request] = []
    var output: JSONValue?
    var exited: [StateIndex] = []
    var entered: [StateIndex] = []
    /// How many bytes they have, as far as they go outside.
    var requestBytes = 0
    /// Bytes of all that the macrostep writes so far.
    private(set) var writtenBytes = 0
    /// Bytes of what is armed; nil while nobody has asked.
    var armedBytes: Int?
    /// Bytes of what the macrostep has armed, less those of what it has ended.
    var armedGrowth = 0
    let bounds: StepBounds
    /// Of this macrostep.
    let seq: Int64
    /// Of what it has armed last.
    private var lastNumber = 0
    /// Nil when nobody asked for it.
    var trace: [Microstep]?
    /// False from the moment in which a top-level final state is entered.
    var isRunning: Bool
    /// What expressions see as `event`: the one taken last.
    var event: Event
    /// The one that the macrostep is for.
    let macrostepEvent: Event
    /// The states that were entered and have invocations that have not begun, in any order.
    var statesToInvoke: [StateIndex] = []
    /// Whether a caller waits for the macrostep, and can be told that nothing takes its event.
    var isAwaited: Bool
    /// Everything that is evaluated in the macrostep takes from it.
    var budget = Budget()
    /// The guards of one selection, each asked once.
    var verdicts = VerdictTable()
    /// Eventless transitions whose failing guard was told once already.
    var failedEventless: Set<TransitionIndex> = []

    /// The lateness of the timer that is taken; nil when it is not late, was taken already, or the input is no timer.
    var lateness: Lateness?

    /// Whether an action changed the context.
    var isContextChanged = false

    private var internalQueue: [InternalEvent] = []
    private var nextInternal = 0
    private var work = 0
    private var recentSources: [StateIndex] = []
    /// What used the budget up: nothing more is done then.
    private var exhaustion: ActionFailure?

    /// An event in the internal queue; a failed action or guard leaves its reason with it.
    private struct InternalEvent {
        let name: String
        let data: JSONValue?
        let failure: ActionFailure?
    }

    /// - Parameter taken: The place in `Snapshot.armed` of what is taken; nil for an event that a caller waits for.
    init(
        machine: Machine, snapshot: Snapshot, identity: InstanceIdentity, event: Event, taking taken: Int? = nil,
        mode: StepMode
    ) {
        self.machine = machine
        self.identity = identity
        self.event = event
        macrostepEvent = event
        isAwaited = taken == nil
        configuration = snapshot.configuration
        context = snapshot.context
        memory = snapshot.memory
        seq = snapshot.seq + 1
        armed = snapshot.armed
        output = snapshot.output
        isRunning = snapshot.status == .running
        trace = mode.isTracing ? [] : nil
        bounds = mode.bounds
        if let taken { take(at: taken) }
    }

    /// Units of `Budget` that were used.
    var cost: Int { CELLimits.evaluation - budget.remaining }

    /// Takes out what is armed at a place, and what ends with it.
    mutating func take(at place: Int) {
        let taken = armed.remove(at: place)
        armedBytes = nil
        armedGrowth -= bytes(of: taken)
        endPartner(of: taken)
    }

    /// What an expression sees now.
    var scope: Scope {
        Scope(machine: machine, context: context, configuration: configuration, event: event, identity: identity)
    }

    /// Runs one macrostep, of the event or of the machine's start, and says what came of it.
    ///
    /// - Parameter spent: Grows by the units of `Budget` that a refused event used.
    consuming func run(isStart: Bool = false, spending spent: inout Int) -> Outcome {
        do throws(Refusal) {
            if isStart { begin() } else { try takeEvent() }
            if let skipped = lateness?.skipped { try endSkipping(skipped) } else { try settle() }
            try checkContext()
        } catch {
            spent += cost
            return .refused(error)
        }
        return .accepted(macrostep())
    }

    /// What has happened.
    ///
    /// - Parameters:
    ///   - end: What the instance is when it does not run any more.
    ///   - exitFailure: What failed when it was cancelled.
    // Where it is not inlined, all of the interpreter is moved to it.
    @inline(__always)
    consuming func macrostep(ending end: Snapshot.Status = .done, exitFailure: Refusal? = nil) -> Macrostep {
        if !isRunning { cancel { _ in true } }
        return Macrostep(
            snapshot: Snapshot(
                seq: seq, status: isRunning ? .running : end, configuration: configuration, context: context,
                memory: memory, armed: armed, output: output),
            exited: exited, entered: entered, microsteps: trace ?? [], requests: requests,
            cost: cost, exitFailure: exitFailure, skipped: lateness?.skipped)
    }

    /// Enters the machine's initial configuration.
    private mutating func begin() {
        trace?.append(Microstep(event: event.name, transitions: []))
        if let plan = machine.plan {
            enter(.root, in: plan)
            return enter(.root, below: .root, in: plan)
        }
        var entry = EntrySet(machine: machine)
        entry.addDescendants(of: .root, memory: memory)
        enter(entry)
    }

    /// Takes the event that this macrostep is for.
    mutating func takeEvent() throws(Refusal) {
        let name = event.name
        // An invocation that failed is like any other error. A caller cannot send one.
        let isError = !isAwaited && Self.isError(name)
        let takesAny = machine.takesAny && Selector.takesAny(name) && !(isError && machine.isStrict)
        if try take(.event(name, takesAny: takesAny), event: name) {
            lateness = nil
            return
        }
        if isError, name.hasPrefix(EventName.failed) {
            throw unhandled(InternalEvent(name: name, data: event.data, failure: failureOfInvocation()))
        }
        // What nobody waits for is recorded, and so is a guard that failed: its error comes next.
        guard isAwaited, machine.isStrict, nextInternal == internalQueue.count else { return }
        throw refusal()
    }

    /// Takes the transitions that are enabled; false when there are none.
    private mutating func take(_ selector: Selector, event name: String?) throws(Refusal) -> Bool {
        if let plan = machine.plan {
            guard let index = selectTransition(for: selector) else { return false }
            let transition = machine[index]
            try beginMicrostep(index, event: name)
            move(transition, in: plan)
            return true
        }
        let enabled = selectTransitions(for: selector)
        if enabled.isEmpty { return false }
        try microstep(enabled, event: name)
        return true
    }

    private func refusal() -> Refusal {
        if !machine.knows(event: event.name) { return .unknownEvent }
        let findings = findings()
        return findings.isEmpty ? .notAccepted : .guardRejected(findings)
    }

    /// Takes eventless transitions and internal events until nothing is left to do.
    mutating func settle() throws(Refusal) {
        try checkExhaustion()
        while isRunning {
            if try take(.eventless, event: nil) { continue }
            if nextInternal == internalQueue.count, !statesToInvoke.isEmpty { beginInvocations() }
            // A budget that was used up in the last microstep has left something undone.
            guard nextInternal < internalQueue.count else { return try checkExhaustion() }
            let next = internalQueue[nextInternal]
            nextInternal += 1
            try take(internal: next)
        }
        runExitActionsOfFinishedMachine()
        try checkExhaustion()
        if machine.isStrict, let error = internalQueue[nextInternal...].first(where: { Self.isError($0.name) }) {
            throw unhandled(error)
        }
    }

    private mutating func take(internal next: InternalEvent) throws(Refusal) {
        try countWork()
        let isError = machine.isStrict && Self.isError(next.name)
        event = Event(name: next.name, data: next.data, at: event.at)
        let isTaken = try take(.event(next.name, takesAny: !isError), event: next.name)
        if isError, !isTaken { throw unhandled(next) }
    }

    private mutating func beginMicrostep(_ transition: TransitionIndex, event name: String?) throws(Refusal) {
        if work > StepLimits.work * 9 / 10 { recentSources.append(machine[transition].source) }
        try countWork()
        trace?.append(Microstep(event: name, transitions: [transition]))
    }

    private mutating func microstep(_ transitions: [TransitionIndex], event name: String?) throws(Refusal) {
        for transition in transitions where work > StepLimits.work * 9 / 10 {
            recentSources.append(machine[transition].source)
        }
        try countWork()
        trace?.append(Microstep(event: name, transitions: transitions))
        let domains = transitions.map { domain(of: machine[$0]) }
        exit(domains.compactMap { $0 })
        for transition in transitions { run(machine[transition].actions, of: machine[transition].source) }
        var entry = EntrySet(machine: machine)
        for (index, domain) in zip(transitions, domains) {
            // The domain is the one that was left, but what was just left is what a history state stands for now. A
            // leaf that is the target of its own transition, without `reenter`, is neither exited nor entered.
            guard let domain, !machine[domain].isLeaf else { continue }
            let transition = machine[index]
            let effective = effectiveTargets(transition.targets)
            entry.add(transition.targets, effective: effective, domain: domain, memory: memory)
        }
        enter(entry)
    }

    /// Without budget guards could only say no, which is not what the machine means.
    func checkExhaustion() throws(Refusal) {
        if let exhaustion { throw .expressionFailed(exhaustion) }
    }

    mutating func checkContext() throws(Refusal) {
        if !isContextChanged { return }
        guard let bytes = JSONValue.object(context).keepableBytes else {
            throw .expressionFailed(
                ActionFailure(
                    state: .root, line: machine[.root].line, expression: "assign",
                    message: "the context would be \(StepLimits.tooLarge)"))
        }
        do throws(ActionFailure) {
            try write(bytes, as: "assign", of: .root, line: machine[.root].line)
        } catch {
            throw .expressionFailed(error)
        }
    }

    private mutating func countWork() throws(Refusal) {
        try checkExhaustion()
        work += 1
        guard work <= StepLimits.work else { throw .livelock(Set(recentSources).sorted()) }
    }

    private static func isError(_ name: String) -> Bool {
        name.hasPrefix(EventName.errorPrefix)
    }

    /// What is told of a failure of an invocation that nothing handles. Its message may quote data.
    private func failureOfInvocation() -> ActionFailure? {
        guard let id = Pending.invocation(of: event.name) else { return nil }
        let owner = machine.states.first { state in state.invocations.contains { $0.id == id } } ?? machine[.root]
        let error = event.data?.object
        let type = error?["type"]?.string ?? "failed"
        let message = error?["message"]?.string.map { "\(type): \(InvocationTimeout.shown($0))" } ?? type
        return ActionFailure(
            state: owner.index, line: owner.invocations.first { $0.id == id }?.line ?? owner.line,
            expression: "invoke \(id)", message: "\(message); no transition takes '\(event.name)'",
            discreet: "\(ActionFailure.ofInvocation)'\(event.name)'")
    }

    private func unhandled(_ event: InternalEvent) -> Refusal {
        .expressionFailed(
            event.failure
                ?? ActionFailure(
                    state: .root, line: machine[.root].line, expression: "raise \(event.name)",
                    message: "'\(event.name)' was raised and no transition handles it"))
    }
}

extension Interpreter {
    /// What failed first of what is told in the internal queue.
    var firstFailure: ActionFailure? { internalQueue.lazy.compactMap(\.failure).first }

    /// Whether the internal queue has an event.
    var hasRaised: Bool { nextInternal < internalQueue.count }

    /// Puts an event into the internal queue; false when there are more than could ever be taken.
    @discardableResult
    mutating func raise(_ event: String, data: JSONValue?) -> Bool {
        guard internalQueue.count <= StepLimits.work else { return false }
        internalQueue.append(InternalEvent(name: event, data: data, failure: nil))
        return true
    }

    /// Puts `error.execution` into the internal queue, or ends the macrostep when the budget is used up.
    mutating func raise(_ failure: ActionFailure) {
        tell("failed: \(failure.expression): \(failure.message)", of: failure.state, line: failure.line)
        if budget.remaining == 0 { exhaustion = exhaustion ?? failure }
        let data: JSONValue = [
            "state": .string(machine[failure.state].path), "line": .int(Int64(failure.line)),
            "expression": .string(failure.expression), "message": .string(failure.message),
        ]
        internalQueue.append(InternalEvent(name: "error.execution", data: data, failure: failure))
    }

    /// Whether nothing more is done: the macrostep is refused.
    var isExhausted: Bool { if case .none = exhaustion { false } else { true } }

    /// Counts bytes that the macrostep writes. Past the bound it is refused, whatever the machine handles.
    mutating func write(
        _ bytes: Int, as what: @autoclosure () -> String, of state: StateIndex, line: Int
    ) throws(ActionFailure) {
        writtenBytes += bytes
        chargeWork(bytes / StepLimits.bytesOfUnit)
        guard writtenBytes > bounds.writtenBytes else { return }
        throw refusing(
            ActionFailure(
                state: state, line: line, expression: what(),
                message: "the macrostep would write \(writtenBytes) bytes; "
                    + "all that one writes has at most \(bounds.writtenBytes)"))
    }

    /// Has the macrostep refused because of a failure that nothing may handle.
    mutating func refusing(_ failure: ActionFailure) -> ActionFailure {
        exhaustion = exhaustion ?? failure
        return failure
    }

    /// The identity of what is armed next.
    mutating func nextID() -> Pending.ID {
        lastNumber += 1
        return Pending.ID(seq: seq, number: lastNumber)
    }

    /// Takes units of work from the budget.
    @inline(__always)
    mutating func charge(_ units: Int) {
        if !budget.takes(units) { exhaust() }
    }

    private mutating func exhaust() {
        let failure = ActionFailure(
            state: .root, line: machine[.root].line, expression: event.name, message: Budget.isUsedUp.message)
        exhaustion = exhaustion ?? failure
    }

    /// Takes units for moving, arming and writing, where these are charged.
    mutating func chargeWork(_ units: Int) {
        if bounds.isWorkCharged { charge(units) }
    }

    /// Takes units for going through a list once.
    mutating func chargePass(_ count: Int) {
        chargeWork((count + StepLimits.elementsOfUnit - 1) / StepLimits.elementsOfUnit)
    }

    /// Adds to the trace, if there is one.
    mutating func tell(_ text: @autoclosure () -> String, of state: StateIndex, line: Int) {
        guard let microstep = trace?.last, let last = trace?.indices.last else { return }
        let deed = Microstep.ActionTrace(
            state: state, line: line, text: text(), exited: microstep.exited.count, entered: microstep.entered.count)
        trace?[last].deeds.append(deed)
    }
}
