import NaiveStatechart

/// Runs one machine, or several versions of it, through a sequence of events on both sides.
struct Comparison {
    /// The number of microsteps and internal events after which most machines are stable.
    static let soon = 60

    /// The most events that come by themselves and are followed before the next one from outside.
    private static let mostOwn = 12

    /// The point where the two sides differ.
    struct Difference {
        /// The stimuli so far, of which the last made the difference. Empty if the start did.
        let stimuli: [Stimulus]
        let step: String
        let naive: String
        let what: String
    }

    /// True if an event is followed to the end although the machine is not stable soon. This takes long for a machine
    /// that never becomes stable, and one such event is like another.
    var isPatient = true
    /// True if both sides agreed that the last machine cannot start, so that other events make no difference.
    private(set) var isRefusedAtStart = false
    /// The numbers of agreements, by kind.
    private(set) var counts: [String: Int] = [:]
    private var sequences = 0

    /// Returns the first difference, or the first illegal configuration; `nil` if there is neither.
    ///
    /// - Parameters:
    ///   - machines: The versions of the machine; the instance begins with the first.
    ///   - adapter: An instance of the machine that was not started.
    mutating func difference(
        _ machines: [ModelMachine], _ adapter: StepAdapter, _ stimuli: [Stimulus]
    ) -> Difference? {
        var adapter = adapter
        isRefusedAtStart = false
        sequences += 1
        let interpreter = NaiveInterpreter(machines[0], workLimit: StepAdapter.workLimit)
        let (step, naive) = (adapter.start(), interpreter.start())
        if let problem = compare(step, naive, "start: ", interpreter) { return problem(of: []) }
        if case .refused = step {
            isRefusedAtStart = true
            return nil
        }
        if !isPatient { interpreter.workLimit = Self.soon }
        var now: Int64 = 0
        // The events that the start sent come before everything else.
        for (count, stimulus) in zip(0..., [.wait(0)] + stimuli) {
            switch stimulus {
            case .wait(let milliseconds): now += milliseconds
            case .send(let event):
                let naive = interpreter.send(event, at: now)
                if !isPatient, naive == .refused(.livelock) { continue }
                let step = adapter.send(event, at: now)
                if let problem = compare(step, naive, "", interpreter) { return problem(of: stimuli.prefix(count)) }
                if adapter.isOver, stimuli.dropFirst(count).allSatisfy({ !$0.isReset }) { return nil }
            case .repair(let repair):
                let version = interpreter.version
                let naive = interpreter.repair(repair, at: now)
                if !isPatient, naive == .refused(.livelock) { return nil }
                let step = adapter.repair(repair, at: now)
                if let problem = compare(step, naive, "\(repair.name): ", interpreter) {
                    return problem(of: stimuli.prefix(count))
                }
                if interpreter.version != version { counts["reset: to another version", default: 0] += 1 }
            case .migrate(let version, let plan):
                guard interpreter.version != version, version <= machines.count else { continue }
                let next = machines[Int(version) - 1]
                let naive = interpreter.migrate(to: next, version: version, by: plan, at: now)
                if !isPatient, naive == .refused(.livelock) { return nil }
                let step = adapter.migrate(to: version, by: plan, at: now)
                if let problem = compare(step, naive, "migrate: ", interpreter) {
                    return problem(of: stimuli.prefix(count))
                }
            case .end(let choice, let isDone):
                let naive = interpreter.endInvocation(choice, isDone: isDone, at: now)
                if !isPatient, naive?.observation == .refused(.livelock) { return nil }
                let step = adapter.endInvocation(choice, isDone: isDone, at: now)
                if step == nil, naive == nil { continue }
                if let problem = compare(step, naive, "result: ", interpreter) {
                    return problem(of: stimuli.prefix(count))
                }
            }
            for _ in 0..<Self.mostOwn {
                let naive = interpreter.takeOwn(at: now)
                if !isPatient, naive?.observation == .refused(.livelock) { return nil }
                let step = adapter.takeOwn(at: now)
                if step == nil, naive == nil { break }
                if let problem = compare(step, naive, "by itself: ", interpreter) {
                    return problem(of: stimuli.prefix(count))
                }
            }
        }
        return nil
    }

    /// Returns the first difference on machines that may be illegal; `nil` also if they are.
    static func difference(_ machines: [ModelMachine], _ stimuli: [Stimulus]) -> Difference? {
        // A machine that cannot be read is not compared.
        guard let read = try? machines.map({ try StepAdapter.read($0) }) else { return nil }
        var comparison = Comparison()
        return comparison.difference(machines, StepAdapter(read), stimuli)
    }

    /// The results of both sides, if they differ or both are wrong.
    private struct Problem {
        let step: String
        let naive: String
        let what: String

        func callAsFunction(of stimuli: some Collection<Stimulus>) -> Difference {
            Difference(stimuli: Array(stimuli), step: step, naive: naive, what: what)
        }
    }

    private mutating func compare(
        _ step: Observation, _ naive: Observation, _ kind: String, _ interpreter: NaiveInterpreter
    ) -> Problem? {
        // A macrostep without an end may do too much before it has too many microsteps.
        let isSame = step == naive || step == .refused(.tooMuch) && naive == .refused(.livelock)
        let what = isSame ? naive.illegality(in: interpreter.machine) : "the two differ"
        if let what { return Problem(step: "\(step)", naive: "\(naive)", what: what) }
        note(step, kind)
        return nil
    }

    private mutating func compare(
        _ step: Observation?, _ naive: Observation?, _ kind: String, _ interpreter: NaiveInterpreter
    ) -> Problem? {
        guard step != nil || naive != nil else { return nil }
        guard let step, let naive else {
            let (step, naive) = (step.map { "\($0)" } ?? "nothing", naive.map { "\($0)" } ?? "nothing")
            return Problem(step: step, naive: naive, what: "the two differ in what can be done")
        }
        return compare(step, naive, kind, interpreter)
    }

    private mutating func compare(
        _ step: OwnObservation?, _ naive: OwnObservation?, _ kind: String, _ interpreter: NaiveInterpreter
    ) -> Problem? {
        guard let step, let naive, step.event == naive.event else {
            let (step, naive) = (step.map { "\($0)" } ?? "nothing", naive.map { "\($0)" } ?? "nothing")
            return Problem(step: step, naive: naive, what: "the two differ in what comes next")
        }
        return compare(step.observation, naive.observation, kind, interpreter)
    }

    /// The counts of the results of all events.
    var summary: String {
        let kinds = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(sequences) sequences: " + kinds.joined(separator: ", ")
    }

    /// Records the result of a migration, and the lines that a person reads about it. Returns the status.
    private mutating func noted(_ step: Observation.Macrostep, _ told: [String]) -> String {
        for line in told.dropFirst() {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { counts["migrate: with \(words[0])", default: 0] += 1 }
        }
        if !step.entered.isEmpty { counts["migrate: with entered", default: 0] += 1 }
        if !step.begun.isEmpty { counts["migrate: with begun", default: 0] += 1 }
        return "moved, \(step.status)"
    }

    private mutating func note(_ observation: Observation, _ prefix: String) {
        let kind =
            switch observation {
            case .refused(let reason): reason.rawValue
            case .misfits: "misfit"
            case .migrated(let step, let told): noted(step, told)
            case .accepted(let step) where step.status != "running": step.status
            case .accepted(let step) where step.entered.isEmpty && step.exited.isEmpty: "stayed"
            case .accepted: "moved"
            }
        counts[prefix + kind, default: 0] += 1
    }
}

extension Observation {
    /// Returns the mistake in the configuration itself (SCXML 3.11); `nil` if it is legal.
    func illegality(in machine: ModelMachine) -> String? {
        guard let step = macrostep else { return nil }
        let paths = Set(step.configuration)
        let active = machine.states.filter { $0 == machine.root || paths.contains($0.path) }
        for state in active {
            let children = state.childStates.filter { paths.contains($0.path) }.count
            let isRight =
                switch state.kind {
                case .compound: children == 1
                case .parallel: children == state.childStates.count
                default: true
                }
            if !isRight { return "not a configuration: \(children) children of '\(state.path)' are active" }
            if let parent = state.parent, !active.contains(parent) {
                return "not a configuration: '\(state.path)' is active, its parent is not"
            }
        }
        return nil
    }
}
