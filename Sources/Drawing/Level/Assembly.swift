import Statechart

/// Puts the layouts of all levels together: places from the left and the top of the drawing, and whole arrows.
struct Assembly {
    private let layout: Layout
    private(set) var width = 0
    private(set) var height = 0
    private(set) var boxes: [Scene.Box] = []
    private(set) var dots: [Scene.Dot] = []
    private(set) var arrows: [Scene.Arrow] = []
    private var frames: [Scene.Frame]
    private var points: [[Scene.Point]]
    private var labels: [Scene.Frame?]

    /// The distance of the outermost box from the border of the drawing.
    static let margin = 10
    /// The width of a loop.
    static let loop = 20

    init(_ layout: Layout) {
        self.layout = layout
        let empty = Scene.Frame(x: 0, y: 0, width: 0, height: 0)
        frames = Array(repeating: empty, count: layout.chart.figures.count)
        points = Array(repeating: [], count: layout.chart.arrows.count)
        labels = Array(repeating: nil, count: layout.chart.arrows.count)
    }

    mutating func run() {
        let root = layout.boxes[0]
        frames[0] = Scene.Frame(x: Self.margin, y: Self.margin, width: root.width, height: root.height)
        width = root.width + root.loop + 2 * Self.margin
        height = root.height + 2 * Self.margin
        for place in layout.chart.figures.indices { unfold(place) }
        for (arrow, number) in layout.chart.arrows.enumerated().map({ ($1, $0) }) { add(arrow, number) }
    }

    /// Moves the inside of a figure to the figure's place; parents come before their children.
    private mutating func unfold(_ place: Int) {
        addBox(place)
        let frame = frames[place]
        for loop in layout.topology.loops[place] { addLoop(loop, at: frame) }
        guard let inside = layout.boxes[place].inside else { return }
        for (child, inner) in inside.frames { frames[child] = inner.moved(by: frame) }
        let path = layout.chart.machine[layout.chart.figures[place].state].path
        dots += inside.dots.map { Scene.Dot(path: path, center: $0.moved(by: frame)) }
        for part in inside.parts {
            let moved = part.points.map { point in
                // In a stretched region, the lower border is lower than in the region's layout.
                Scene.Point(x: point.x, y: point.y == inside.height ? frame.height : point.y).moved(by: frame)
            }
            let arrow = part.line.arrow
            points[arrow] = part.line.role == .source ? moved + points[arrow] : points[arrow] + moved
            if let label = part.labelFrame { labels[arrow] = label.moved(by: frame) }
        }
    }

    private mutating func addBox(_ place: Int) {
        let figure = layout.chart.figures[place]
        let caption = Caption(of: figure, in: layout.chart)
        let (frame, box) = (frames[place], layout.boxes[place])
        let text = figure.isContainer ? Scene.Frame(x: 12, y: 4, width: box.title - 12, height: box.head - 4) : nil
        boxes.append(
            Scene.Box(
                state: figure.state, path: layout.chart.machine[figure.state].path, name: caption.name,
                textFrame: text?.moved(by: frame) ?? frame, kind: figure.kind, frame: frame, parent: figure.parent,
                isRegion: figure.isRegion, hidden: figure.hidden, head: box.head, invocations: caption.invocations,
                references: caption.references, hiddenTransitions: figure.hiddenTransitions,
                noteFrame: caption.noteFrame(in: frame)))
    }

    /// Draws a loop at the right of a box.
    private mutating func addLoop(_ arrow: Int, at frame: Scene.Frame) {
        let middle = frame.y + frame.height / 2
        points[arrow] = [
            Scene.Point(x: frame.right, y: middle - 7), Scene.Point(x: frame.right + Self.loop - 4, y: middle - 7),
            Scene.Point(x: frame.right + Self.loop - 4, y: middle + 7), Scene.Point(x: frame.right, y: middle + 7),
        ]
        let label = layout.chart.arrows[arrow].label
        guard label.width > 0 else { return }
        labels[arrow] = Scene.Frame(
            x: frame.right + Self.loop, y: middle - label.height / 2, width: label.width, height: label.height)
    }

    private mutating func add(_ arrow: Arrow, _ number: Int) {
        let figures = layout.chart.figures
        arrows.append(
            Scene.Arrow(
                source: figures[arrow.source].state, target: figures[arrow.target].state,
                transitions: arrow.transitions, isFallback: arrow.kind == .fallback,
                points: Self.straightened(points[number]), label: arrow.label, labelFrame: labels[number]))
    }

    /// Returns the points without those in the middle of a straight line.
    private static func straightened(_ points: [Scene.Point]) -> [Scene.Point] {
        var result: [Scene.Point] = []
        for point in points where point != result.last {
            if result.count > 1 {
                let (one, two) = (result[result.count - 2], result[result.count - 1])
                let isStraight = (one.x == two.x && two.x == point.x) || (one.y == two.y && two.y == point.y)
                if isStraight { result.removeLast() }
            }
            result.append(point)
        }
        return result
    }
}

extension Scene.Point {
    fileprivate func moved(by frame: Scene.Frame) -> Scene.Point {
        Scene.Point(x: x + frame.x, y: y + frame.y)
    }
}

extension Scene.Frame {
    fileprivate func moved(by frame: Scene.Frame) -> Scene.Frame {
        Scene.Frame(x: x + frame.x, y: y + frame.y, width: width, height: height)
    }
}
