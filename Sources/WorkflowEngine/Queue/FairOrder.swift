import WorkflowStore

/// Whose turn it is: commands that are expected to take long stand behind all others.
///
/// What is expected of a command is what its instance used lately. Of an instance that nothing is known of, it is what
/// other instances of its machine used: so many that burn for the first time burn one after another, and let all others
/// pass.
///
/// A command is never overtaken by a later one that names the same instance or, for starts and applies, the same
/// machine: once one stands aside, all that share a target with it do. A value without threads: the writer has one.
struct FairOrder {
    /// Commands in their order.
    typealias Line = ArraySlice<any QueuedCommand>

    /// What a batch takes.
    enum Turn {
        /// Timers, and commands that wait.
        case all
        /// Commands that wait, and nothing that is expected to take long.
        case plain
        /// Commands that stood aside, which are put in front of what waits.
        case costly

        /// Whether timers that are due fire.
        var takesTimers: Bool {
            switch self {
            case .all: true
            case .plain, .costly: false
            }
        }
    }

    /// What is expected of a command.
    private enum Expectation: Comparable {
        case plain
        /// Others of its machine took long lately; the instance has taken events before, and has not.
        case doubtful
        /// Others of its machine took long lately, and nothing is known of the instance.
        case unknown
        /// The instance took long lately.
        case costly
    }

    private let limits: EngineLimits
    private let isOn: Bool
    private let recent: WorkingSet
    /// What instances used; of starts, what those of a machine did.
    private var uses = RecentUse()
    /// What the instances of a machine used.
    private var machines = RecentUse()
    /// Commands that stand aside.
    private(set) var aside: Line = []
    /// What the commands aside name, and how often.
    private var targetsAside: [CommandTarget: Int] = [:]
    /// Commands that were put in front for the batch that is applied.
    private(set) var inFront = 0
    /// They: what of them was not applied stands aside again.
    private var lent: Set<ObjectIdentifier> = []
    /// Whether the last batch had a step that took long: then what waits comes first.
    private var hasBurnt = false
    /// Whether commands that stand aside come before timers.
    private var isTurnOfCostly = false
    /// Whether of those that stand aside the oldest come first, and not those of which least is expected.
    private var isTurnOfOldest = false
    /// Whether the last batch had doubtful commands, which came before their turn.
    private var wasDoubtful = false

    /// - Parameters:
    ///   - recent: Where the machines of instances are known from.
    ///   - isOn: False for first come, first served.
    init(limits: EngineLimits, recent: WorkingSet, isOn: Bool) {
        self.limits = limits
        self.recent = recent
        self.isOn = isOn
    }

    /// Whether nothing has taken long lately, so that no order is needed.
    var isIdle: Bool { uses.isEmpty && aside.isEmpty && !hasBurnt }

    /// The units past which a batch ends with a step.
    var burning: Int { isOn ? limits.plainCost : .max }

    /// A command used evaluation beyond what a plain one does.
    mutating func burnt(_ command: (any WriterCommand)?, _ units: Int, at now: ContinuousClock.Instant = .now) {
        hasBurnt = true
        for payer in command?.payers ?? [] {
            uses.add(units, of: payer, at: now, keeping: limits.costlyNames)
            guard case .instance(let key) = payer, let instance = recent.instance(key) else { continue }
            machines.add(units, of: .machine(instance.state.loaded.record.key), at: now, keeping: limits.costlyNames)
        }
    }

    /// Puts what waits in order for the next batch, and says what that one takes.
    mutating func begin(_ waiting: inout Line, at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Turn {
        inFront = 0
        if isIdle, lent.isEmpty { return .all }
        forget(at: now())
        // Older than what stands aside, or of other names.
        let costly = take(&waiting)
        lent = []
        if !costly.isEmpty { aside = costly[...] + aside }
        let hasBurnt = hasBurnt
        let wasDoubtful = wasDoubtful
        self.hasBurnt = false
        self.wasDoubtful = false
        if hasBurnt, !waiting.isEmpty { return .plain }
        if hasBurnt, !wasDoubtful, lend(.doubtful, to: &waiting) {
            self.wasDoubtful = true
            return .costly
        }
        guard !aside.isEmpty, isTurnOfCostly else {
            isTurnOfCostly = true
            return .all
        }
        isTurnOfCostly = false
        isTurnOfOldest.toggle()
        if isTurnOfOldest || !(lend(.doubtful, to: &waiting) || lend(.unknown, to: &waiting)) {
            _ = lend(.costly, to: &waiting)
        }
        return .costly
    }

    /// New commands, behind those that wait: those that need not stand aside.
    mutating func admit(_ more: [any QueuedCommand]) -> Line {
        var more = more[...]
        if isIdle { return more }
        aside += take(&more)
        return more
    }

    /// All that stands aside.
    mutating func takeAll() -> Line {
        defer {
            aside = []
            targetsAside = [:]
        }
        return aside
    }

    /// Takes out what has to stand aside.
    private mutating func take(_ line: inout Line) -> [any QueuedCommand] {
        guard line.contains(where: mustStandAside) else { return [] }
        var costly: [any QueuedCommand] = []
        var plain: [any QueuedCommand] = []
        for entry in line {
            if mustStandAside(entry) {
                for target in entry.command.targets { targetsAside[target, default: 0] += 1 }
                costly.append(entry)
            } else {
                plain.append(entry)
            }
        }
        line = plain[...]
        return costly
    }

    private func mustStandAside(_ entry: any QueuedCommand) -> Bool {
        if !lent.isEmpty, lent.contains(ObjectIdentifier(entry)) { return true }
        if uses.isEmpty, targetsAside.isEmpty { return false }
        if expectation(of: entry.command) > .plain { return true }
        return !targetsAside.isEmpty && entry.command.targets.contains { targetsAside[$0] != nil }
    }

    /// Puts the oldest commands that stand aside, and of which no more is expected, in front of what waits; false when
    /// there are none among those that are looked at. None overtakes one that names the same.
    private mutating func lend(_ most: Expectation, to waiting: inout Line) -> Bool {
        var picked: [any QueuedCommand] = []
        var staying: [any QueuedCommand] = []
        var targets: Set<CommandTarget> = []
        let looked = aside.prefix(limits.batchRows)
        for entry in looked {
            if expectation(of: entry.command) <= most, !entry.command.targets.contains(where: targets.contains) {
                picked.append(entry)
            } else {
                targets.formUnion(entry.command.targets)
                staying.append(entry)
            }
        }
        guard !picked.isEmpty else { return false }
        aside = staying[...] + aside.dropFirst(looked.count)
        for target in picked.flatMap(\.command.targets) {
            let left = (targetsAside[target] ?? 0) - 1
            targetsAside[target] = left > 0 ? left : nil
        }
        inFront = picked.count
        lent = Set(picked.map { ObjectIdentifier($0) })
        waiting = picked[...] + waiting
        return true
    }

    private func expectation(of command: any WriterCommand) -> Expectation {
        if uses.isEmpty { return .plain }
        return command.payers.map(expectation).max() ?? .plain
    }

    private func expectation(of payer: CommandTarget) -> Expectation {
        if uses.contains(payer) { return .costly }
        guard !machines.isEmpty, case .instance(let key) = payer else { return .plain }
        guard let instance = recent.instance(key) else { return .unknown }
        guard machines.contains(.machine(instance.state.loaded.record.key)) else { return .plain }
        // A step that is refused leaves no row.
        return instance.state.record.seq.rawValue > 1 ? .doubtful : .unknown
    }

    private mutating func forget(at now: ContinuousClock.Instant) {
        uses.forget(upTo: limits.plainCost, at: now)
        machines.forget(upTo: limits.plainCost, at: now)
    }
}

/// How much evaluation instances and machines have used lately: it halves every ten seconds. Bounded in number.
struct RecentUse {
    /// Evaluation that was used, as of a moment.
    private struct Use {
        var units: Double
        var at: ContinuousClock.Instant

        func units(at now: ContinuousClock.Instant) -> Double {
            var units = units
            var at = at
            while units >= 1, now - at >= RecentUse.halving {
                units /= 2
                at += RecentUse.halving
            }
            return units
        }
    }

    /// So slow that an instance is remembered until its next turn, when many of them burn.
    private static let halving: Duration = .seconds(10)

    private var uses: [CommandTarget: Use] = [:]

    var isEmpty: Bool { uses.isEmpty }

    func contains(_ target: CommandTarget) -> Bool { uses[target] != nil }

    /// Adds what one has used.
    ///
    /// - Parameter bound: How many are remembered; past it the half that used least is forgotten.
    mutating func add(_ units: Int, of target: CommandTarget, at now: ContinuousClock.Instant, keeping bound: Int) {
        uses[target] = Use(units: Double(units) + (uses[target]?.units(at: now) ?? 0), at: now)
        guard uses.count > bound else { return }
        let least = uses.sorted { $0.value.units(at: now) < $1.value.units(at: now) }.prefix(uses.count / 2)
        for (target, _) in least { uses[target] = nil }
    }

    /// Forgets those that used no more than so many units.
    mutating func forget(upTo bound: Int, at now: ContinuousClock.Instant) {
        if uses.isEmpty { return }
        uses = uses.filter { $0.value.units(at: now) > Double(bound) }
    }
}
