/// The inside of a container as a graph: its children, the dot, the places on its border, and the lines between them.
///
/// `Layering` gives each node a layer, and lines that pass several layers nodes of their own. Layer 0 is the strip with
/// the container's name, through which lines from the upper border run.
struct Level {
    /// A node.
    struct Node {
        /// The content of a node.
        enum Content: Equatable {
            case child(Int)
            case dot
            /// The label of a line.
            case label
            /// A place at which a line passes a layer.
            case bend
            /// The place of a line on the upper or the lower border.
            case top, bottom
        }

        let content: Content
        let width: Int
        let height: Int
        /// The distance of the box's centre from the node's centre, to which the loop belongs.
        var shift = 0.0
        var layer = 0
        /// The centre.
        var x = 0.0

        /// True for a node that is part of a line.
        var isLine: Bool { content == .label || content == .bend }
    }

    /// A line with its nodes from top to bottom.
    struct Chain {
        let line: LevelLine
        var nodes: [Int]
        /// The place of the end on its node's border, if it is fixed: the distance from the node's centre.
        let upperPort: Double?
        let lowerPort: Double?

        var upper: Int { nodes[0] }
        var lower: Int { nodes[nodes.count - 1] }
    }

    let container: Int
    let isParallel: Bool
    private(set) var hasDot = false
    var nodes: [Node] = []
    var chains: [Chain] = []
    /// The sizes of the chains' labels; 0 without a label.
    private(set) var labels: [Scene.Frame] = []
    private var places: [Int: Int] = [:]

    init(of container: Int, _ topology: Topology, _ boxes: [Box]) {
        self.container = container
        isParallel = topology.chart.figures[container].kind == .parallel
        for child in topology.chart.figures[container].children {
            let box = boxes[child]
            places[child] = nodes.count
            nodes.append(
                Node(
                    content: .child(child), width: box.width + box.loop, height: box.height,
                    shift: -Double(box.loop) / 2))
        }
        for line in topology.lines[container] { add(line, topology, boxes) }
    }

    private mutating func add(_ line: LevelLine, _ topology: Topology, _ boxes: [Box]) {
        let label = topology.chart.arrows[line.arrow].label
        let size = line.role == .home ? Scene.Frame(x: 0, y: 0, width: label.width, height: label.height) : nil
        let upper = node(line.upper, isUpper: true)
        let lower = node(line.lower, isUpper: false)
        chains.append(
            Chain(
                line: line, nodes: [upper, lower],
                upperPort: port(of: line.arrow, line.upper, isTop: false, boxes),
                lowerPort: port(of: line.arrow, line.lower, isTop: true, boxes)))
        labels.append(size ?? Scene.Frame(x: 0, y: 0, width: 0, height: 0))
    }

    private mutating func node(_ end: LevelLine.End, isUpper: Bool) -> Int {
        switch end {
        case .child(let figure): return places[figure] ?? 0
        case .border: nodes.append(Node(content: isUpper ? .top : .bottom, width: 8, height: 0))
        case .dot:
            hasDot = true
            nodes.append(Node(content: .dot, width: 12, height: 12))
        }
        return nodes.count - 1
    }

    /// Returns the place at which an arrow passes a child's border, from the node's centre; `nil` if it ends there.
    private func port(of arrow: Int, _ end: LevelLine.End, isTop: Bool, _ boxes: [Box]) -> Double? {
        guard case .child(let figure) = end, let inside = boxes[figure].inside else { return nil }
        guard let x = isTop ? inside.top[arrow] : inside.bottom[arrow] else { return nil }
        return Double(x) - Double(boxes[figure].width + boxes[figure].loop) / 2
    }

    /// Returns the smallest distance between the centres of two neighbors in a layer.
    func distance(_ left: Int, _ right: Int) -> Double {
        let (one, other) = (nodes[left], nodes[right])
        let gap = one.content == .bend || other.content == .bend ? 14.0 : 26.0
        return Double(one.width + other.width) / 2 + gap
    }

    /// Returns the layers that a chain spans at least.
    func span(_ chain: Int) -> Int { labels[chain].width > 0 ? 2 : 1 }
}
