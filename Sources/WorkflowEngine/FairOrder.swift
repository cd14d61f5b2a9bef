import Statechart

/// Whose turn it is: commands for instances that used much evaluation lately stand behind all others.
///
/// A command is never overtaken by a later one that names the same instance or, for starts and applies, the same
/// machine: once one stands aside, all that share a name with it do. A value without threads: the writer has one.
struct FairOrder {
    /// Commands in their order.
    typealias Line = ArraySlice<CommandQueue.Entry>

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

    /// Evaluation that was used, as of a moment; it halves every `halving`.
    private struct Use {
        var units: Double
        var at: ContinuousClock.Instant

        func units(at now: ContinuousClock.Instant) -> Double {
            var units = units
            var at = at
            while units >= 1, now - at >= FairOrder.halving {
                units /= 2
                at += FairOrder.halving
            }
            return units
        }
    }

    /// So slow that an instance is remembered until its next turn, when many of them burn.
    private static let halving: Duration = .seconds(10)

    private let limits: EngineLimits
    private let isOn: Bool
    private var uses: [String: Use] = [:]
    /// Commands that stand aside.
    private(set) var aside: Line = []
    /// What the commands aside name.
    private var namesAside: Set<String> = []
    /// Commands that were put in front for the batch that is applied.
    private(set) var inFront = 0
    /// They: what of them was not applied stands aside again.
    private var lent: Set<ObjectIdentifier> = []
    /// Whether the last batch had a step that took long: then what waits comes first.
    private var hasBurnt = false
    /// Whether commands that stand aside come before timers.
    private var isTurnOfCostly = false

    /// - Parameter isOn: False for first come, first served.
    init(limits: EngineLimits, isOn: Bool) {
        self.limits = limits
        self.isOn = isOn
    }

    /// Whether nothing has taken long lately, so that no order is needed.
    var isIdle: Bool { uses.isEmpty && aside.isEmpty && !hasBurnt }

    /// The units past which a batch ends with a step.
    var burning: Int { isOn ? limits.plainCost : .max }

    /// A command used evaluation beyond what a plain one does.
    mutating func burnt(_ command: Command?, _ units: Int, at now: ContinuousClock.Instant = .now) {
        hasBurnt = true
        guard let command else { return }
        for name in command.payers {
            uses[name] = Use(units: Double(units) + (uses[name]?.units(at: now) ?? 0), at: now)
        }
        guard uses.count > limits.costlyNames else { return }
        let least = uses.sorted { $0.value.units(at: now) < $1.value.units(at: now) }.prefix(uses.count / 2)
        for (name, _) in least { uses[name] = nil }
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
        let mustLetPass = hasBurnt && !waiting.isEmpty
        hasBurnt = false
        if mustLetPass { return .plain }
        guard !aside.isEmpty, isTurnOfCostly else {
            isTurnOfCostly = true
            return .all
        }
        isTurnOfCostly = false
        inFront = aside.count
        lent = Set(aside.map { ObjectIdentifier($0) })
        waiting = aside + waiting
        aside = []
        namesAside = []
        return .costly
    }

    /// New commands, behind those that wait: those that need not stand aside.
    mutating func admit(_ more: [CommandQueue.Entry]) -> Line {
        var more = more[...]
        if isIdle { return more }
        aside += take(&more)
        return more
    }

    /// All that stands aside.
    mutating func takeAll() -> Line {
        defer {
            aside = []
            namesAside = []
        }
        return aside
    }

    /// Takes out what has to stand aside.
    private mutating func take(_ line: inout Line) -> [CommandQueue.Entry] {
        guard line.contains(where: mustStandAside) else { return [] }
        var costly: [CommandQueue.Entry] = []
        var plain: [CommandQueue.Entry] = []
        for entry in line {
            if mustStandAside(entry) {
                namesAside.formUnion(entry.command.names)
                costly.append(entry)
            } else {
                plain.append(entry)
            }
        }
        line = plain[...]
        return costly
    }

    private func mustStandAside(_ entry: CommandQueue.Entry) -> Bool {
        let command = entry.command
        if !lent.isEmpty, lent.contains(ObjectIdentifier(entry)) { return true }
        if !uses.isEmpty, command.payers.contains(where: { uses[$0] != nil }) { return true }
        return !namesAside.isEmpty && command.names.contains { namesAside.contains($0) }
    }

    private mutating func forget(at now: ContinuousClock.Instant) {
        if uses.isEmpty { return }
        let bound = Double(limits.plainCost)
        uses = uses.filter { $0.value.units(at: now) > bound }
    }
}

extension Command {
    /// Who is charged for what it costs: instances, and of a start the machine, as the instance is a new one.
    fileprivate var payers: [String] {
        switch self {
        case .apply, .moveClock: []
        case .start(let start): [Self.name(ofMachine: start.machine)]
        case .retry(let retry): [retry.instance]
        case .send(let send): [send.instance]
        case .sendTogether(let sends): sends.map(\.instance)
        }
    }

    /// Whatever keeps its order with commands that name it too.
    fileprivate var names: [String] {
        switch self {
        case .apply(let apply): [Self.name(ofMachine: apply.machine.name)]
        case .moveClock: []
        case .start(let start): payers + (start.instance.map { [$0] } ?? [])
        case .retry, .send, .sendTogether: payers
        }
    }

    /// No instance has a space in its name.
    private static func name(ofMachine name: String) -> String { "machine " + name }
}
