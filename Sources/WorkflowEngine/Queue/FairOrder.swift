import WorkflowStore

/// Orders the commands: commands that are expected to take long stand behind all others.
///
/// The expected cost of a command is the recent use of its instance. For an unknown instance it is the recent use of
/// other instances of the machine. So many costly newcomers run one after another, and let all other commands pass.
///
/// A later command never overtakes an earlier one that names the same instance or, for starts and applies, the same
/// machine. Once a command is delayed, all commands that share a target with it are delayed. A value without threads,
/// owned by the writer.
struct FairOrder {
    /// Commands in order.
    typealias Line = ArraySlice<any QueuedCommand>

    /// The work that a batch takes.
    enum Turn {
        /// Timers, and commands that wait.
        case all
        /// Waiting commands, none of them expected to take long.
        case plain
        /// Delayed commands, placed in front of the waiting ones.
        case costly

        /// True if due timers fire.
        var takesTimers: Bool {
            switch self {
            case .all: true
            case .plain, .costly: false
            }
        }
    }

    /// The expected cost of a command.
    private enum Expectation: Comparable {
        case plain
        /// Other instances of the machine recently took long. This instance has taken events before, and did not take
        /// long.
        case doubtful
        /// Other instances of the machine recently took long, and nothing is known of this instance.
        case unknown
        /// The instance recently took long.
        case costly
    }

    private let limits: EngineLimits
    private let isOn: Bool
    private let recent: WorkingSet
    /// The recent use of each instance; for starts, the recent use of starts of each machine.
    private var uses = RecentUse()
    /// The recent use of each machine's instances.
    private var machines = RecentUse()
    /// The delayed commands.
    private(set) var aside: Line = []
    /// The targets of the delayed commands, with the number of commands for each.
    private var targetsAside: [CommandTarget: Int] = [:]
    /// The number of delayed commands placed in front for the current batch.
    private(set) var inFront = 0
    /// The commands placed in front; those that were not applied are delayed again.
    private var lent: Set<ObjectIdentifier> = []
    /// True if the last batch had a step that took long; then the waiting commands come first.
    private var hasBurnt = false
    /// True if delayed commands come before timers.
    private var isTurnOfCostly = false
    /// True if delayed commands run oldest first; false if cheapest first.
    private var isTurnOfOldest = false
    /// True if the last batch had doubtful commands, which came before their turn.
    private var wasDoubtful = false

    /// - Parameters:
    ///   - recent: The recent instances, which give an instance's machine.
    ///   - isOn: False for first come, first served.
    init(limits: EngineLimits, recent: WorkingSet, isOn: Bool) {
        self.limits = limits
        self.recent = recent
        self.isOn = isOn
    }

    /// True if no command took long recently, so no order is needed.
    var isIdle: Bool { uses.isEmpty && aside.isEmpty && !hasBurnt }

    /// The units of evaluation from which a step ends its batch.
    var burning: Int { isOn ? limits.plainCost : .max }

    /// Records a command that used more evaluation than a plain one.
    mutating func burnt(_ command: (any WriterCommand)?, _ units: Int, at now: ContinuousClock.Instant = .now) {
        hasBurnt = true
        for payer in command?.payers ?? [] {
            uses.add(units, of: payer, at: now, keeping: limits.costlyNames)
            guard case .instance(let key) = payer, let instance = recent.instance(key) else { continue }
            machines.add(units, of: .machine(instance.state.loaded.record.key), at: now, keeping: limits.costlyNames)
        }
    }

    /// Orders the waiting commands for the next batch, and returns the work that the batch takes.
    mutating func begin(_ waiting: inout Line, at now: @autoclosure () -> ContinuousClock.Instant = .now) -> Turn {
        inFront = 0
        if isIdle, lent.isEmpty { return .all }
        forget(at: now())
        // These commands are older than the delayed ones, or have other targets.
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

    /// Adds new commands behind those that wait. Returns the commands that need not be delayed.
    mutating func admit(_ more: [any QueuedCommand]) -> Line {
        var more = more[...]
        if isIdle { return more }
        aside += take(&more)
        return more
    }

    /// Removes and returns all delayed commands.
    mutating func takeAll() -> Line {
        defer {
            aside = []
            targetsAside = [:]
        }
        return aside
    }

    /// Removes and returns the commands that must be delayed.
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

    /// Places the oldest delayed commands up to an expected cost in front of the waiting ones. Only the first delayed
    /// commands are examined; returns false if none of them qualifies. No command overtakes one with the same target.
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
        // A refused step leaves no row.
        return instance.state.record.seq.rawValue > 1 ? .doubtful : .unknown
    }

    private mutating func forget(at now: ContinuousClock.Instant) {
        uses.forget(upTo: limits.plainCost, at: now)
        machines.forget(upTo: limits.plainCost, at: now)
    }
}

/// The recent use of evaluation of instances and machines. Each use halves every ten seconds; the number of entries is
/// bounded.
struct RecentUse {
    /// The evaluation used, as of a moment.
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

    /// The time in which a use halves: long enough to remember an instance until its next turn when many instances are
    /// costly.
    private static let halving: Duration = .seconds(10)

    private var uses: [CommandTarget: Use] = [:]

    var isEmpty: Bool { uses.isEmpty }

    func contains(_ target: CommandTarget) -> Bool { uses[target] != nil }

    /// Adds the use of a target.
    ///
    /// - Parameter bound: The number of targets that are remembered. Beyond it, the half that used least is forgotten.
    mutating func add(_ units: Int, of target: CommandTarget, at now: ContinuousClock.Instant, keeping bound: Int) {
        uses[target] = Use(units: Double(units) + (uses[target]?.units(at: now) ?? 0), at: now)
        guard uses.count > bound else { return }
        let least = uses.sorted { $0.value.units(at: now) < $1.value.units(at: now) }.prefix(uses.count / 2)
        for (target, _) in least { uses[target] = nil }
    }

    /// Forgets the targets that used at most a number of units.
    mutating func forget(upTo bound: Int, at now: ContinuousClock.Instant) {
        if uses.isEmpty { return }
        uses = uses.filter { $0.value.units(at: now) > Double(bound) }
    }
}
