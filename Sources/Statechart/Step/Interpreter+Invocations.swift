import WorkflowCEL
import WorkflowJSON

/// The start of invocations (SCXML 6.4 and Appendix D: `statesToInvoke`). The interpreter does not know who runs them.
extension Interpreter {
    /// Starts the invocations of the states that were entered and are still active, when the machine is stable. The
    /// states are in document order, regardless of the microsteps that entered them. An expression that fails raises
    /// `error.execution`.
    mutating func beginInvocations() {
        let states = statesToInvoke.sorted()
        statesToInvoke = []
        // Expressions see the event of the macrostep, not the last internal event.
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

    /// Requests an effect without waiting for its result.
    mutating func perform(_ call: Call, of state: StateIndex) throws(ActionFailure) {
        let content = try content(of: call.action, in: state, as: "call", line: call.line)
        let id = nextID()
        let request = EffectRequest("call.\(id.seq).\(id.number)", content, call.retry, deadline: nil)
        try chargeRequest(request, as: "call", of: state, line: call.line)
        tell("call \(content.shown)", of: state, line: call.line)
        requests.append(.call(request))
    }

    /// Cancels the other items of an invocation: its result ends its timeout, and its timeout ends the invocation.
    mutating func endPartner(of taken: Pending) {
        guard let id = taken.invocation else { return }
        cancel { $0.invocation == id }
    }
}

/// A request for an effect, from an invocation or a call.
package struct EffectRequest: Sendable, Equatable {
    /// The id of the invocation; for a call, `call.SEQ.NUMBER`, which is unique in its instance.
    package let name: String
    /// The queue of the executor: `task:NAME`, `http:HOST:PORT`, `exec:NAME`.
    package let queue: String
    /// The priority, from `TaskAction.priorities`.
    package let priority: Int64
    /// The request and its retry rules as canonical JSON; the same macrostep always gives the same text.
    package let text: String
    /// The reason why the request can never be sent; `nil` if it can be sent.
    package let invalid: String?

    /// - Parameter deadline: The time at which the invocation times out, in milliseconds since 1970.
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

    /// Creates a request again from its stored form.
    ///
    /// - Parameter object: The value of `object` of the earlier request.
    init(_ name: String, queue: String, priority: Int64, _ object: JSONObject) {
        self.name = name
        self.queue = queue
        self.priority = priority
        invalid = object["invalid"]?.string
        text = JSONWriter.string(object)
    }

    /// The request as JSON.
    var object: JSONObject {
        do throws(JSONError) {
            return try JSONReader.value(from: text).object ?? JSONObject()
        } catch {
            preconditionFailure("a request is canonical JSON")
        }
    }

    /// Returns a copy with another deadline; `nil` for no deadline.
    func with(deadline: Int64?) -> EffectRequest {
        var object = object
        object["deadline"] = deadline.map(JSONValue.int)
        return EffectRequest(name, queue: queue, priority: priority, object)
    }

    /// The prefix of the names of task queues.
    package static let tasks = "task:"
    /// The prefix of the names of program queues.
    package static let programs = "exec:"
    /// The queue of requests that cannot be sent.
    package static let invalid = "http:invalid"
}
