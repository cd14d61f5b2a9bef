import JSON
import Spelling
import Statechart
import WorkflowAPI

/// A machine that runs in memory on a virtual clock: time passes only when it is told to.
struct Simulation {
    /// Events that come by themselves, at most: a machine that never comes to rest ends here.
    static let longestRun = 10_000

    private let machine: Machine
    private let identity: InstanceIdentity
    private var snapshot: Snapshot
    private var seq: Int64 = 0
    private(set) var now: LogicalTime
    private var fired = 0

    /// - Parameter start: What the virtual clock shows first.
    init(_ machine: Machine, at start: LogicalTime) {
        self.machine = machine
        now = start
        identity = InstanceIdentity(name: "simulation", version: 1, startedAt: start)
        snapshot = Snapshot(status: .running, configuration: [], context: machine.context, memory: [])
    }

    /// Whether nothing will happen by itself any more.
    var isIdle: Bool { snapshot.status != .running || snapshot.armed.isEmpty }

    /// Whether more came by itself than `longestRun`.
    var isEndless: Bool { fired >= Self.longestRun }

    /// Why the data of a start does not fit a machine; nil when it does.
    static func misfit(of data: JSONObject, in machine: Machine) -> String? {
        let identity = InstanceIdentity(name: "simulation", version: 1, startedAt: .zero)
        guard case .refused(.invalidData(let reason)) = machine.start(with: data, as: identity) else { return nil }
        return reason
    }

    /// Starts the instance.
    mutating func start(with data: JSONObject) -> [SimulatedStep] {
        let event = Event(name: "init", data: data.isEmpty ? nil : .object(data), at: now)
        let steps = follow(event, machine.start(with: data, as: identity, isTracing: true), kind: "started")
        return steps + finishSending()
    }

    /// Lets time pass, fires what falls due meanwhile, and then sends an event as a caller would.
    mutating func play(_ line: ScriptLine) -> [SimulatedStep] {
        let until = LogicalTime(milliseconds: now.milliseconds + line.after)
        var steps: [SimulatedStep] = []
        while let next = snapshot.nextTimer, snapshot.status == .running, next.due <= until, !isEndless {
            steps += fireNext()
        }
        now = until
        guard let name = line.event else { return steps }
        let event = Event(name: name, data: line.data, at: now)
        if EventName.isReserved(name) {
            let prefixes = EventName.reservedPrefixes.joined(separator: ", ")
            return steps + [step(event, kind: "event", reason: "names under \(prefixes) are reserved")]
        }
        steps += follow(event, machine.step(snapshot, event, as: identity, isTracing: true), kind: "event")
        return steps + finishSending()
    }

    /// A chain may be longer than what one event may bring with it.
    private mutating func finishSending() -> [SimulatedStep] {
        var steps: [SimulatedStep] = []
        while snapshot.nextImmediate != nil, snapshot.status == .running, !isEndless { steps += fireNext() }
        return steps
    }

    /// Goes to the timer that is due first and fires it, with all that follows.
    ///
    /// - Precondition: the simulation is not idle.
    mutating func fireNext() -> [SimulatedStep] {
        guard let timer = snapshot.nextTimer else { preconditionFailure("nothing is armed") }
        fired += 1
        now = max(now, timer.due)
        let event = machine.event(of: timer)
        let kind = timer.isImmediate ? "sent" : "timer"
        return follow(event, machine.step(snapshot, event, as: identity, isTracing: true), kind: kind)
    }

    private mutating func follow(_ event: Event, _ outcome: Outcome, kind: String) -> [SimulatedStep] {
        switch outcome {
        case .refused(let refusal):
            let reason = reason(for: refusal, of: event.name)
            // Nobody waits for an event that comes by itself: the instance fails.
            if event.origin != .external { snapshot.status = .failed }
            return [step(event, kind: event.origin == .external ? kind : "failed", reason: reason)]
        case .accepted(let first):
            let chain = machine.chain(event, first, as: identity, isTracing: true)
            var steps = chain.links.enumerated().map { offset, link in
                accept(link, kind: offset == 0 ? kind : "sent")
            }
            fired += chain.links.count - 1
            if let failure = chain.failure {
                snapshot.status = .failed
                let reason = reason(for: failure.refusal, of: failure.event.name)
                steps.append(step(failure.event, kind: "failed", reason: reason))
            }
            return steps
        }
    }

    private mutating func accept(_ link: Chain.Link, kind: String) -> SimulatedStep {
        let from = machine.leafPaths(of: snapshot.configuration)
        snapshot = link.macrostep.snapshot
        seq += 1
        var told = step(link.event, kind: kind, reason: nil)
        told.from = from
        told.exited = machine.paths(of: link.macrostep.exited)
        told.entered = machine.paths(of: link.macrostep.entered)
        told.microsteps = link.macrostep.microsteps.map { ReplayMicrostep($0, of: machine) }
        return told
    }

    private func step(_ event: Event, kind: String, reason: String?) -> SimulatedStep {
        let leaves = machine.leafPaths(of: snapshot.configuration)
        return SimulatedStep(
            seq: seq, after: event.at.milliseconds - identity.startedAt.milliseconds, kind: kind, event: event.name,
            from: leaves, to: leaves, context: snapshot.context, status: snapshot.status.rawValue,
            output: snapshot.output, reason: reason)
    }

    private func reason(for refusal: Refusal, of event: String) -> String {
        let closest = refusal == .unknownEvent ? Spelling.closest(to: event, among: machine.events) : nil
        return refusal.message(for: event, in: machine) + (closest.map { "; did you mean '\($0)'?" } ?? "")
    }
}
