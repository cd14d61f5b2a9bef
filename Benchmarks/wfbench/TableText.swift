import EngineFloor

/// The table as text: a head, then a line for each figure.
enum TableText {
    static let columns = line(
        "figure", "ours", "floor", "ratio", "goal", "spread", "", "what")

    static func line(of measurement: Measurement) -> String {
        let figure = measurement.figure
        let spreads = [measurement.oursSpread, measurement.floorSpread].compactMap { $0 }
        return line(
            figure.id, figure.unit.text(measurement.value), measurement.floor.map(figure.unit.text) ?? "-",
            measurement.ratio?.text(2) ?? "-", figure.goalText,
            spreads.map { ($0 * 100).text(0) + " %" }.joined(separator: " / "),
            measurement.isReached.map { $0 ? "ok" : "MISS" } ?? "",
            [figure.title, measurement.note].compactMap { $0 }.joined(separator: "; "))
    }

    static func line(of figure: Figure, failed error: any Error) -> String {
        line(figure.id, "failed", "-", "-", figure.goalText, "", "FAIL", "\(figure.title): \(error)")
    }

    private static func line(
        _ id: String, _ ours: String, _ floor: String, _ ratio: String, _ goal: String, _ spread: String,
        _ verdict: String, _ what: String
    ) -> String {
        [
            id.filled(26), ours.padded(13), floor.padded(13), ratio.padded(7), "  " + goal.filled(13),
            spread.padded(13), "  " + verdict.filled(4), what,
        ].joined(separator: " ")
    }
}

extension Figure {
    var goalText: String {
        switch goal {
        case nil: "-"
        case .ratioAtLeast(let bound)?: "≥ \(bound)"
        case .ratioAtMost(let bound)?: "≤ \(bound)"
        case .atLeast(let bound)?: "≥ " + unit.text(bound)
        case .ratioAndValueAtLeast(let bound, let least)?: "≥ \(bound), \(unit.text(least))"
        case .atMost(let bound)?: "≤ " + unit.text(bound)
        }
    }
}

extension Figure.Unit {
    /// Returns a value with its unit.
    func text(_ value: Double) -> String {
        switch self {
        case .perSecond: Self.grouped(value) + rawValue
        case .milliseconds: value.text(3) + " " + rawValue
        case .microseconds: value.text(1) + " " + rawValue
        case .bytes: Self.grouped(value) + " " + rawValue
        }
    }

    private static func grouped(_ value: Double) -> String {
        let digits = Array(value.text(0))
        var text = ""
        for (offset, digit) in digits.enumerated() {
            if offset > 0, (digits.count - offset) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}
