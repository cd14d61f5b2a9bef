/// Durations as a person reads them at a glance.
package enum RoughDuration {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
    ]

    /// Returns the two largest units, of seconds and more: `2d 7h`, `12s`, `0s`.
    package static func text(milliseconds: Int64) -> String {
        var rest = milliseconds
        var parts: [String] = []
        for unit in units where parts.count < 2 {
            let count = rest / unit.milliseconds
            rest %= unit.milliseconds
            if count > 0 { parts.append("\(count)\(unit.name)") } else if !parts.isEmpty { break }
        }
        return parts.isEmpty ? "0s" : parts.joined(separator: " ")
    }
}
