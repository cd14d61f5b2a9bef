import Statechart

/// The lines beside an arrow, and the whole text of its transitions.
package struct ArrowLabel: Sendable, Equatable {
    /// One line.
    package struct Line: Sendable, Equatable {
        /// True if a clock stands before the text, which is then a delay.
        package var hasClock = false
        package let text: String

        /// The width in pixels.
        var width: Int { TextMetrics.width(of: text, .label) + (hasClock ? Self.clock : 0) }
        /// The width of the clock and the space behind it.
        static let clock = 14
    }

    package private(set) var lines: [Line] = []
    /// The whole texts, one for each transition.
    package private(set) var titles: [String] = []
    private var count = 0
    /// True if the label has room for a number below its lines.
    private(set) var hasCount = false
    /// The width of the widest number.
    static let countRoom = TextMetrics.width(of: "9999×", .label)

    /// Adds the label of a transition.
    mutating func add(_ transition: Transition, of machine: Machine) {
        let label = TransitionLabel(of: transition, in: machine)
        let limit = DrawingLimits.guardText
        let text = ShownText.line(Self.beginning(of: label), DrawingLimits.name)
        let condition = label.condition.map { "[\(ShownText.line($0, limit))]" } ?? ""
        let line = [text, condition].filter { !$0.isEmpty }.joined(separator: " ")
        var isDelay = false
        if case .delay = label.trigger { isDelay = true }
        let whole = label.text(guard: .max)
        add(
            Line(hasClock: isDelay, text: line), title: (whole.isEmpty ? "always" : whole) + ", line \(transition.line)"
        )
    }

    /// Adds a line of text.
    mutating func add(text: String) {
        guard !text.isEmpty else { return }
        add(Line(text: ShownText.line(text, DrawingLimits.name)), title: text)
    }

    private mutating func add(_ line: Line, title: String) {
        count += 1
        guard count <= DrawingLimits.lines else { return }
        lines.append(line)
        titles.append(ShownText.line(title, DrawingLimits.tooltip))
    }

    private static func beginning(of label: TransitionLabel) -> String {
        if case .delay(let delay) = label.trigger { return delay }
        return label.event
    }

    /// Returns the label with its last touches: an empty line beside others says `always`; a single empty line goes.
    func finished(hasCount: Bool) -> ArrowLabel {
        var label = self
        label.hasCount = hasCount
        if count == 1, lines[0].text.isEmpty {
            label.lines = []
            return label
        }
        label.lines = lines.map { $0.text.isEmpty ? Line(text: "always") : $0 }
        if count > DrawingLimits.lines {
            label.lines.append(Line(text: "and \(count - DrawingLimits.lines) more"))
            label.titles.append("and \(count - DrawingLimits.lines) more")
        }
        return label
    }

    private var isEmpty: Bool { lines.isEmpty && !hasCount }
    /// The width of the label with a margin on both sides; 0 without lines.
    var width: Int { isEmpty ? 0 : max(lines.map(\.width).max() ?? 0, hasCount ? Self.countRoom : 0) + 12 }
    /// The height of the label; 0 without lines.
    var height: Int { isEmpty ? 0 : (lines.count + (hasCount ? 1 : 0)) * TextMetrics.line + 6 }
}
