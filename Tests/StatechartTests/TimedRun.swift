import Statechart
import Testing
import WorkflowJSON

/// Runs a definition on a virtual clock, with the events that it sends to itself.
struct TimedRun {
    let machine: Machine
    private(set) var snapshot: Snapshot
    private(set) var last: [Chain.Link] = []
    private(set) var failure: Refusal?
    var now = LogicalTime.zero

    init(_ definition: String, semantics: Semantics = .current) throws {
        machine = try DefinitionReader.read(definition, semantics: semantics).machine
        snapshot = Snapshot(status: .running, configuration: [], context: machine.context, memory: [])
        try follow(.start(), from: nil)
    }

    var state: String { machine.leafPaths(of: snapshot.configuration).joined(separator: ",") }
    var context: String { JSONWriter.string(snapshot.context) }
    /// The events of the last macrosteps.
    var events: [String] { last.map(\.input.event.name) }
    /// The effects of the actions in the last macrosteps.
    var deeds: [String] { last.flatMap { $0.macrostep.microsteps.flatMap { $0.deeds.map(\.text) } } }

    /// Sends an event that must be accepted.
    mutating func send(_ name: String, _ data: JSONValue? = nil, within bounds: StepBounds = .live) throws {
        try follow(.event(Event(name: name, data: data, at: now)), from: snapshot, within: bounds)
    }

    /// Returns the reason why an event is refused; `nil` if it is accepted.
    func refusal(of name: String, _ data: JSONValue? = nil) -> Refusal? {
        let input = Input.event(Event(name: name, data: data, at: now))
        guard case .refused(let refusal) = machine.apply(input, to: snapshot, as: .test) else { return nil }
        return refusal
    }

    /// Carries out a person's request, which must be accepted, or a retry, which may fail again.
    mutating func ask(_ input: Input) throws { try follow(input, from: snapshot) }

    /// Returns the reason why a person's request is refused; `nil` if it is accepted.
    func refusal(of input: Input) -> Refusal? {
        guard case .refused(let refusal) = machine.apply(input, to: snapshot, as: .test) else { return nil }
        return refusal
    }

    /// Returns the event of a person's request.
    func word(_ name: String, _ data: JSONValue? = nil) -> Event { Event(name: name, data: data, at: now) }

    /// Returns a retry of the event that the instance failed on.
    func retry() throws -> Input { .retried(Taken(try #require(snapshot.armed.kept), at: now)) }

    /// Returns a request to set keys of the context.
    func setting(_ values: JSONObject, unset: [String] = []) -> Input {
        .set(word("set", ContextChange(set: values, unset: unset).data))
    }

    /// Advances the clock and fires the timers that become due. Returns their names.
    mutating func pass(_ milliseconds: Int64) throws -> [String] {
        let until = LogicalTime(milliseconds: now.milliseconds + milliseconds)
        var fired: [String] = []
        while let next = snapshot.armed.next, next.due <= until, snapshot.status == .running {
            now = max(now, next.due)
            fired.append(next.event)
            try follow(.coming(next, at: next.due), from: snapshot)
        }
        now = until
        return fired
    }

    /// Ends an invocation with a result.
    mutating func end(_ id: String, _ output: JSONValue? = nil) throws {
        try take("done.invoke.\(id)", output, of: id)
    }

    /// Lets an invocation fail.
    mutating func fail(_ id: String, _ error: JSONValue) throws {
        try take("error.invoke.\(id)", error, of: id)
    }

    private mutating func take(_ event: String, _ data: JSONValue?, of id: String) throws {
        let invocation = try #require(snapshot.armed.invocation(id))
        try follow(.result(Taken(invocation, result: Event(name: event, data: data, at: now))), from: snapshot)
    }

    private mutating func follow(
        _ input: Input, from before: Snapshot?, within bounds: StepBounds = .live
    ) throws {
        let chain = try machine.chain(input, from: before, as: .test, isTracing: true, within: bounds).get()
        last = chain.links.filter { $0.refusal == nil }
        failure = chain.refusal
        snapshot = chain.snapshot
    }
}
