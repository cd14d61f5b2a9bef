import NaiveStatechart
import Testing
import ThreadTesting

/// Tests that the random machines fit the property tests: legal, the same for the same seed, and of every kind.
@Suite(.ownThreads) struct GeneratorTests {
    @Test func aSeedMakesTheSameMachineAndEventsEveryTime() {
        for seed in 0..<20 {
            var (one, other) = (MachineGenerator(seed: UInt64(seed)), MachineGenerator(seed: UInt64(seed)))
            let (machine, same) = (one.machine(), other.machine())
            #expect(machine.definition.compact == same.definition.compact)
            #expect(one.stimuli(for: machine) == other.stimuli(for: same))
            let (next, again) = (one.legalVersion(after: machine), other.legalVersion(after: same))
            #expect(next?.machine.definition.compact == again?.machine.definition.compact)
            guard let next, let again else { continue }
            #expect(one.stimuli(for: machine, next) == other.stimuli(for: same, again))
        }
    }

    @Test func machinesAreOfEveryKind() {
        var found: Set<String> = []
        for seed in 0..<300 {
            var generator = MachineGenerator(seed: UInt64(seed))
            found.formUnion(Self.kinds(of: generator.machine()))
        }
        #expect(Self.allKinds.subtracting(found) == [])
    }

    static let allKinds: Set<String> = [
        "parallel root", "compound root", "strict", "lenient", "five levels", "a key with a dot", "an id",
        "atomic", "compound", "parallel", "final", "shallowHistory", "deepHistory",
        "history with a default", "history with a deep default", "history with several defaults",
        "history that borrows its default", "initial at a child", "initial deeper", "initial at history",
        "initial at several", "initial with actions", "no target", "one target", "several targets", "reenter", "itself",
        "an ancestor", "the root", "history as target", "always", "always to history", "onDone", "*", "prefix", "exact",
        "done.state in on", "error in on", "entry", "exit", "raise", "set", "fail", "after", "send", "delayed send",
        "cancel",
        "misfire", "next", "invocation", "invocation with a timeout", "invocation that cannot begin",
        "end of an invocation",
    ]

    private static func kinds(of machine: ModelMachine) -> Set<String> {
        var kinds: Set<String> = [machine.isStrict ? "strict" : "lenient", "\(machine.root.kind) root"]
        for state in machine.states {
            kinds.insert(state.kind.rawValue)
            if state.path.replacing(".z", with: "").split(separator: ".").count == 5 { kinds.insert("five levels") }
            if state.key.contains(".") { kinds.insert("a key with a dot") }
            if state.id != nil { kinds.insert("an id") }
            if !state.entry.isEmpty { kinds.insert("entry") }
            if !state.exit.isEmpty { kinds.insert("exit") }
            kinds.formUnion(beginnings(of: state))
            for transition in state.transitions { kinds.formUnion(Self.kinds(of: transition)) }
            if !state.invocations.isEmpty { kinds.insert("invocation") }
            if state.invocations.contains(where: { $0.timeout != nil }) { kinds.insert("invocation with a timeout") }
            if state.invocations.contains(where: \.fails) { kinds.insert("invocation that cannot begin") }
            for action in state.entry + state.exit { kinds.insert(name(of: action)) }
        }
        return kinds
    }

    private static func beginnings(of state: ModelState) -> Set<String> {
        guard let initial = state.initial else { return state.isHistory ? ["history that borrows its default"] : [] }
        let targets = initial.targets.map(\.state)
        let isDeep = targets.contains { $0.parent != (state.isHistory ? state.parent : state) }
        if state.isHistory {
            return ["history with \(targets.count > 1 ? "several defaults" : isDeep ? "a deep default" : "a default")"]
        }
        var kinds: Set<String> = [
            targets.count > 1 ? "initial at several" : isDeep ? "initial deeper" : "initial at a child"
        ]
        if targets.contains(where: \.isHistory) { kinds.insert("initial at history") }
        if !initial.actions.isEmpty { kinds.insert("initial with actions") }
        return kinds
    }

    private static func kinds(of transition: ModelTransition) -> Set<String> {
        var kinds: Set<String> = [
            ["no target", "one target"].dropFirst(transition.targets.count).first ?? "several targets"
        ]
        if transition.reenters { kinds.insert("reenter") }
        if let misfire = transition.misfire { kinds.insert(misfire.rearms ? "next" : "misfire") }
        for target in transition.targets.map(\.state) {
            if target == transition.source { kinds.insert("itself") }
            if transition.source.isDescendant(of: target) { kinds.insert("an ancestor") }
            if target.parent == nil { kinds.insert("the root") }
            if target.isHistory {
                kinds.insert(transition.trigger == .always ? "always to history" : "history as target")
            }
        }
        switch transition.trigger {
        case .always: kinds.insert("always")
        case .done: kinds.insert("onDone")
        case .initial: break
        case .after: kinds.insert("after")
        case .ended: kinds.insert("end of an invocation")
        case .event(let descriptor):
            kinds.insert(descriptor == "*" ? "*" : descriptor.hasSuffix(".*") ? "prefix" : "exact")
            if descriptor.hasPrefix("done.state.") { kinds.insert("done.state in on") }
            if descriptor.hasPrefix("error.") { kinds.insert("error in on") }
        }
        return kinds
    }

    private static func name(of action: ModelAction) -> String {
        switch action {
        case .raise: "raise"
        case .set: "set"
        case .fail: "fail"
        case .count: "count"
        case .record: "record"
        case .send(let send): send.delay == nil ? "send" : "delayed send"
        case .cancel: "cancel"
        case .written: "written"
        }
    }

    @Test func instancesGoOverToOtherVersionsInEveryWay() throws {
        var comparison = Comparison()
        for seed in 0..<110 {
            var generator = MachineGenerator(seed: UInt64(seed))
            let machine = generator.machine()
            comparison.isPatient = generator.isLively
            guard let next = generator.legalVersion(after: machine) else { continue }
            let adapter = StepAdapter([try StepAdapter.read(machine), next.read])
            for _ in 0..<PropertyRun.sequencesPerMachine {
                let stimuli = generator.stimuli(for: machine, next)
                #expect(comparison.difference([machine, next.machine], adapter, stimuli) == nil)
            }
        }
        #expect(comparison.counts["reset: to another version", default: 0] > 0)
        let found = comparison.counts.filter { $0.key.hasPrefix("migrate: ") }
        #expect(Self.allMigrations.subtracting(found.keys) == [], "\(found)")
        let moved = found.filter { $0.key.hasPrefix("migrate: moved") }.values.reduce(0, +)
        let all = found.filter { !$0.key.hasPrefix("migrate: with") }.values.reduce(0, +)
        #expect((40...80).contains(moved * 100 / all), "\(moved) of \(all) were done")
    }

    /// The possible results of migrations: done, or the reason why not, and the lines that a person reads about those
    /// that were done.
    static let allMigrations: Set<String> = Set(
        [
            "moved, running", "moved, failed", "moved, suspended", "misfit", "mistake", "with kept", "with new",
            "with ended", "with begun", "with cancelled", "with forgotten", "with undeclared", "with entered",
        ].map { "migrate: \($0)" })

    @Test func whatDoesNotMatterIsTakenAway() {
        var generator = MachineGenerator(seed: 3)
        var machine = generator.machine()
        while !machine.states.contains(where: { $0.kind == .deepHistory }) { machine = generator.machine() }
        var shrinker = Shrinker(machine, [.send("a"), .send("b"), .wait(5)]) { machine, stimuli in
            let shows = machine.states.contains { $0.kind == .deepHistory } && stimuli.contains(.send("b"))
            return shows && (try? StepAdapter(machine)) != nil ? stimuli : nil
        }
        shrinker.shrink()
        #expect(shrinker.stimuli == [.send("b")])
        #expect(shrinker.machine.states.count <= 4)
        #expect(shrinker.machine.states.allSatisfy { $0.transitions.isEmpty && $0.entry.isEmpty && $0.exit.isEmpty })
    }
}
