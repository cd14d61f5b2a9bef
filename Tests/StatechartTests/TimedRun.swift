import JSON
import Statechart
import Testing

/// Runs a definition on a virtual clock, with all that it sends to itself.
struct TimedRun {
    let machine: Machine
    private(set) var snapshot: Snapshot
    private(set) var last: [Chain.Link] = []
    private(set) var failure: Refusal?
    var now = LogicalTime.zero

    init(_ definition: String) throws {
        machine = try DefinitionReader.read(definition).machine
        snapshot = Snapshot(status: .running, configuration: [], context: machine.context, memory: [])
        try follow(Event(name: "init"), machine.start(as: .test, isTracing: true))
    }

    var state: String { machine.leafPaths(of: snapshot.configuration).joined(separator: ",") }
    var context: String { JSONWriter.string(snapshot.context) }
    /// The events of the last macrosteps.
    var events: [String] { last.map(\.event.name) }
    /// What the actions of the last macrosteps did.
    var deeds: [String] { last.flatMap { $0.macrostep.microsteps.flatMap { $0.deeds.map(\.text) } } }

    /// Sends an event that must be accepted.
    mutating func send(_ name: String, _ data: JSONValue? = nil) throws {
        let event = Event(name: name, data: data, at: now)
        try follow(event, machine.step(snapshot, event, as: .test, isTracing: true))
    }

    /// Why an event is refused; nil when it is not.
    func refusal(of name: String, _ data: JSONValue? = nil) -> Refusal? {
        guard case .refused(let refusal) = machine.step(snapshot, Event(name: name, data: data, at: now), as: .test)
        else { return nil }
        return refusal
    }

    /// Lets time pass and fires what falls due; gives the names of what fired.
    mutating func pass(_ milliseconds: Int64) throws -> [String] {
        let until = LogicalTime(milliseconds: now.milliseconds + milliseconds)
        var fired: [String] = []
        while let next = snapshot.nextTimer, next.due <= until, snapshot.status == .running {
            now = max(now, next.due)
            fired.append(next.event)
            let event = machine.event(of: next)
            try follow(event, machine.step(snapshot, event, as: .test, isTracing: true))
        }
        now = until
        return fired
    }

    private mutating func follow(_ event: Event, _ outcome: Outcome) throws {
        guard case .accepted(let macrostep) = outcome else {
            guard case .refused(let refusal) = outcome else { return }
            throw refusal
        }
        let chain = machine.chain(event, macrostep, as: .test, isTracing: true)
        last = chain.links
        failure = chain.failure?.refusal
        snapshot = chain.snapshot
    }
}
