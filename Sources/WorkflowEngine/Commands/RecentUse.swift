/// How much evaluation names have used lately: it halves every ten seconds. Bounded in names.
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

    private var uses: [String: Use] = [:]

    var isEmpty: Bool { uses.isEmpty }

    func contains(_ name: String) -> Bool { uses[name] != nil }

    /// Adds what a name has used.
    ///
    /// - Parameter bound: Names that are remembered; past it the half that used least is forgotten.
    mutating func add(_ units: Int, of name: String, at now: ContinuousClock.Instant, keeping bound: Int) {
        uses[name] = Use(units: Double(units) + (uses[name]?.units(at: now) ?? 0), at: now)
        guard uses.count > bound else { return }
        let least = uses.sorted { $0.value.units(at: now) < $1.value.units(at: now) }.prefix(uses.count / 2)
        for (name, _) in least { uses[name] = nil }
    }

    /// Forgets the names that used no more than so many units.
    mutating func forget(upTo bound: Int, at now: ContinuousClock.Instant) {
        if uses.isEmpty { return }
        uses = uses.filter { $0.value.units(at: now) > Double(bound) }
    }
}
