package import WorkflowJSON

/// SCXML, Appendix D, written from the recommendation only as an object of comparison: its procedures, its names, its
/// order, on a tree of objects (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation).
///
/// It shares no code with the step. Where the definition language differs on purpose, a comment says `Difference`. Not
/// included are `finalize` and `autoforward`, the default content of history states, and the data of `error.execution`.
/// CEL evaluates the expressions of a definition; random machines have actions and conditions without expressions.
package final class NaiveInterpreter {
    /// The identity of an instance, which expressions see as `instance`.
    package struct Identity {
        let name: String
        let version: Int64
        /// The start in milliseconds since 1970.
        let startedAt: Int64

        package init(name: String, version: Int64, startedAt: Int64) {
            self.name = name
            self.version = version
            self.startedAt = startedAt
        }
    }

    /// SCXML's `_event`.
    struct Event {
        var name: String
        var data: JSONValue?
        /// The time in milliseconds since 1970.
        var at: Int64
    }

    /// The machine of the instance's version.
    package private(set) var machine: ModelMachine
    package private(set) var version: Int64
    /// The time when the instance entered the active leaves.
    var enteredAt: Int64
    /// The most microsteps and internal events of one macrostep.
    package var workLimit: Int
    let identity: Identity

    var configuration = OrderedSet<ModelState>()
    var historyValue: [ModelState: [ModelState]] = [:]
    var datamodel: ModelContext
    /// The timers and sent events, in the order in which they were armed.
    var pending: [NaivePending] = []
    /// The number of the last armed item.
    var lastNumber = 0
    /// The entered states whose invocations have not begun.
    var statesToInvoke = OrderedSet<ModelState>()
    /// The invocations that began in this macrostep: their numbers and their requests.
    var begun: [(number: Int, text: String)] = []
    /// The event of the macrostep.
    private(set) var macrostepEvent: Event
    var output: JSONValue?
    package var running = false
    /// True if the instance could not take an event that came by itself.
    var hasFailed: Bool { pending.contains(where: \.isKept) }
    /// True if a person has suspended the instance.
    var isSuspended = false
    /// True if a person has cancelled the instance.
    var isCancelled = false
    /// True if a person has set the data since the instance failed.
    var isUnsettled = false
    /// The time of the last macrostep.
    private(set) var time: Int64
    /// The states of the instance after each macrostep.
    var pasts: [Past] = []

    private(set) var event: Event
    private var internalQueue: [(name: String, data: JSONValue?)] = []
    /// The transitions whose conditions could not be evaluated: in this selection, and of `always` in this macrostep.
    var failedConditions = OrderedSet<ModelTransition>()
    var failedEventless = OrderedSet<ModelTransition>()
    /// The milliseconds by which the present timer is late.
    var late: Int64 = 0
    /// The transitions for which the timer is too late.
    var passedOver: [ModelTransition] = []
    /// True if no transition has taken the timer for that reason.
    var isSkipping = false
    private var work = 0
    private var exited: [ModelState] = []
    private var entered: [ModelState] = []

    package init(
        _ machine: ModelMachine, workLimit: Int,
        as identity: Identity = Identity(name: "random", version: 1, startedAt: 0)
    ) {
        self.machine = machine
        version = identity.version
        enteredAt = identity.startedAt
        self.workLimit = workLimit
        self.identity = identity
        datamodel = machine.context
        time = identity.startedAt
        event = Event(name: "", at: identity.startedAt)
        macrostepEvent = event
    }

    /// Runs until the machine first waits for an event: `interpret`.
    package func start(with data: JSONObject = JSONObject()) -> Observation {
        for member in data.members { datamodel[member.key] = fitted(member.value, as: member.key) }
        // Difference: there is an event at the start.
        let event = Event(name: "init", data: data.isEmpty ? nil : .object(data), at: identity.startedAt)
        return macrostep(of: event) {
            running = true
            // Difference: the root is a state as any other and is entered as one.
            var statesToEnter = OrderedSet<ModelState>()
            var statesForDefaultEntry = OrderedSet<ModelState>()
            addDescendantStatesToEnter(machine.root, &statesToEnter, &statesForDefaultEntry)
            enter(statesToEnter, statesForDefaultEntry)
        }
    }

    /// Runs from an external event until the machine waits for the next: `mainEventLoop`.
    package func send(_ event: String, data: JSONValue? = nil, at time: Int64) -> Observation {
        guard running, !hasFailed, !isSuspended else { return .refused(.finished) }
        return macrostep(of: Event(name: event, data: data, at: time)) { () throws(Observation.Refusal) in
            let enabledTransitions = selectTransitions(event)
            if !enabledTransitions.isEmpty {
                try microstep(enabledTransitions.toList())
            } else if machine.isStrict, internalQueue.isEmpty {
                // Difference: what nothing takes is refused, unless a condition failed; its error comes next.
                throw reasonForRefusal(of: event)
            }
        }
    }

    /// Carries out a macrostep. Difference: it happens completely or not at all.
    ///
    /// - Parameter settles: True to continue until nothing is left to do; otherwise the body must not raise events.
    func macrostep(
        of event: Event, settles: Bool = true, _ first: () throws(Observation.Refusal) -> Void
    ) -> Observation {
        let before = (configuration, historyValue, datamodel, running)
        let versionBefore = (machine, version)
        let (pendingBefore, eventBefore) = (pending, self.event)
        let pathsBefore = leafPaths
        self.event = event
        macrostepEvent = event
        statesToInvoke.clear()
        begun = []
        internalQueue = []
        failedEventless.clear()
        isSkipping = false
        work = 0
        exited = []
        entered = []
        do throws(Observation.Refusal) {
            try first()
            if settles { try completeMacrostep() } else { try completeArrival() }
        } catch {
            (configuration, historyValue, datamodel, running) = before
            (machine, version) = versionBefore
            (pending, self.event) = (pendingBefore, eventBefore)
            return .refused(error)
        }
        time = event.at
        if leafPaths != pathsBefore { enteredAt = event.at }
        remember()
        return .accepted(observed())
    }

    /// Returns the macrostep of an event that takes no transition.
    func idleMacrostep(at time: Int64, begun: [(number: Int, text: String)] = []) -> Observation {
        exited = []
        entered = []
        self.begun = begun
        self.time = time
        remember()
        return .accepted(observed())
    }

    /// Records that the instance could not take an event that came by itself.
    func failedMacrostep(at time: Int64) {
        self.time = time
        remember()
    }

    private func completeMacrostep() throws(Observation.Refusal) {
        // Eventless transitions have no turn when a timer was skipped, unless a condition failed.
        if isSkipping, internalQueue.isEmpty { return }
        try settle()
        if !running { try exitInterpreter() }
    }

    /// Begins the invocations of an instance that is not running; it takes no event.
    private func completeArrival() throws(Observation.Refusal) {
        invokeStates()
        guard running, internalQueue.isEmpty else { throw .notAccepted }
    }

    private var leafPaths: Set<String> { Set(configuration.toList().filter(isAtomicState).map(\.path)) }

    /// Switches to another version of the machine.
    func become(_ machine: ModelMachine, _ version: Int64) {
        self.machine = machine
        self.version = version
    }

    /// Takes steps until nothing is left to do.
    func settle() throws(Observation.Refusal) {
        var macrostepDone = false
        while running && !macrostepDone {
            var enabledTransitions = selectEventlessTransitions()
            if enabledTransitions.isEmpty {
                if internalQueue.isEmpty {
                    // An error that this raises is taken before the macrostep is done.
                    invokeStates()
                    macrostepDone = internalQueue.isEmpty
                } else {
                    let internalEvent = internalQueue.removeFirst()
                    event = Event(name: internalEvent.name, data: internalEvent.data, at: event.at)
                    try countWork()
                    enabledTransitions = selectTransitions(internalEvent.name, isInternal: true)
                    if enabledTransitions.isEmpty { try requireHandled(internalEvent.name) }
                }
            }
            if !enabledTransitions.isEmpty { try microstep(enabledTransitions.toList()) }
        }
    }

    /// Ends the instance. Difference: exit actions run, and then the same states are active as before.
    private func exitInterpreter() throws(Observation.Refusal) {
        let shown = configuration
        for s in configuration.toList().sorted(by: exitOrder) {
            executeContent(s.exit)
            configuration.delete(s)
            if s.kind == .final, s.parent == machine.root { output = outputData(of: s) }
        }
        configuration = shown
        // Nothing comes to an instance that has finished.
        pending = []
        for event in internalQueue { try requireHandled(event.name) }
    }

    /// Cancels the instance in its present states. The appendix has no such procedure; it works as at the end.
    func cancel(_ event: Event, withActions: Bool) -> Observation {
        self.event = event
        macrostepEvent = event
        internalQueue = []
        let shown = configuration
        for s in configuration.toList().sorted(by: exitOrder) where withActions {
            executeContent(s.exit)
            configuration.delete(s)
        }
        configuration = shown
        pending = []
        running = false
        isSuspended = false
        isCancelled = true
        return idleMacrostep(at: event.at)
    }

    /// Makes the macrostep's event the present one again, after the events before it.
    func takeMacrostepEvent() { event = macrostepEvent }

    func microstep(_ enabledTransitions: [ModelTransition]) throws(Observation.Refusal) {
        try countWork()
        let domains = enabledTransitions.map(getTransitionDomain)
        exitStates(enabledTransitions)
        executeTransitionContent(enabledTransitions)
        enterStates(enabledTransitions, domains)
    }

    private func exitStates(_ enabledTransitions: [ModelTransition]) {
        let statesToExit = computeExitSet(enabledTransitions).toList().sorted(by: exitOrder)
        for s in statesToExit {
            for h in s.children where h.isHistory {
                historyValue[h] = configuration.toList().filter { s0 in
                    h.kind == .deepHistory ? isAtomicState(s0) && s0.isDescendant(of: s) : s0.parent == s
                }
            }
        }
        for s in statesToExit {
            executeContent(s.exit)
            cancelTimers(of: s)
            statesToInvoke.delete(s)
            configuration.delete(s)
            exited.append(s)
        }
    }

    private func executeTransitionContent(_ enabledTransitions: [ModelTransition]) {
        for t in enabledTransitions { executeContent(t.actions) }
    }

    private func enterStates(_ enabledTransitions: [ModelTransition], _ domains: [ModelState?]) {
        var statesToEnter = OrderedSet<ModelState>()
        var statesForDefaultEntry = OrderedSet<ModelState>()
        computeEntrySet(enabledTransitions, domains, &statesToEnter, &statesForDefaultEntry)
        enter(statesToEnter, statesForDefaultEntry)
    }

    func enter(_ statesToEnter: OrderedSet<ModelState>, _ statesForDefaultEntry: OrderedSet<ModelState>) {
        for s in statesToEnter.toList().sorted(by: entryOrder) {
            // Difference: the source of a transition that does not reenter it, and the root, may be targets that were
            // not left; they are not entered again, but begin again.
            if !configuration.isMember(s) {
                configuration.add(s)
                entered.append(s)
                executeContent(s.entry)
                armTimers(of: s)
                if !s.invocations.isEmpty { statesToInvoke.add(s) }
            }
            if statesForDefaultEntry.isMember(s) { executeContent(s.initial?.actions ?? []) }
            if s.kind == .final { reachFinal(s) }
        }
    }

    private func reachFinal(_ s: ModelState) {
        guard let parent = s.parent, let grandparent = parent.parent else {
            running = false
            return
        }
        raise("done.state.\(parent.name)", data: outputData(of: s))
        // Difference: not only the grandparent is asked. A parallel state that is done may be a region of another.
        var ancestor: ModelState? = grandparent
        while let parallel = ancestor, parallel.kind == .parallel, isInFinalState(parallel) {
            // Difference: a root that is parallel ends the machine when all its regions are done.
            if parallel == machine.root { running = false } else { raise("done.state.\(parallel.name)") }
            ancestor = parallel.parent
        }
    }
}

// MARK: What the appendix leaves to the platform

extension NaiveInterpreter {
    /// Puts an event into the internal queue.
    func raise(_ event: String, data: JSONValue? = nil) {
        internalQueue.append((event, data))
    }

    private func countWork() throws(Observation.Refusal) {
        work += 1
        if work > workLimit { throw .livelock }
    }

    /// Refuses the macrostep if nothing handles an error. Difference: this is the rule under `strict`.
    private func requireHandled(_ event: String) throws(Observation.Refusal) {
        if machine.isStrict, event.hasPrefix("error.") { throw .expressionFailed }
    }

    /// The word for the instance's status.
    package var status: String {
        if isCancelled { return "cancelled" }
        if !running { return "done" }
        return hasFailed ? "failed" : isSuspended ? "suspended" : "running"
    }

    private func observed() -> Observation.Macrostep {
        func paths(_ states: [ModelState]) -> [String] {
            states.filter { $0 != machine.root }.map(\.path)
        }
        let remembered = historyValue.sorted { $0.key.number < $1.key.number }
        return Observation.Macrostep(
            exited: paths(exited), entered: paths(entered),
            configuration: paths(configuration.toList().sorted(by: documentOrder)), status: status,
            context: datamodel.text,
            memory: remembered.map { history, states in
                "\(history.path): \(paths(states.sorted(by: documentOrder)).joined(separator: ", "))"
            }, pending: pending.map { PendingText($0) },
            begun: begun.filter { begun in pending.contains { $0.number == begun.number } }.map(\.text))
    }
}
