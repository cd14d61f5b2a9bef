import Statechart
import WorkflowAPI
import WorkflowJSON
import WorkflowSpelling

/// A machine that runs in memory on a virtual clock, which only the caller advances.
struct Simulation {
    /// The largest number of timers and sent events; a machine that never rests ends here.
    static let longestRun = 10_000
    /// The number of these that are printed.
    static let shownOfEndlessRun = 20

    private let machine: Machine
    private let identity: InstanceIdentity
    private var snapshot: Snapshot
    private(set) var now: LogicalTime
    private var fired = 0
    /// The invocations that a daemon fails at once, with the reason: their requests can never be sent.
    private var unsendable: [(id: String, reason: String)] = []

    /// - Parameter start: The first time of the virtual clock.
    init(_ machine: Machine, at start: LogicalTime) {
        self.machine = machine
        now = start
        identity = InstanceIdentity(name: "simulation", version: 1, startedAt: start)
        snapshot = Snapshot(status: .running, configuration: [], context: machine.context, memory: [])
    }

    /// True if no timer or sent event is pending.
    var isIdle: Bool { snapshot.status != .running || snapshot.armed.next == nil }

    /// The ids of the running invocations, in the order in which they began.
    var waitsFor: [String] {
        snapshot.status == .running ? snapshot.armed.filter { $0.kind == .invocation }.compactMap(\.invocation) : []
    }

    /// True if the number of timers and sent events has reached `longestRun`.
    var isEndless: Bool { fired >= Self.longestRun }

    /// Returns the reason why the data of a start does not fit a machine, or `nil` if it does.
    static func misfit(of data: JSONObject, in machine: Machine) -> String? {
        let identity = InstanceIdentity(name: "simulation", version: 1, startedAt: .zero)
        guard case .refused(.invalidData(let reason)) = machine.apply(.start(with: data), to: nil, as: identity)
        else { return nil }
        return reason
    }

    /// Starts the instance.
    mutating func start(with data: JSONObject) -> [SimulatedStep] {
        follow(.start(with: data, at: now), from: nil) + finishSending()
    }

    /// Advances the clock, fires the timers that fall due, and then sends an event as a caller would.
    mutating func play(_ line: ScriptLine) -> [SimulatedStep] {
        let until = LogicalTime(milliseconds: now.milliseconds + line.after)
        var steps: [SimulatedStep] = []
        while let next = snapshot.armed.next, snapshot.status == .running, next.due <= until, !isEndless {
            steps += fireNext()
        }
        if isEndless { return steps }
        now = until
        let name: String
        switch line.happening {
        case nil: return steps
        case .done(let id): return steps + end(id, EventName.done + id, line.data)
        case .failed(let id):
            let error = line.data ?? ["message": "", "type": "failed"]
            return steps + end(id, EventName.failed + id, error)
        case .event(let event): name = event
        }
        let event = Event(name: name, data: line.data, at: now)
        if EventName.isReserved(name) {
            let prefixes = EventName.reservedPrefixes.joined(separator: ", ")
            return steps + [step(event, kind: .event, reason: "names under \(prefixes) are reserved")]
        }
        return steps + follow(.event(event), from: snapshot) + finishSending()
    }

    /// Ends an invocation with its result or its failure.
    mutating func end(_ id: String, _ name: String, _ data: JSONValue?) -> [SimulatedStep] {
        let event = Event(name: name, data: data, at: now)
        guard snapshot.status == .running, let invocation = snapshot.armed.invocation(id) else {
            let waiting = waitsFor.map { "'\($0)'" }.joined(separator: ", ")
            let hint = waiting.isEmpty ? "" : "; there \(waitsFor.count == 1 ? "is" : "are") \(waiting)"
            return [step(event, kind: .result, reason: "no invocation '\(id)' runs\(hint)")]
        }
        fired += 1
        return follow(.result(Taken(invocation, result: event)), from: snapshot) + finishSending()
    }

    /// Applies all sent events. Their chain may be longer than the bound of one macrostep.
    private mutating func finishSending() -> [SimulatedStep] {
        var steps: [SimulatedStep] = []
        while snapshot.armed.nextSent != nil, snapshot.status == .running, !isEndless { steps += fireNext() }
        return steps
    }

    /// Advances to the timer that is due first and fires it, with all consequences.
    ///
    /// - Precondition: The simulation is not idle.
    mutating func fireNext() -> [SimulatedStep] {
        // Proof: the caller has checked that an item is pending; see the precondition.
        guard let next = snapshot.armed.next else { preconditionFailure("nothing is armed") }
        fired += 1
        now = max(now, next.due)
        return follow(.coming(next, at: next.due), from: snapshot)
    }

    private mutating func follow(_ input: Input, from before: Snapshot?) -> [SimulatedStep] {
        switch machine.chain(input, from: before, as: identity, isTracing: true) {
        case .failure(let refusal):
            return [step(input.event, kind: input.kind, reason: reason(for: refusal, of: input.event.name))]
        case .success(let chain):
            fired += chain.rest.count
            return chain.links.map { take($0) } + failUnsendable()
        }
    }

    /// Fails requests that can never be sent, as a daemon does.
    private mutating func failUnsendable() -> [SimulatedStep] {
        var steps: [SimulatedStep] = []
        while let (id, reason) = unsendable.popLast() {
            // The invocation may have ended since.
            guard snapshot.status == .running, snapshot.armed.invocation(id) != nil, !isEndless else { continue }
            let error: JSONValue = [
                "type": "invalid-request", "message": .string(reason), "attempts": 1,
            ]
            steps += end(id, EventName.failed + id, error)
        }
        return steps
    }

    private mutating func take(_ link: Chain.Link) -> SimulatedStep {
        let event = link.input.event
        let from = machine.leafPaths(of: snapshot.configuration)
        snapshot = link.macrostep.snapshot
        for request in link.macrostep.requests.reversed() {
            guard case .invoke(let pending, let effect) = request, let reason = effect.invalid else { continue }
            pending.invocation.map { unsendable.append((id: $0, reason: reason)) }
        }
        let because = link.refusal.map { reason(for: $0, of: event.name) }
        var told = step(event, kind: link.input.kind, reason: because)
        told.from = from
        told.exited = machine.paths(of: link.macrostep.exited)
        told.entered = machine.paths(of: link.macrostep.entered)
        told.microsteps = link.macrostep.microsteps.map { ReplayMicrostep($0, of: machine) }
        return told
    }

    private func step(_ event: Event, kind: Input.Kind, reason: String?) -> SimulatedStep {
        let leaves = machine.leafPaths(of: snapshot.configuration)
        return SimulatedStep(
            seq: snapshot.seq, after: event.at.milliseconds - identity.startedAt.milliseconds,
            kind: kind.rawValue, event: event.name, from: leaves, to: leaves, context: snapshot.context,
            status: snapshot.status.rawValue, output: snapshot.output, reason: reason)
    }

    private func reason(for refusal: Refusal, of event: String) -> String {
        let closest = refusal == .unknownEvent ? Spelling.closest(to: event, among: machine.events) : nil
        return refusal.message(for: event, in: machine) + (closest.map { "; did you mean '\($0)'?" } ?? "")
    }
}
