import Statechart

/// The texts in a figure.
struct Caption {
    /// The width of the sign before a line.
    static let sign = 14

    let name: String
    /// The invocations, by id and kind.
    let invocations: [String]
    /// The transitions that have no arrow.
    let references: [Scene.Reference]
    /// The room for a number behind each of these.
    private let countRoom: Int
    /// The number of states that are not drawn.
    private let hidden: Int
    /// True if the figure has room for a note: behind the name of a container, else on a line of its own.
    let hasNote: Bool
    private let isContainer: Bool

    init(of figure: Figure, in chart: Chart) {
        let machine = chart.machine
        let state = machine[figure.state]
        let isHistory = figure.kind == .history || figure.kind == .deepHistory
        name = ShownText.line(
            isHistory ? machine.historyName(of: figure.state) : machine.key(of: figure.state), DrawingLimits.name)
        let invocations = state.invocations.prefix(DrawingLimits.lines).map {
            ShownText.line("\($0.id) (\($0.action.kind))", DrawingLimits.name)
        }
        self.invocations = invocations + Self.more(state.invocations)
        let others = figure.references.dropFirst(DrawingLimits.lines).flatMap(\.transitions)
        references =
            figure.references.prefix(DrawingLimits.lines)
            + Self.more(figure.references).map { Scene.Reference(text: $0, transitions: others) }
        countRoom = chart.options.hasCounts ? Self.sign + ArrowLabel.countRoom : 0
        hidden = figure.hidden
        isContainer = figure.isContainer
        hasNote = chart.options.hasNotes && figure.parent != nil && !isHistory
    }

    /// Returns the line with the number of items for which a box has no room; no line if all have room.
    private static func more<Item>(_ items: [Item]) -> [String] {
        let more = items.count - DrawingLimits.lines
        return more > 0 ? ["and \(more) more"] : []
    }

    /// Returns the line in a folded box: `12 states`, `12 states, 1 active`.
    static func count(hidden: Int, active: Int) -> String {
        let states = "\(hidden) \(hidden == 1 ? "state" : "states")"
        return active == 0 ? states : states + ", \(active) active"
    }

    /// The width of the lines below the name; 0 if there are none.
    var width: Int {
        let lines = invocations + (hidden > 0 ? [Self.count(hidden: hidden, active: hidden)] : [])
        let widths =
            lines.map { TextMetrics.width(of: $0, .label) }
            + references.map { TextMetrics.width(of: $0.text, .label) + countRoom }
        return max(widths.max().map { $0 + Self.sign } ?? 0, hasNote ? SceneNote.width : 0)
    }

    /// The width of the name in a container's strip, with the note.
    var title: Int { TextMetrics.width(of: name, .title) + (hasNote ? Self.sign + SceneNote.width : 0) }

    /// The height of the lines below the name.
    var height: Int {
        let lines = invocations.count + references.count + (hidden > 0 ? 1 : 0)
        return lines * TextMetrics.line + (hasNote && !isContainer ? SceneNote.line : 0)
    }

    /// The frame of the note in a box; `nil` without a note.
    func noteFrame(in frame: Scene.Frame) -> Scene.Frame? {
        guard hasNote else { return nil }
        let place =
            isContainer
            ? Scene.Point(x: frame.x + 12 + title - SceneNote.width, y: frame.y + 6)
            : Scene.Point(
                x: frame.x + (frame.width - SceneNote.width) / 2,
                y: frame.y + (frame.height + height) / 2 + 10 - SceneNote.line)
        return Scene.Frame(x: place.x, y: place.y, width: SceneNote.width, height: SceneNote.height)
    }
}
