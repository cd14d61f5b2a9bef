import Statechart
import Testing
import WorkflowJSON

/// Runs a definition on a virtual clock, with all that it sends to itself.
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
    /// What the actions of the last macrosteps did.
    var deeds: [String] { last.flatMap { $0.macrostep.microsteps.flatMap { $0.deeds.map(\.text) } } }

    /// Sends an event that must be accepted.
    mutating func send(_ name: String, _ data: JSONValue? = nil, within bounds: StepBounds = .live) throws {
        try follow(.event(Event(name: name, data: data, at: now)), from: snapshot, within: bounds)
    }

    /// Why an event is refused; nil when it is not.
    func refusal(of name: String, _ data: JSONValue? = nil) -> Refusal? {
        let input = Input.event(Event(name: name, data: data, at: now))
        guard case .refused(let refusal) = machine.apply(input, to: snapshot, as: .test) else { return nil }
        return refusal
    }

    /// Does what a person asks for, which must be accepted, or a retry, which may fail again.
    mutating func ask(_ input: Input) throws { try follow(input, from: snapshot) }

    /// Why what a person asks for is refused; nil when it is not.
    func refusal(of input: Input) -> Refusal? {
        guard case .refused(let refusal) = machine.apply(input, to: snapshot, as: .test) else { return nil }
        return refusal
    }

    /// The event of what a person asks for.
    func word(_ name: String, _ data: JSONValue? = nil) -> Event { Event(name: name, data: data, at: now) }

    /// A retry of what it failed on.
    func retry() throws -> Input { .retried(Taken(try #require(snapshot.armed.kept), at: now)) }

    /// Values for keys of the context.
    func setting(_ values: JSONObject, unset: [String] = []) -> Input {
        .set(word("set", ContextChange(set: values, unset: unset).data))
    }

    /// Lets time pass and fires what falls due; gives the names of what fired.
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

    /// Gives an invocation its result.
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
