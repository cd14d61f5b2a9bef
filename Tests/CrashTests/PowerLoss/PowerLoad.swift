import DaemonTesting
import DiskTesting
import IdentityTesting
import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Commands for an engine whose disk may lose its power at any moment, and the answer to each.
struct PowerLoad {
    /// A machine that is always in one of two states, one of them with children. Its events do everything that matters:
    /// some are refused, some make the instance send itself others, some fail it. Some make the instance larger than a
    /// page, and some arm timers.
    static let definition = """
        id: walk
        initial: left
        context: {moving: false, seen: [], text: '', left: 0, divisor: 0}
        on:
          resume: .right.last
          grow: {actions: {assign: {text: event.data.text}}}
          work: {actions: [{send: note}, {send: {event: note}}, {send: note}]}
          note: {actions: {assign: {seen: "context.seen.size() < 20 ? context.seen + [event.at] : []"}}}
          run: {actions: [{assign: {left: event.data.times}}, {send: next}]}
          next: [{guard: context.left > 0, actions: [{assign: {left: context.left - 1}}, {send: next}]}, {}]
          break: {actions: [{send: bad}, {send: note}]}
          remind: {actions: [{send: {event: note, delay: 45s, id: reminder}}, {send: {event: note, delay: 5s}}]}
          quiet: {actions: [{cancel: reminder}]}
          bad: {actions: {assign: {divisor: "event.at > instance.startedAt + duration('60s') ? 1 : 1 / 0"}}}
        states:
          left:
            on: {step: right}
            after: {30s: right}
          right:
            initial: slow
            entry: {assign: {moving: true}}
            exit: {assign: {moving: false}}
            on: {step: left}
            after: {20s: {actions: {send: note}}, 40s: {target: left, misfire: {skip: 10s}}}
            states:
              slow: {on: {turn: fast}}
              fast: {on: {turn: slow}}
              last: {type: history}
        """

    /// A machine whose tasks last until somebody completes them or leaves their state.
    static let job = """
        id: job
        initial: working
        context: {round: 0, last: null}
        states:
          working:
            entry: {assign: {round: context.round + 1}}
            invoke:
              task: jobs
              input: {round: context.round}
              retry: {attempts: unlimited, first: 2s}
              timeout: 3m
              onDone: {target: resting, actions: {assign: {last: event.data}}}
              onError: {target: resting, actions: {assign: {last: event.data}}}
            on: {leave: resting}
          resting: {on: {begin: working}}
        """
    static let jobs = (1...6).map { "job-\($0)" }

    private let host: EngineHost
    private let disk: PowerDisk
    private let round: Int64
    private var made = 0
    /// The tasks that this load and earlier ones leased.
    private(set) var given: [GivenTask]
    /// The answers to the commands of this load, in the order of sending.
    private(set) var told: [Told] = []

    init(_ host: EngineHost, on disk: PowerDisk, round: Int, given: [GivenTask]) {
        self.host = host
        self.disk = disk
        self.round = Int64(round)
        self.given = given
    }

    /// A command for an engine; a start if it has no event.
    struct Command: Sendable {
        var machine = "walk"
        let instance: String
        var event: Event?
        var marker: Marker?
        var key: RequestKey?
        /// The action of a worker; `nil` for a start or an event.
        var work: PowerWork?
        /// The action of an operator; `nil` for everything else.
        var verb: PowerVerb?
    }

    /// The engine's answer to a command.
    struct Told: Sendable {
        let command: Command
        var outcome = Attempt.Outcome.unknown
        /// The seq after all consequences; 0 if nothing was accepted.
        var reached: Int64 = 0
        /// True if the engine reported that the disk failed, or that it had to stop.
        var isFailure = false
        /// The leased tasks.
        var tasks: [LeasedTask] = []

        /// The attempt; `nil` for a retry, which looks like every other one and shows only in its consequences.
        var attempt: Attempt? {
            if command.event?.name == "retry" || command.work?.isCompletion == false { return nil }
            // Redacted and deleted markers cannot be found. The instance's history is verified.
            if command.machine == PowerVerb.machine { return nil }
            return Attempt(instance: command.instance, marker: command.marker, outcome: outcome)
        }
    }

    /// Carries out commands one after another.
    mutating func give(_ commands: [Command]) async {
        for command in commands { note([await Self.give(command, to: host.engine)]) }
    }

    private mutating func note(_ answers: [Told]) {
        told += answers
        for task in answers.flatMap(\.tasks) {
            made += 1
            given.append(GivenTask(task: task, marker: Marker(client: round, number: Int64(made))))
        }
    }

    /// Carries out commands so that they form two batches. The first has only a start, which always writes a row; the
    /// others gather meanwhile.
    mutating func burst(of count: Int, names: [String], using random: inout SeededRandom) async {
        made += 1
        let first = Command(instance: "first-\(round)-\(made)")
        let commands = [first] + (0..<count).map { _ in next(names: names, using: &random) }
        let answers = await withTaskGroup(of: (Int, Told).self) { [host, disk] group in
            disk.hold.shut()
            for (number, command) in commands.enumerated() {
                // An immediate task runs at once until it has to wait: for its answer, with its command in the queue.
                group.addImmediateTask {
                    let told = await Self.give(command, to: host.engine)
                    // Without power nothing is written, so that no call comes to the hold.
                    if number == 0 { disk.hold.nobodyComes() }
                    return (number, told)
                }
                if number == 0 { await disk.hold.somebodyHasCome() }
            }
            disk.hold.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        note(answers.sorted { $0.0 < $1.0 }.map(\.1))
    }

    private mutating func next(names: [String], using random: inout SeededRandom) -> Command {
        made += 1
        let number = Int64(made)
        let key = Bool.random(using: &random) ? RequestKey(text: "key-\(round)-\(number)") : nil
        if Int.random(in: 0..<8, using: &random) == 0 {
            return PowerVerb.next(names, own: "\(round)-\(number)", using: &random)
        }
        if Int.random(in: 0..<5, using: &random) < 2 {
            return PowerWork.next(given, using: &random)
                ?? Command(
                    instance: Self.jobs.randomElement(using: &random) ?? "",
                    event: Event(
                        name: Int.random(in: 0..<4, using: &random) > 0 ? "begin" : "leave",
                        data: ["client": .int(round), "number": .int(number)]),
                    marker: Marker(client: round, number: number), key: key)
        }
        let walks = names.filter { !$0.hasPrefix(PowerVerb.machine) }
        guard Int.random(in: 0..<8, using: &random) > 0, let name = walks.randomElement(using: &random) else {
            return Command(instance: "own-\(round)-\(number)", key: key)
        }
        let events = [
            "step", "step", "turn", "resume", "grow", "work", "work", "run", "remind", "remind", "quiet", "break",
            "unknown", "retry",
        ]
        let event = events.randomElement(using: &random) ?? "step"
        var data: JSONObject = ["client": .int(round), "number": .int(number)]
        if event == "run" { data["times"] = .int(Int64.random(in: 5...40, using: &random)) }
        if event == "grow" {
            data["text"] = .string(String(repeating: "x", count: Int.random(in: 0...9_000, using: &random)))
        }
        return Command(
            instance: name, event: Event(name: event, data: .object(data)),
            marker: Marker(client: round, number: number), key: event == "retry" ? nil : key)
    }

    private static func give(_ command: Command, to engine: Engine) async -> Told {
        var told = Told(command: command)
        do throws(Rejection) {
            if let work = command.work {
                told.tasks = try await work.give(to: engine)
                told.outcome = .taken
                return told
            }
            if let verb = command.verb {
                told.reached = try await verb.give(to: engine, InstanceName(rawValue: command.instance))
                told.outcome = .taken
                return told
            }
            guard let event = command.event else {
                _ = try await engine.start(
                    StartCommand(machine: command.machine, instance: command.instance, key: command.key))
                told.outcome = .accepted(1)
                told.reached = 1
                return told
            }
            let sent =
                event.name == "retry"
                ? try await engine.repair(RepairCommand(instance: command.instance, .retry))
                : try await engine.send(SendCommand(instance: command.instance, event: event, key: command.key))
            told.outcome = .accepted(sent.fromSeq.next.rawValue)
            told.reached = sent.seq.rawValue
        } catch {
            switch error.code {
            case .outcomeUnknown: told.isFailure = true
            case .storageUnavailable, .draining:
                // These errors say that nothing changed.
                told.outcome = .refused
                told.isFailure = true
            default: told.outcome = .refused
            }
        }
        return told
    }
}
