/// Lays out a chart from the inside out.
struct Layout {
    let chart: Chart
    let topology: Topology
    /// The boxes of the figures.
    private(set) var boxes: [Box]

    init(_ chart: Chart) {
        self.chart = chart
        topology = Topology(chart)
        boxes = Array(repeating: Box(width: 0, height: 0), count: chart.figures.count)
    }

    /// Gives every figure its size; children follow their parents in the list.
    mutating func run() throws(DrawingFailure) {
        for figure in chart.figures.indices.reversed() {
            if chart.figures[figure].kind == .parallel { stretchRegions(of: figure) }
            boxes[figure] = chart.figures[figure].isContainer ? try container(figure) : leaf(figure)
            addLoop(to: figure)
        }
    }

    private func leaf(_ place: Int) -> Box {
        let figure = chart.figures[place]
        let caption = Caption(of: figure, in: chart)
        if figure.kind == .history || figure.kind == .deepHistory {
            let text = TextMetrics.width(of: caption.name, .label)
            let width = max(26, text > 18 ? text + 20 : 0, least(place, inset: 13))
            return Box(width: width, height: 26, inset: 13)
        }
        let width = max(60, TextMetrics.width(of: caption.name, .name) + 28, caption.width + 24)
        return Box(width: max(width, least(place, inset: 12)), height: 34 + caption.height)
    }

    private func container(_ place: Int) throws(DrawingFailure) -> Box {
        let caption = Caption(of: chart.figures[place], in: chart)
        let title = 12 + max(caption.title, caption.width)
        var box = Box(width: max(title + 12, least(place, inset: 12)), height: 0)
        box.head = 26 + caption.height
        box.title = title
        let inside = try ContainerLayout.layout(of: place, topology, boxes, box: box)
        box.width = inside.width
        box.height = inside.height
        box.inside = inside
        return box
    }

    /// Returns the smallest width at which all arrows that end at a border have their places.
    private func least(_ place: Int, inset: Int) -> Int {
        let count = max(topology.ends[place].top, topology.ends[place].bottom)
        return 2 * inset + max(0, count - 1) * Box.spacing
    }

    /// Adds the room of the loop, in which its label stands.
    private mutating func addLoop(to place: Int) {
        guard let arrow = topology.loops[place].first else { return }
        let label = chart.arrows[arrow].label
        boxes[place].loop = Assembly.loop + label.width + 6
        boxes[place].height = max(boxes[place].height, label.height, 24)
    }

    /// Makes all regions as high as the highest.
    private mutating func stretchRegions(of place: Int) {
        let regions = chart.figures[place].children.filter { chart.figures[$0].isContainer }
        let height = regions.map { boxes[$0].height }.max() ?? 0
        for region in regions { boxes[region].height = height }
    }
}
