import JSON
import Spelling
import Statechart
import WorkflowAPI

/// A machine that runs in memory, event by event.
struct Simulation {
    private let machine: Machine
    private let tellsDetail: Bool
    private var snapshot: Snapshot
    private var seq: Int64 = 0

    init(_ machine: Machine, tellsDetail: Bool) {
        self.machine = machine
        self.tellsDetail = tellsDetail
        snapshot = Snapshot(status: .running, configuration: [], context: machine.context, memory: [])
    }

    /// Starts the instance.
    mutating func start(with data: JSONObject) -> SimulatedStep {
        step(event: "init", outcome: machine.start(with: data))
    }

    /// Sends an event, as a caller would.
    mutating func send(_ event: Event) -> SimulatedStep {
        if EventName.isReserved(event.name) {
            return refused(event.name, "names under \(EventName.reservedPrefixes.joined(separator: ", ")) are reserved")
        }
        return step(event: event.name, outcome: machine.step(snapshot, event))
    }

    private mutating func step(event: String, outcome: Outcome) -> SimulatedStep {
        switch outcome {
        case .refused(let refusal): return refused(event, reason(for: refusal, of: event))
        case .accepted(let macrostep):
            let from = machine.leafPaths(of: snapshot.configuration)
            snapshot = macrostep.snapshot
            seq += 1
            return SimulatedStep(
                seq: seq, event: event, from: from, to: machine.leafPaths(of: snapshot.configuration),
                context: snapshot.context, status: snapshot.status.rawValue,
                exited: tellsDetail ? machine.paths(of: macrostep.exited) : nil,
                entered: tellsDetail ? machine.paths(of: macrostep.entered) : nil, reason: nil)
        }
    }

    private func reason(for refusal: Refusal, of event: String) -> String {
        let closest = refusal == .unknownEvent ? Spelling.closest(to: event, among: machine.events) : nil
        return refusal.message(for: event, in: machine) + (closest.map { "; did you mean '\($0)'?" } ?? "")
    }

    private func refused(_ event: String, _ reason: String) -> SimulatedStep {
        let leaves = machine.leafPaths(of: snapshot.configuration)
        return SimulatedStep(
            seq: seq, event: event, from: leaves, to: leaves, context: snapshot.context,
            status: snapshot.status.rawValue, exited: nil, entered: nil, reason: reason)
    }
}

/// What one event came to.
struct SimulatedStep: JSONWritable {
    /// After the event.
    let seq: Int64
    let event: String
    let from: [String]
    let to: [String]
    let context: JSONObject
    let status: String
    let exited: [String]?
    let entered: [String]?
    /// Why the event was refused; nil when it was accepted.
    let reason: String?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("seq", seq)
            writer.field("event", event)
            writer.field("accepted", reason == nil)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("configuration", to)
            writer.field("context", context)
            writer.field("status", status)
            writer.field("exited", ifPresent: exited)
            writer.field("entered", ifPresent: entered)
            writer.field("reason", ifPresent: reason)
        }
    }
}
