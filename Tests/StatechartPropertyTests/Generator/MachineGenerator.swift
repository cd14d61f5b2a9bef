import NaiveStatechart
import WorkflowJSON

/// Makes legal machines that use all of the definition language.
struct MachineGenerator {
    /// True if guards and values may be expressions. Without them, `always` leads forward only, because otherwise
    /// hardly any machine would become stable.
    static let hasExpressions = true

    static let mostStates = 25
    static let mostLevels = 5
    static let mostDraws = 20

    var random: SplitMix64
    var states: [ModelState] = []
    /// The number of actions of each kind so far; their numbers tell them apart.
    var marks = 0
    var numbers = 0
    /// True if a region beside all others records, one by one, every event that actions raise.
    var isRecording = false
    /// True if every event has many consequences. Many such machines never become stable, which takes long to see.
    var isLively = false
    /// True if every region of a parallel state can be done, and many are.
    var isFinishing = false
    /// True if states have timers and actions send events.
    var hasTimers = false
    /// True if states have invocations; followed by their number.
    var hasInvocations = false
    var invocations = 0
    /// The number of states that later versions have added.
    var added = 0
    /// True if machines take steps by the rules of 0.1, as for every fifth seed. Their next versions do not.
    let isFirst: Bool
    private var shares = Shares()

    /// The shares of the kinds in a hundred states; the other states are atomic.
    private struct Shares {
        var compound = 0
        var parallel = 0
        var final = 0
        var history = 0
    }

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        isFirst = seed % 5 == 0
    }

    /// Returns the next machine. All except the lively ones become stable soon after their start.
    mutating func machine() -> ModelMachine {
        for _ in 0..<Self.mostDraws {
            let machine = draw()
            if isLively || NaiveInterpreter(machine, workLimit: Comparison.soon).start() != .refused(.livelock) {
                return machine
            }
        }
        return draw()
    }

    private mutating func draw() -> ModelMachine {
        marks = 0
        numbers = 0
        isRecording = random.chance(40)
        isLively = random.chance(3)
        isFinishing = random.chance(25)
        hasTimers = random.chance(50)
        hasInvocations = random.chance(40)
        invocations = 0
        shares = Shares(
            compound: random.pick([15, 25, 35]) ?? 0, parallel: random.pick([5, 15, 30]) ?? 0,
            final: random.pick([5, 10, 30]) ?? 0, history: random.pick([0, 10, 25]) ?? 0)
        let machine = ModelMachine(root: tree(), isStrict: random.chance(50), context: context(), isFirst: isFirst)
        states = machine.states
        for state in states where state.kind == .compound { state.initial = initial(of: state) }
        for state in states where state.isHistory { state.initial = fallback(of: state) }
        for state in states where !state.isHistory && !isRecorder(state) { fill(state) }
        if random.chance(15) { plantMemory(in: machine) }
        if isFinishing, random.chance(70) { plantEnds(in: machine) }
        return machine
    }

    /// Returns events for one instance, most of which the machine knows, and waits.
    ///
    /// - Parameter next: Another version of the machine, to which the instance may migrate.
    mutating func stimuli(for machine: ModelMachine, next: ModelMachine? = nil) -> [Stimulus] {
        let handled = (machine.states + (next?.states ?? [])).flatMap(\.transitions).compactMap(\.descriptor)
            .filter { name in !["done.", "error.", "after.", "*"].contains { name.hasPrefix($0) } }
            .map { $0.hasSuffix(".*") ? String($0.dropLast(2)) : $0 }
        return (0..<1 + random.below(12)).flatMap { _ in
            random.chance(20) ? repairs().map(Stimulus.repair) : [stimulus(handled)]
        }
    }

    private mutating func stimulus(_ handled: [String]) -> Stimulus {
        if hasInvocations, random.chance(35) { return .end(random.below(6), isDone: random.chance(70)) }
        if hasTimers || hasInvocations, random.chance(40) {
            return .wait(random.pick([1, 5, 10, 15, 40, 2_000]) ?? 0)
        }
        if !handled.isEmpty, random.chance(80) { return .send(handled[random.below(handled.count)]) }
        return .send(random.pick(Self.events + ["unknown", "a.b.c.d", "ab"]) ?? "")
    }

    /// Returns one action of a person, or several that belong together.
    private mutating func repairs() -> [NaiveInterpreter.Repair] {
        let set = NaiveInterpreter.Repair.set(["n": .int(Int64(random.below(6)))], unset: [])
        let reset = NaiveInterpreter.Repair.reset(
            NaiveInterpreter.Reset(
                seq: 1 + random.below(8), keepsTimes: random.chance(40),
                lost: random.pick([nil, .again, .answer]) ?? nil))
        return switch random.below(15) {
        case 12...13: [reset]
        case 14: [.suspend, reset, .resume]
        case 0: [.cancel(withActions: random.chance(80))]
        case 1...2: [.retry]
        case 3...4: [set, .retry]
        case 5: [.skip]
        case 6...7: [set]
        case 8: [.suspend]
        case 9...10: [.suspend, set, .resume]
        default: [.resume]
        }
    }

    static let events = ["a", "b", "c", "a.x", "a.x.y", "b.x"]
    static let families = ["a.*", "a.x.*", "b.*", "done.*", "error.*", "done.state.*"]
    static let marks = (1...10).map { "m\($0)" }

    private static let recorder = "recorder"

    // MARK: The tree

    private mutating func tree() -> ModelState {
        let root = ModelState(key: "machine", kind: random.chance(15) ? .parallel : .compound)
        let count = 1 + random.below(random.chance(50) ? Self.mostStates : Self.mostStates / 2)
        guard isRecording else {
            grow(root, level: 0, count: count)
            return root
        }
        root.kind = .parallel
        let main = ModelState(key: "main", kind: random.chance(15) ? .parallel : .compound)
        grow(main, level: 1, count: count)
        let regions = random.chance(50) ? [main, recorder()] : [recorder(), main]
        for region in regions { root.add(region) }
        return root
    }

    private mutating func recorder() -> ModelState {
        let recorder = ModelState(key: Self.recorder, kind: .compound)
        for key in ["idle"] + Self.marks { recorder.add(ModelState(key: key, kind: .atomic)) }
        for state in recorder.children.dropFirst() {
            let target = ModelTarget(state: state, spelling: random.below(8))
            recorder.transitions.append(ModelTransition(of: recorder, on: .event(state.key), to: [target]))
        }
        return recorder
    }

    func isRecorder(_ state: ModelState) -> Bool {
        state.key == Self.recorder || state.parent?.key == Self.recorder
    }

    private mutating func grow(_ top: ModelState, level: Int, count: Int) {
        var open = [(state: top, level: level)]
        for number in 1...count {
            let (parent, level) = open[random.below(open.count)]
            let child = ModelState(key: key(number, in: parent), kind: kind(below: parent, level: level + 1))
            if random.chance(15) { child.id = "i\(number)" }
            parent.add(child)
            if child.kind == .compound || child.kind == .parallel { open.append((child, level + 1)) }
        }
        for (number, (state, _)) in open.enumerated() where state.childStates.isEmpty {
            if state.children.isEmpty, state != top {
                state.kind = .atomic
            } else {
                state.add(ModelState(key: "t\(number)", kind: .atomic))
            }
        }
        if isFinishing { letFinish(top) }
    }

    /// Makes every region compound, with a final state.
    private mutating func letFinish(_ top: ModelState) {
        for parallel in top.subtree where parallel.kind == .parallel {
            for region in parallel.childStates where region.kind == .atomic || region.kind == .compound {
                if region.kind == .atomic { region.add(ModelState(key: "\(region.key)o", kind: .atomic)) }
                region.kind = .compound
                guard !region.children.contains(where: { $0.kind == .final }) else { continue }
                region.add(ModelState(key: "\(region.key)f", kind: .final))
            }
        }
    }

    /// Returns a key. With a dot, the state may look as if it were below a neighbour.
    private mutating func key(_ number: Int, in parent: ModelState) -> String {
        guard random.chance(8) else { return "s\(number)" }
        let others = parent.children.filter { !$0.key.contains(".") && !$0.isHistory }
        if random.chance(50), let other = random.pick(others) { return "\(other.key).z\(number)" }
        return "s\(number).z"
    }

    private mutating func kind(below parent: ModelState, level: Int) -> ModelState.Kind {
        var roll = random.below(100)
        func isHit(_ share: Int) -> Bool {
            defer { roll -= share }
            return (0..<share).contains(roll)
        }
        if isHit(shares.compound) { return level < Self.mostLevels ? .compound : .atomic }
        if isHit(shares.parallel) { return level < Self.mostLevels ? .parallel : .atomic }
        if isHit(shares.final) { return parent.kind == .compound ? .final : .atomic }
        if isHit(shares.history) { return random.chance(50) ? .shallowHistory : .deepHistory }
        return .atomic
    }
}
