import NaiveStatechart
import Statechart
import WorkflowCEL
import WorkflowJSON

/// An instance of a definition, or of several versions of it, run by the step under test. The property tests know the
/// step's interface only from here.
struct StepAdapter {
    /// The most microsteps and internal events of one macrostep.
    static let workLimit = StepLimits.work

    /// The versions of the machine: the first one, and those to which the instance may migrate.
    let machines: [Machine]
    /// The number of the instance's version, counted from 1.
    private(set) var version: Int64 = 1
    private(set) var snapshot: Snapshot?
    /// The stored form of `snapshot`, as the writer keeps it up to date.
    private var text: SnapshotText?
    /// The time of the last macrostep.
    private var time = LogicalTime.zero
    /// The time when the instance entered the active leaves.
    var entered = LogicalTime.zero
    private var pasts = PastMacrosteps()

    /// The reasons why a definition was refused, one line for each mistake.
    struct Refused: Error {
        let mistakes: [String]
    }

    /// Reads a machine's definition.
    init(_ machine: ModelMachine) throws(Refused) {
        machines = [try Self.read(machine)]
    }

    /// Creates an adapter for definitions that were read.
    init(_ machines: [Machine]) {
        self.machines = machines
    }

    /// Reads a machine's definition.
    static func read(_ machine: ModelMachine) throws(Refused) -> Machine {
        do throws(DefinitionError) {
            return try DefinitionReader.read(
                machine.definition.compact, syntax: .json, semantics: machine.isFirst ? .first : .second
            ).machine
        } catch {
            throw Refused(mistakes: error.diagnostics.filter { $0.severity == .error }.map(\.description))
        }
    }

    /// The machine of the instance's version.
    var machine: Machine { machines[Int(version) - 1] }

    var identity: InstanceIdentity { identity(in: version) }

    func identity(in version: Int64) -> InstanceIdentity {
        InstanceIdentity(name: "random", version: version, startedAt: .zero)
    }

    /// Starts the instance. A refusal leaves it unchanged.
    mutating func start() -> Observation {
        observed(machine.apply(.start(), to: nil, as: identity))
    }

    /// Sends an event to the started instance. A refusal leaves it unchanged.
    mutating func send(_ event: String, at now: Int64) -> Observation {
        guard let snapshot else { return .refused(.finished) }
        let event = Event(name: event, at: LogicalTime(milliseconds: now))
        return observed(machine.apply(.event(event), to: snapshot, as: identity), at: event.at)
    }

    /// Takes the next item that comes by itself, if it is due; `nil` if none is. A refusal means that the instance has
    /// failed.
    mutating func takeOwn(at now: Int64) -> OwnObservation? {
        guard let snapshot, snapshot.status == .running, let next = snapshot.armed.next,
            next.kind == .sent || next.due.milliseconds <= now
        else { return nil }
        let input = Input.coming(next, at: next.time(notBefore: time), firedAt: LogicalTime(milliseconds: now))
        let observation = observed(machine.apply(input, to: snapshot, as: identity), at: input.event.at)
        return OwnObservation(event: input.event.name, observation: observation)
    }

    /// Ends one of the running invocations; `nil` if none is running. A refusal means that the instance has failed.
    mutating func endInvocation(_ choice: Int, isDone: Bool, at now: Int64) -> OwnObservation? {
        guard let snapshot, snapshot.status == .running else { return nil }
        let live = snapshot.armed.filter { $0.kind == .invocation }
        guard !live.isEmpty else { return nil }
        let invocation = live[choice % live.count]
        let name = (isDone ? EventName.done : EventName.failed) + (invocation.invocation ?? "")
        let event = Event(name: name, at: LogicalTime(milliseconds: now))
        let input = Input.result(Taken(invocation, result: event))
        let observation = observed(machine.apply(input, to: snapshot, as: identity), at: event.at)
        return OwnObservation(event: name, observation: observation)
    }

    /// True if nothing can happen to the instance any more.
    var isOver: Bool { snapshot?.status == .done || snapshot?.status == .cancelled }

    /// Carries out an action of a person; `nil` if the instance does not allow it. A refused retry means that the
    /// instance has failed again.
    mutating func repair(_ repair: NaiveInterpreter.Repair, at now: Int64) -> Observation? {
        if case .reset(let asked) = repair { return reset(asked, at: now) }
        guard let snapshot, !isOver else { return nil }
        func event(_ data: JSONValue? = nil) -> Event {
            Event(name: repair.name, data: data, at: LogicalTime(milliseconds: now))
        }
        let input: Input
        switch repair {
        case .cancel(let withActions): input = .cancelled(event(withActions ? nil : ["actions": false]))
        case .set(let values, let unset): input = .set(event(ContextChange(set: values, unset: unset).data))
        case .retry, .skip:
            guard let kept = snapshot.armed.kept else { return nil }
            input = repair == .skip ? .skipped(event()) : .retried(Taken(kept, at: event().at))
        case .suspend:
            guard snapshot.status == .running else { return nil }
            input = .suspended(event())
        case .resume:
            guard snapshot.status == .suspended else { return nil }
            input = .resumed(event())
        case .reset: return nil
        }
        return observed(machine.apply(input, to: snapshot, as: identity), at: input.event.at)
    }

    /// Resets the instance; `nil` if there is no such macrostep, or if invocations are lost and the request does not
    /// decide about them.
    private mutating func reset(_ asked: NaiveInterpreter.Reset, at now: Int64) -> Observation? {
        guard let snapshot, let then = pasts.past(asked.seq, now: snapshot) else { return nil }
        let at = LogicalTime(milliseconds: now)
        let timers: Reset.Timers = asked.keepsTimes ? .due : .left
        let invocations = asked.lost.flatMap { Reset.Invocations(rawValue: $0.rawValue) }
        do throws(UndecidedInvocations) {
            let reset = try Reset(
                seq: Int64(asked.seq), then, from: snapshot, at: at, timers: timers, invocations: invocations)
            let machine = machines[Int(then.version) - 1]
            let event = Event(name: "reset", data: reset.data(of: machine), at: at)
            let outcome = machine.apply(.reset(event), to: snapshot, as: identity(in: then.version))
            let observation = observed(outcome, at: at, in: then.version)
            entered = at
            return observation
        } catch {
            return nil
        }
    }

    /// - Parameter version: The version of the instance afterwards; `nil` if it stays the same.
    mutating func observed(
        _ outcome: Outcome, at time: LogicalTime = .zero, in version: Int64? = nil
    ) -> Observation {
        switch outcome {
        case .refused(let refusal): return .refused(Self.reason(refusal))
        case .failed(let macrostep, let refusal):
            pasts.append(macrostep, version: self.version, at: time)
            self.time = time
            snapshot = macrostep.snapshot
            text = machine.text(of: macrostep.snapshot)
            return .refused(Self.reason(refusal))
        case .accepted(let macrostep):
            let isSame = version == nil || version == self.version
            self.version = version ?? self.version
            var text = isSame ? self.text ?? machine.text(of: macrostep.snapshot) : machine.text(of: macrostep.snapshot)
            if isSame, let snapshot { machine.update(&text, of: snapshot, to: macrostep.snapshot) }
            if text.configuration != self.text?.configuration { entered = time }
            pasts.append(macrostep, version: self.version, at: time)
            snapshot = macrostep.snapshot
            self.text = text
            self.time = time
            return .accepted(observed(macrostep, text))
        }
    }

    private func observed(_ macrostep: Macrostep, _ text: SnapshotText) -> Observation.Macrostep {
        let snapshot = macrostep.snapshot
        return Observation.Macrostep(
            exited: machine.paths(of: macrostep.exited), entered: machine.paths(of: macrostep.entered),
            configuration: machine.paths(of: snapshot.configuration.filter { $0 != .root }),
            status: snapshot.status.rawValue, context: text.context,
            memory: snapshot.memory.map { memory in
                "\(machine[memory.history].path): \(machine.paths(of: memory.states).joined(separator: ", "))"
            },
            // A list that cannot be read counts as empty, and then differs from the other side's.
            pending: (try? PendingText.read(text.armed)) ?? [],
            begun: macrostep.requests.compactMap { asked in asked.effect.map { "\($0.name) \($0.text)" } })
    }

    private static func reason(_ refusal: Refusal) -> Observation.Refusal {
        switch refusal {
        case .unknownEvent: .unknownEvent
        case .notAccepted: .notAccepted
        case .guardRejected: .guardRejected
        case .finished, .failed, .suspended: .finished
        case .expressionFailed(let failure) where failure.message == Budget.isUsedUp.message: .tooMuch
        case .expressionFailed, .invalidData: .expressionFailed
        case .livelock: .livelock
        }
    }
}
