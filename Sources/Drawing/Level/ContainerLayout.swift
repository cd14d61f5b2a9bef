/// Lays out the inside of a container: layers, order, places, lines, and the size that all of it takes.
struct ContainerLayout {
    private let level: Level
    private let routing: Routing
    private let box: Box
    private let boxes: [Box]
    /// The distance of the level's zero from the box's left border.
    private var left = 0

    /// - Parameter box: The container's box with its head and the smallest width.
    static func layout(of container: Int, _ topology: Topology, _ boxes: [Box], box: Box) throws(DrawingFailure)
        -> LevelLayout
    {
        let most = topology.chart.refersToCommonTargets ? DrawingLimits.nodes : DrawingLimits.nodesWithAllArrows
        let level = try Layering.layered(Level(of: container, topology, boxes), atMost: most)
        return ContainerLayout(placed(level, boxes), boxes, box).finished()
    }

    /// Orders and places each part of a level, and sets the parts side by side.
    private static func placed(_ level: Level, _ boxes: [Box]) -> Level {
        var level = level
        let neighbors = Neighbors(level)
        var right = 0.0
        for component in Components.of(level) {
            let layers = Ordering.ordered(component, level, neighbors)
            level = Placement.placed(layers, level, neighbors)
            level = Straightening.straightened(layers, level, boxes)
            let nodes = component.joined()
            let start = nodes.map { level.nodes[$0].x - Double(level.nodes[$0].width / 2) }.min() ?? 0
            for node in nodes { level.nodes[node].x += right - start }
            right = (nodes.map { level.nodes[$0].x + Double(level.nodes[$0].width / 2) }.max() ?? 0) + 26
        }
        return level
    }

    private init(_ level: Level, _ boxes: [Box], _ box: Box) {
        self.level = level
        self.boxes = boxes
        self.box = box
        routing = Routing(level, boxes, head: box.head)
    }

    private func finished() -> LevelLayout {
        var layout = self
        let right = level.nodes.map { Int($0.x) + $0.width / 2 }.max() ?? 0
        // Arrows that pass the upper border keep clear of the name.
        let port = level.nodes.filter { $0.content == .top }.map { Int($0.x) }.min() ?? box.title + 8
        let padding = max(Box.padding, box.title + 8 - port)
        let content = padding + right + Box.padding
        let width = (max(content, box.width) + 1) / 2 * 2
        layout.left = padding + (width - content) / 2
        let hasPorts = level.nodes.contains { $0.content == .bottom }
        let height = routing.height + (hasPorts ? 0 : Box.padding)
        return layout.result(width: width, height: height)
    }

    private func result(width: Int, height: Int) -> LevelLayout {
        var result = LevelLayout(width: width, height: height)
        for node in level.nodes {
            let top = routing.top(of: node)
            switch node.content {
            case .child(let figure):
                let x = left + Int(node.x) - node.width / 2
                result.frames[figure] = Scene.Frame(
                    x: x, y: top, width: boxes[figure].width, height: boxes[figure].height)
            case .dot: result.dots.append(Scene.Point(x: left + Int(node.x), y: top + node.height / 2))
            case .label, .bend, .top, .bottom: break
            }
        }
        addParts(to: &result)
        return result
    }

    private func addParts(to result: inout LevelLayout) {
        for (chain, corners) in zip(level.chains, routing.corners()) {
            let points = corners.map { Scene.Point(x: left + $0.x, y: $0.y) }
            if chain.line.upper == .border, chain.line.role != .home { result.top[chain.line.arrow] = points[0].x }
            if chain.line.lower == .border, chain.line.role != .home {
                result.bottom[chain.line.arrow] = points[points.count - 1].x
            }
            result.parts.append(
                LevelLayout.Part(
                    line: chain.line, points: chain.line.isReversed ? points.reversed() : points,
                    labelFrame: frame(ofLabelIn: chain)))
        }
    }

    private func frame(ofLabelIn chain: Level.Chain) -> Scene.Frame? {
        guard let node = chain.nodes.map({ level.nodes[$0] }).first(where: { $0.content == .label }) else { return nil }
        let x = left + Int(node.x) - node.width / 2
        return Scene.Frame(x: x, y: routing.top(of: node), width: node.width, height: node.height)
    }
}
