import Statechart

/// The texts in a figure.
struct Caption {
    /// The width of the sign before a line.
    static let sign = 14

    let name: String
    /// The invocations, by id and kind.
    let invocations: [String]
    /// The number of states that are not drawn.
    private let hidden: Int

    init(of figure: Figure, in machine: Machine) {
        let state = machine[figure.state]
        let isHistory = figure.kind == .history || figure.kind == .deepHistory
        name = ShownText.line(
            isHistory ? machine.historyName(of: figure.state) : machine.key(of: figure.state), DrawingLimits.name)
        var invocations = state.invocations.prefix(DrawingLimits.lines).map {
            ShownText.line("\($0.id) (\($0.action.kind))", DrawingLimits.name)
        }
        let more = state.invocations.count - invocations.count
        if more > 0 { invocations.append("and \(more) more") }
        self.invocations = invocations
        hidden = figure.hidden
    }

    /// Returns the line in a folded box: `12 states`, `12 states, 1 active`.
    static func count(hidden: Int, active: Int) -> String {
        let states = "\(hidden) \(hidden == 1 ? "state" : "states")"
        return active == 0 ? states : states + ", \(active) active"
    }

    /// The width of the lines below the name; 0 if there are none.
    var width: Int {
        let lines = invocations + (hidden > 0 ? [Self.count(hidden: hidden, active: hidden)] : [])
        return lines.map { TextMetrics.width(of: $0, .label) + Self.sign }.max() ?? 0
    }

    /// The height of the lines below the name.
    var height: Int { (invocations.count + (hidden > 0 ? 1 : 0)) * TextMetrics.line }
}
