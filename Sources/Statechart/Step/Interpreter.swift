import JSON

/// One macrostep under way: the procedures of SCXML, Appendix D, on a machine's tables. Names follow the appendix
/// where it has one (https://www.w3.org/TR/scxml/#AlgorithmforSCXMLInterpretation).
struct Interpreter {
    let machine: Machine
    /// Sorted: the descendants of a state stand together behind it.
    var configuration: [StateIndex]
    var context: JSONObject
    var memory: [HistoryMemory]
    var exited: [StateIndex] = []
    var entered: [StateIndex] = []
    /// False from the moment in which a top-level final state is entered.
    var isRunning: Bool

    private var internalQueue: [InternalEvent] = []
    private var nextInternal = 0
    private var work = 0
    private var recentSources: [StateIndex] = []

    /// An event in the internal queue; a failed action leaves its reason with it.
    private struct InternalEvent {
        let name: String
        let data: JSONValue?
        let failure: ActionFailure?
    }

    init(machine: Machine, snapshot: Snapshot) {
        self.machine = machine
        configuration = snapshot.configuration
        context = snapshot.context
        memory = snapshot.memory
        isRunning = snapshot.status == .running
    }

    /// Runs one macrostep and says what came of it.
    mutating func run(_ first: (inout Interpreter) throws(Refusal) -> Void) -> Outcome {
        do throws(Refusal) {
            try first(&self)
            try settle()
        } catch {
            return .refused(error)
        }
        let snapshot = Snapshot(
            status: isRunning ? .running : .done, configuration: configuration, context: context, memory: memory)
        return .accepted(Macrostep(snapshot: snapshot, exited: exited, entered: entered))
    }

    /// Enters the machine's initial configuration.
    mutating func begin() throws(Refusal) {
        var entry = EntrySet(machine: machine)
        entry.addDescendants(of: .root, memory: memory)
        enter(entry)
    }

    /// Takes the external event that this macrostep is for.
    mutating func take(external event: Event) throws(Refusal) {
        let enabled = selectTransitions { $0.candidates.first(for: event.name) }
        if enabled.isEmpty {
            guard machine.isStrict else { return }
            throw machine.knows(event: event.name) ? .notAccepted : .unknownEvent
        }
        try microstep(enabled)
    }

    /// Takes eventless transitions and internal events until nothing is left to do.
    private mutating func settle() throws(Refusal) {
        while isRunning {
            let eventless = selectTransitions { $0.eventless.first }
            if !eventless.isEmpty {
                try microstep(eventless)
                continue
            }
            guard nextInternal < internalQueue.count else { return }
            let event = internalQueue[nextInternal]
            nextInternal += 1
            try take(internal: event)
        }
        runExitActionsOfFinishedMachine()
        if machine.isStrict, let error = internalQueue[nextInternal...].first(where: { Self.isError($0.name) }) {
            throw unhandled(error)
        }
    }

    private mutating func take(internal event: InternalEvent) throws(Refusal) {
        try countWork()
        let isError = machine.isStrict && Self.isError(event.name)
        let enabled = selectTransitions { state in
            isError ? state.candidates.firstHandler(for: event.name) : state.candidates.first(for: event.name)
        }
        if enabled.isEmpty {
            if isError { throw unhandled(event) }
        } else {
            try microstep(enabled)
        }
    }

    private mutating func microstep(_ transitions: [TransitionIndex]) throws(Refusal) {
        for transition in transitions where work > StepLimits.work * 9 / 10 {
            recentSources.append(machine[transition].source)
        }
        try countWork()
        exit(transitions.compactMap { domain(of: machine[$0]) })
        for transition in transitions { run(machine[transition].actions, of: machine[transition].source) }
        // Domains and history are asked again: what was just left is what a history state stands for now.
        var entry = EntrySet(machine: machine)
        for index in transitions {
            let transition = machine[index]
            guard let domain = domain(of: transition) else { continue }
            let effective = effectiveTargets(transition.targets)
            entry.add(transition.targets, effective: effective, domain: domain, memory: memory)
        }
        enter(entry)
    }

    private mutating func countWork() throws(Refusal) {
        work += 1
        guard work <= StepLimits.work else { throw .livelock(Set(recentSources).sorted()) }
    }

    private static func isError(_ name: String) -> Bool {
        name.hasPrefix("error.")
    }

    private func unhandled(_ event: InternalEvent) -> Refusal {
        .expressionFailed(
            event.failure
                ?? ActionFailure(
                    state: .root, line: machine[.root].line, expression: "raise \(event.name)",
                    message: "'\(event.name)' was raised and no transition handles it"))
    }
}

// MARK: Executable content

extension Interpreter {
    /// Runs one block: an action that fails ends it and raises `error.execution`.
    mutating func run(_ block: [Action], of state: StateIndex) {
        for action in block {
            switch action {
            case .raise(let event, let data, _):
                raise(event, data: data)
            case .assign(let assignments, let line):
                if let failure = assign(assignments, line: line, of: state) {
                    internalQueue.append(InternalEvent(name: "error.execution", data: nil, failure: failure))
                    return
                }
            }
        }
    }

    /// Puts an event into the internal queue.
    mutating func raise(_ event: String, data: JSONValue?) {
        internalQueue.append(InternalEvent(name: event, data: data, failure: nil))
    }

    /// Applies all entries or none.
    private mutating func assign(_ assignments: [Assignment], line: Int, of state: StateIndex) -> ActionFailure? {
        var changed = context
        for assignment in assignments {
            if let reason = changed.assign(assignment.value, at: assignment.path[...]) {
                let expression = "assign \(assignment.path.joined(separator: "."))"
                return ActionFailure(state: state, line: line, expression: expression, message: reason)
            }
        }
        context = changed
        return nil
    }
}

extension JSONObject {
    /// Sets a value below this object, or says why that cannot be done. The first key of a path must be there already
    /// when this is the context: the definition declares it.
    fileprivate mutating func assign(_ value: JSONValue, at path: ArraySlice<String>) -> String? {
        guard let key = path.first, let old = self[key] else {
            return "the context has no key '\(path.first ?? "")'"
        }
        guard path.count > 1 else {
            self[key] = value.converted(toMatch: old)
            return nil
        }
        let result = old.assigning(value, at: path.dropFirst(), below: key)
        if case .success(let new) = result { self[key] = new }
        if case .failure(let reason) = result { return reason.message }
        return nil
    }
}

private struct AssignFailure: Error {
    let message: String
}

extension JSONValue {
    /// A copy with a value set at a path; every step but the last must be a map that is there.
    fileprivate func assigning(
        _ value: JSONValue, at path: ArraySlice<String>, below parent: String
    ) -> Result<JSONValue, AssignFailure> {
        guard let key = path.first else { return .success(value) }
        guard case .object(var object) = self else {
            return .failure(AssignFailure(message: "'\(parent)' is \(kind == "int" ? "an" : "a") \(kind), not a map"))
        }
        if path.count > 1, object[key] == nil {
            return .failure(AssignFailure(message: "'\(parent)' has no key '\(key)'"))
        }
        return (object[key] ?? .null).assigning(value, at: path.dropFirst(), below: key).map { new in
            object[key] = new
            return .object(object)
        }
    }
}
