import WorkflowCEL
package import WorkflowJSON

/// Beginning invocations (SCXML 6.4 and Appendix D: `statesToInvoke`). What runs them is not known here.
extension Interpreter {
    /// Begins the invocations of the states that were entered and are still active, now that the machine is stable.
    /// What cannot be evaluated raises `error.execution`.
    mutating func beginInvocations() {
        let states = statesToInvoke
        statesToInvoke = []
        // Expressions see the event of the macrostep, not the internal one that was taken last.
        let last = event
        event = macrostepEvent
        for state in states {
            for invocation in machine[state].invocations {
                do throws(ActionFailure) {
                    try begin(invocation, of: state)
                } catch {
                    raise(error)
                }
            }
        }
        event = last
    }

    private mutating func begin(_ invocation: Invocation, of state: StateIndex) throws(ActionFailure) {
        let what = "invoke \(invocation.id)"
        let input = try invocation.task.input.map { template throws(ActionFailure) in
            try evaluate(template, of: state, as: "\(what) input: ")
        }
        guard input?.isKeepable ?? true else {
            throw ActionFailure(
                state: state, line: invocation.line, expression: what,
                message: "the input would be \(StepLimits.tooLarge)")
        }
        let priority = try priority(of: invocation, in: state, as: what)
        let timeout = try invocation.timeout.map { delay throws(ActionFailure) in
            try milliseconds(of: delay, in: state, as: "\(what) timeout: ")
        }
        let due = timeout.map { event.at.milliseconds + $0 }
        try requireRoom(what, places: timeout == nil ? 1 : 2, due: due ?? 0, of: state, line: invocation.line)
        tell(
            "\(what): task \(invocation.task.queue)" + (input.map { " " + JSONWriter.string($0) } ?? ""), of: state,
            line: invocation.line)
        let pending = Pending(
            id: nextID(), kind: .invocation, event: EventName.done + invocation.id, data: nil, due: .zero,
            owner: .state(state))
        armed.append(pending)
        requests.append(.invoke(pending, EffectRequest(invocation, input: input, priority: priority, deadline: due)))
        guard let timeout else { return }
        let error: JSONValue = ["type": "timeout", "message": .string("there was no result within \(timeout) ms")]
        try arm(
            .timer, event: EventName.failed + invocation.id, data: error, after: timeout, owner: .state(state),
            misfire: .fire, line: invocation.line, of: state)
    }

    private mutating func priority(
        of invocation: Invocation, in state: StateIndex, as what: String
    ) throws(ActionFailure) -> Int64 {
        guard let expression = invocation.task.priority else { return TaskInvocation.priority }
        let value = try value(of: expression, in: state, as: "\(what) priority: ")
        if let priority = Self.priority(of: value) { return priority }
        throw ActionFailure(
            state: state, line: expression.line, expression: "\(what) priority: \(expression.source)",
            message: "a priority is a number from 1 to 5, 1 first")
    }

    /// The priority that a value is; nil when it is none.
    static func priority(of value: Value) -> Int64? {
        guard case .int(let number) = value, TaskInvocation.priorities.contains(number) else { return nil }
        return number
    }

    /// Takes what belongs to an invocation: its result ends its timeout, and the other way round.
    mutating func endPartner(of taken: Pending) {
        guard let id = taken.invocation else { return }
        cancel { $0.invocation == id }
    }
}

/// What an invocation asks of the world.
package struct EffectRequest: Sendable, Equatable {
    /// The id of the invocation.
    package let name: String
    /// Who does it: `task:NAME`.
    package let queue: String
    /// One of `TaskInvocation.priorities`.
    package let priority: Int64
    /// Canonical JSON: the input, and what the definition says about trying again. The same for the same macrostep.
    package let text: String

    /// - Parameter deadline: When the invocation times out, in milliseconds since 1970.
    init(_ invocation: Invocation, input: JSONValue?, priority: Int64, deadline: Int64?) {
        name = invocation.id
        queue = Self.tasks + invocation.task.queue
        self.priority = priority
        var request = JSONObject()
        request["deadline"] = deadline.map(JSONValue.int)
        request["input"] = input
        request["retry"] = invocation.retry.json
        text = JSONWriter.string(request)
    }

    /// What the names of queues of tasks begin with.
    package static let tasks = "task:"
}

extension RetryPolicy {
    /// What differs from the defaults; nil for nothing.
    fileprivate var json: JSONValue? {
        let usual = RetryPolicy()
        var object = JSONObject()
        if attempts != usual.attempts { object["attempts"] = attempts.map { .int(Int64($0)) } ?? "unlimited" }
        if first != usual.first { object["first"] = .int(first) }
        if factor != usual.factor { object["factor"] = .double(factor) }
        if limit != usual.limit { object["limit"] = .int(limit) }
        if jitter != usual.jitter { object["jitter"] = .double(jitter) }
        if except != usual.except { object["except"] = .array(except.map(JSONValue.string)) }
        return object.isEmpty ? nil : .object(object)
    }

    /// What a request says about trying again.
    package init(_ json: JSONValue?) {
        self.init()
        guard let object = json?.object else { return }
        switch object["attempts"] {
        case .int(let number)?: attempts = Int(number)
        case .string?: attempts = nil
        default: break
        }
        if case .int(let milliseconds)? = object["first"] { first = milliseconds }
        if case .double(let number)? = object["factor"] { factor = number }
        if case .int(let milliseconds)? = object["limit"] { limit = milliseconds }
        if case .double(let number)? = object["jitter"] { jitter = number }
        if case .array(let types)? = object["except"] { except = types.compactMap(\.string) }
    }
}
