import WorkflowCEL
import WorkflowJSON

/// Beginning invocations (SCXML 6.4 and Appendix D: `statesToInvoke`). What runs them is not known here.
extension Interpreter {
    /// Begins the invocations of the states that were entered and are still active, now that the machine is stable. The
    /// states come in document order, whichever microstep entered them. What cannot be evaluated raises
    /// `error.execution`.
    mutating func beginInvocations() {
        let states = statesToInvoke.sorted()
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

    mutating func begin(_ invocation: Invocation, of state: StateIndex) throws(ActionFailure) {
        let what = "invoke \(invocation.id)"
        let content = try content(of: invocation.action, in: state, as: what, line: invocation.line)
        let timeout = try invocation.timeout.map { delay throws(ActionFailure) in
            try milliseconds(of: delay, in: state, as: "\(what) timeout: ")
        }
        let due = timeout.map { event.at.milliseconds + $0 }
        try requireRoom(what, places: timeout == nil ? 1 : 2, due: due ?? 0, of: state, line: invocation.line)
        let request = EffectRequest(invocation.id, content, invocation.retry, deadline: due)
        try chargeRequest(request, as: what, of: state, line: invocation.line)
        tell("\(what): \(content.shown)", of: state, line: invocation.line)
        let pending = Pending(
            id: nextID(), kind: .invocation, event: EventName.done + invocation.id, data: nil, due: .zero,
            owner: .state(state))
        try append(pending, as: what, of: state, line: invocation.line)
        requests.append(.invoke(pending, request))
        guard let timeout else { return }
        let error: JSONValue = [
            "type": "timeout", "message": .string(InvocationTimeout.message(milliseconds: timeout)),
        ]
        try arm(
            .timer, event: EventName.failed + invocation.id, data: error, after: timeout, owner: .state(state),
            misfire: .fire, line: invocation.line, of: state)
    }

    /// Asks for an effect whose end nobody waits for.
    mutating func perform(_ call: Call, of state: StateIndex) throws(ActionFailure) {
        let content = try content(of: call.action, in: state, as: "call", line: call.line)
        let id = nextID()
        let request = EffectRequest("call.\(id.seq).\(id.number)", content, call.retry, deadline: nil)
        try chargeRequest(request, as: "call", of: state, line: call.line)
        tell("call \(content.shown)", of: state, line: call.line)
        requests.append(.call(request))
    }

    /// Takes what belongs to an invocation: its result ends its timeout, and the other way round.
    mutating func endPartner(of taken: Pending) {
        guard let id = taken.invocation else { return }
        cancel { $0.invocation == id }
    }
}

/// What an invocation or a call asks of the world.
package struct EffectRequest: Sendable, Equatable {
    /// The id of the invocation; of a call `call.SEQ.NUMBER`, which no other of its instance has.
    package let name: String
    /// Who does it: `task:NAME`, `http:HOST:PORT`, `exec:NAME`.
    package let queue: String
    /// One of `TaskAction.priorities`.
    package let priority: Int64
    /// Canonical JSON: what is asked, and what the definition says about trying again. The same for the same macrostep.
    package let text: String
    /// Why it can never be sent; nil for what can be.
    package let invalid: String?

    /// - Parameter deadline: When the invocation times out, in milliseconds since 1970.
    init(_ name: String, _ content: EffectContent, _ retry: RetryPolicy, deadline: Int64?) {
        self.name = name
        queue = content.queue
        priority = content.priority
        invalid = content.request["invalid"]?.string
        var request = content.request
        request["deadline"] = deadline.map(JSONValue.int)
        request["retry"] = retry.json
        text = JSONWriter.string(request)
    }

    /// One that was asked before.
    ///
    /// - Parameter object: What `object` said.
    init(_ name: String, queue: String, priority: Int64, _ object: JSONObject) {
        self.name = name
        self.queue = queue
        self.priority = priority
        invalid = object["invalid"]?.string
        text = JSONWriter.string(object)
    }

    /// What is asked, as JSON.
    var object: JSONObject {
        do throws(JSONError) {
            return try JSONReader.value(from: text).object ?? JSONObject()
        } catch {
            preconditionFailure("a request is canonical JSON")
        }
    }

    /// The same, with another deadline; nil for none.
    func with(deadline: Int64?) -> EffectRequest {
        var object = object
        object["deadline"] = deadline.map(JSONValue.int)
        return EffectRequest(name, queue: queue, priority: priority, object)
    }

    /// What the names of queues of tasks begin with.
    package static let tasks = "task:"
    /// What the names of queues of programs begin with.
    package static let programs = "exec:"
    /// The queue of requests that cannot be sent.
    package static let invalid = "http:invalid"
}
