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
