import WorkflowCEL
import WorkflowJSON

/// One macrostep in progress: the procedures of SCXML, Appendix D, on a machine's tables. Names follow the appendix
/// where possible (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation).
///
/// The interpreter is not copyable: a copy would retain every reference that an instance holds.
struct Interpreter: ~Copyable {
    let machine: Machine
    let identity: InstanceIdentity
    /// The active states in document order: a state's descendants directly follow it.
    var configuration: [StateIndex]
    var context: JSONObject
    var memory: [HistoryMemory]
    var armed: [Pending]
    /// The requests of the macrostep so far.
    var requests: [Macrostep.Request] = []
    /// The events that the macrostep has emitted so far.
    var emitted: [Event] = []
    var output: JSONValue?
    var exited: [StateIndex] = []
    var entered: [StateIndex] = []
    /// The size in bytes of the requests for effects.
    var requestBytes = 0
    /// The number of bytes that the macrostep has written so far.
    private(set) var writtenBytes = 0
    /// The size in bytes of the pending items; `nil` until first needed.
    var armedBytes: Int?
    /// The bytes of the items that the macrostep has armed, minus the bytes of the items that it has ended.
    var armedGrowth = 0
    let bounds: StepBounds
    /// The number of this macrostep.
    let seq: Int64
    /// The number of the item that the macrostep armed last.
    private var lastNumber = 0
    /// The trace; `nil` if not requested.
    var trace: StepTrace?
    /// False as soon as a top-level final state is entered.
    var isRunning: Bool
    /// The event that expressions see as `event`: the event taken last.
    var event: Event
    /// The event that the macrostep is for.
    let macrostepEvent: Event
    /// The entered states whose invocations have not started, in any order.
    var statesToInvoke: [StateIndex] = []
    /// True if a caller waits for the macrostep and can be told that no transition takes its event.
    var isAwaited: Bool
    /// The budget for all evaluation in the macrostep.
    var budget = Budget()
    /// The guards of one selection; each is evaluated once.
    var verdicts = VerdictTable()
    /// The eventless transitions whose failing guard was already reported.
    var failedEventless: Set<TransitionIndex> = []

    /// The lateness of the current timer; `nil` if the timer is on time or already taken, or if the input is not a
    /// timer.
    var lateness: Lateness?

    /// True if an action changed the context.
    var isContextChanged = false

    private var internalQueue: [InternalEvent] = []
    private var nextInternal = 0
    private var work = 0
    private var recentSources: [StateIndex] = []
    /// The failure that used up the budget; nothing more is executed after it.
    private var exhaustion: ActionFailure?

    /// An event in the internal queue, with the failure of an action or guard that raised it.
    private struct InternalEvent {
        let name: String
        let data: JSONValue?
        let failure: ActionFailure?
    }

    /// - Parameter taken: The place in `Snapshot.armed` of the item to take; `nil` for an event that a caller waits
    ///   for.
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
        trace = mode.isTracing ? StepTrace() : nil
        bounds = mode.bounds
        if let taken { take(at: taken) }
    }

    /// The units of `Budget` that were used.
    var cost: Int { CELLimits.evaluation - budget.remaining }

    /// Removes the pending item at a place, and the items that end with it.
    mutating func take(at place: Int) {
        let taken = armed.remove(at: place)
        armedBytes = nil
        armedGrowth -= bytes(of: taken)
        endPartner(of: taken)
    }

    /// The values that an expression sees now.
    var scope: Scope {
        Scope(machine: machine, context: context, configuration: configuration, event: event, identity: identity)
    }

    /// Runs one macrostep, for the event or for the machine's start, and returns its outcome.
    ///
    /// - Parameter spent: Increases by the units of `Budget` that a refused event used.
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

    /// Returns the finished macrostep.
    ///
    /// - Parameters:
    ///   - end: The status of the instance if it no longer runs.
    ///   - exitFailure: The failure of an exit action during cancellation.
    // Without inlining, a call would move the whole interpreter.
    @inline(__always)
    consuming func macrostep(ending end: Snapshot.Status = .done, exitFailure: Refusal? = nil) -> Macrostep {
        if !isRunning { cancel { _ in true } }
        return Macrostep(
            snapshot: Snapshot(
                seq: seq, status: isRunning ? .running : end, configuration: configuration, context: context,
                memory: memory, armed: armed, output: output),
            exited: exited, entered: entered, trace: trace, requests: requests, emitted: emitted,
            cost: cost, exitFailure: exitFailure, skipped: lateness?.skipped)
    }

    /// Enters the machine's initial configuration.
    private mutating func begin() {
        trace?.microsteps.append(Microstep(event: event.name, transitions: []))
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
        // A failed invocation is an error like any other. A caller cannot send such an event.
        let isError = !isAwaited && Self.isError(name)
        let takesAny = machine.takesAny && Selector.takesAny(name) && !(isError && machine.isStrict)
        if try take(.event(name, takesAny: takesAny), event: name) {
            lateness = nil
            return
        }
        if isError, name.hasPrefix(EventName.failed) {
            throw unhandled(InternalEvent(name: name, data: event.data, failure: failureOfInvocation()))
        }
        // An event without a waiting caller is recorded. So is an event whose guard failed: its error event comes next.
        guard isAwaited, machine.isStrict, nextInternal == internalQueue.count else { return }
        throw refusal()
    }

    /// Takes the enabled transitions; returns false if there are none.
    private mutating func take(_ selector: Selector, event name: String?) throws(Refusal) -> Bool {
        if let plan = machine.plan {
            let index = selectTransition(for: selector)
            if trace != nil { addFindings(for: selector, taken: index) }
            guard let index else { return false }
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

    /// Takes eventless transitions and internal events until the machine is stable.
    mutating func settle() throws(Refusal) {
        try checkExhaustion()
        while isRunning {
            if try take(.eventless, event: nil) { continue }
            if nextInternal == internalQueue.count, !statesToInvoke.isEmpty { beginInvocations() }
            // If the budget ran out in the last microstep, some actions did not run.
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
        trace?.microsteps.append(Microstep(event: name, transitions: [transition]))
    }

    private mutating func microstep(_ transitions: [TransitionIndex], event name: String?) throws(Refusal) {
        for transition in transitions where work > StepLimits.work * 9 / 10 {
            recentSources.append(machine[transition].source)
        }
        try countWork()
        trace?.microsteps.append(Microstep(event: name, transitions: transitions))
        let domains = transitions.map { domain(of: machine[$0]) }
        exit(domains.compactMap { $0 })
        for transition in transitions { run(machine[transition].actions, of: machine[transition].source) }
        var entry = EntrySet(machine: machine)
        for (index, domain) in zip(transitions, domains) {
            // The domain is the one that was left, but history states now stand for the states that were just left. A
            // leaf that is the target of its own transition, without `reenter`, is neither exited nor entered.
            guard let domain, !machine[domain].isLeaf else { continue }
            let transition = machine[index]
            let effective = effectiveTargets(transition.targets)
            entry.add(transition.targets, effective: effective, domain: domain, memory: memory)
        }
        enter(entry)
    }

    /// Throws if the budget is used up. Without budget every guard would count as false, contrary to the definition.
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

    /// Returns the failure of an invocation that no transition handles. Its message may quote data.
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
    /// The first failure in the internal queue.
    var firstFailure: ActionFailure? { internalQueue.lazy.compactMap(\.failure).first }

    /// True if the internal queue has an event.
    var hasRaised: Bool { nextInternal < internalQueue.count }

    /// Adds an event to the internal queue; returns false if the queue already exceeds the events a macrostep can take.
    @discardableResult
    mutating func raise(_ event: String, data: JSONValue?) -> Bool {
        guard internalQueue.count <= StepLimits.work else { return false }
        internalQueue.append(InternalEvent(name: event, data: data, failure: nil))
        return true
    }

    /// Adds `error.execution` to the internal queue; ends the macrostep if the budget is used up.
    mutating func raise(_ failure: ActionFailure) {
        tell("failed: \(failure.expression): \(failure.message)", of: failure.state, line: failure.line)
        if budget.remaining == 0 { exhaustion = exhaustion ?? failure }
        let data: JSONValue = [
            "state": .string(machine[failure.state].path), "line": .int(Int64(failure.line)),
            "expression": .string(failure.expression), "message": .string(failure.message),
        ]
        internalQueue.append(InternalEvent(name: "error.execution", data: data, failure: failure))
    }

    /// True if nothing more is executed because the macrostep will be refused.
    var isExhausted: Bool { if case .none = exhaustion { false } else { true } }

    /// Counts bytes that the macrostep writes. Past the limit the macrostep is refused, whatever errors the machine
    /// handles.
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

    /// Refuses the macrostep because of a failure that no transition may handle. Returns the failure.
    mutating func refusing(_ failure: ActionFailure) -> ActionFailure {
        exhaustion = exhaustion ?? failure
        return failure
    }

    /// Returns the id of the next item to arm.
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

    /// Takes units for moving, arming and writing, if the bounds charge such work.
    mutating func chargeWork(_ units: Int) {
        if bounds.isWorkCharged { charge(units) }
    }

    /// Takes units for one pass through a list.
    mutating func chargePass(_ count: Int) {
        chargeWork((count + StepLimits.elementsOfUnit - 1) / StepLimits.elementsOfUnit)
    }

    /// Adds a line to the trace, if there is a trace.
    mutating func tell(_ text: @autoclosure () -> String, of state: StateIndex, line: Int) {
        guard let microstep = trace?.microsteps.last, let last = trace?.microsteps.indices.last else { return }
        let deed = Microstep.ActionTrace(
            state: state, line: line, text: text(), exited: microstep.exited.count, entered: microstep.entered.count)
        trace?.microsteps[last].deeds.append(deed)
    }
}
