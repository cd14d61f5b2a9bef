/// Runs one machine through one sequence of events on both sides.
struct Comparison {
    /// Microsteps and internal events after which most machines have settled.
    static let soon = 60

    /// Where both sides part.
    struct Difference {
        /// Those taken so far; the last made the difference. Empty when the start did.
        let events: [String]
        let step: Observation
        let naive: Observation
        let what: String
    }

    /// Whether an event is followed to the end where the machine does not settle soon. It takes long to see that a
    /// machine never does, and one such event is like another.
    var isPatient = true
    /// Whether both sides agreed that the machine tried last cannot start; other events make no difference then.
    private(set) var isRefusedAtStart = false
    /// What both sides agreed on, by kind.
    private var counts: [String: Int] = [:]
    private var sequences = 0

    /// The first difference, or the first configuration that is none; nil when there is neither.
    ///
    /// - Parameter adapter: An instance of the machine that was not started.
    mutating func difference(
        _ machine: ModelMachine, _ adapter: StepAdapter, _ events: [String]
    ) -> Difference? {
        var adapter = adapter
        isRefusedAtStart = false
        sequences += 1
        let interpreter = NaiveInterpreter(machine, workLimit: StepAdapter.workLimit)
        var (step, naive) = (adapter.start(), interpreter.start())
        if !isPatient { interpreter.workLimit = Self.soon }
        for (count, event) in zip(0..., [nil] + events.map(Optional.some)) {
            if let event {
                naive = interpreter.send(event)
                if !isPatient, naive == .refused(.livelock) { continue }
                step = adapter.send(event)
            }
            let problem = step == naive ? naive.illegality(in: machine) : "the two differ"
            if let problem {
                return Difference(events: Array(events.prefix(count)), step: step, naive: naive, what: problem)
            }
            note(step, isStart: event == nil)
            if event == nil, case .refused = step {
                isRefusedAtStart = true
                return nil
            }
            if step == .refused(.finished) { return nil }
        }
        return nil
    }

    /// The first difference on a machine that may be no legal one; nil also when it is none.
    static func difference(_ machine: ModelMachine, _ events: [String]) -> Difference? {
        // What cannot be read is not to be compared.
        guard let adapter = try? StepAdapter(machine.definition.compact) else { return nil }
        var comparison = Comparison()
        return comparison.difference(machine, adapter, events)
    }

    /// What the events came to, in numbers.
    var summary: String {
        let kinds = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(sequences) sequences: " + kinds.joined(separator: ", ")
    }

    private mutating func note(_ observation: Observation, isStart: Bool) {
        let kind =
            switch observation {
            case .refused(let reason): reason.rawValue
            case .accepted(let step) where step.isDone: "done"
            case .accepted(let step) where step.entered.isEmpty && step.exited.isEmpty: "stayed"
            case .accepted: "moved"
            }
        counts[isStart ? "start: \(kind)" : kind, default: 0] += 1
    }
}

extension Observation {
    /// What is wrong with the configuration itself (SCXML 3.11); nil when it is legal.
    func illegality(in machine: ModelMachine) -> String? {
        guard case .accepted(let step) = self else { return nil }
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
