/// The places at which lines meet the borders of children: those that pass a border where they do inside, the others
/// near their other end.
struct Attachments {
    /// The place of each chain's upper end.
    private(set) var upper: [Double]
    /// The place of each chain's lower end.
    private(set) var lower: [Double]

    /// One end of a chain at a border.
    private struct End {
        let chain: Int
        let wanted: Double
        let isFixed: Bool
    }

    init(_ level: Level, _ boxes: [Box]) {
        upper = level.chains.map { level.nodes[$0.upper].x }
        lower = level.chains.map { level.nodes[$0.lower].x }
        var above = Array(repeating: [End](), count: level.nodes.count)
        var below = above
        for (place, chain) in level.chains.enumerated() {
            let far = chain.nodes.map { level.nodes[$0].x + level.nodes[$0].shift }
            below[chain.upper].append(Self.end(place, chain.upperPort, level.nodes[chain.upper].x, far[1]))
            above[chain.lower].append(
                Self.end(place, chain.lowerPort, level.nodes[chain.lower].x, far[far.count - 2]))
        }
        for (place, node) in level.nodes.enumerated() {
            guard case .child(let figure) = node.content else { continue }
            for (chain, x) in Self.spread(below[place], on: node, boxes[figure]) { upper[chain] = x }
            for (chain, x) in Self.spread(above[place], on: node, boxes[figure]) { lower[chain] = x }
        }
    }

    private static func end(_ chain: Int, _ port: Double?, _ centre: Double, _ far: Double) -> End {
        End(chain: chain, wanted: port.map { centre + $0 } ?? far, isFixed: port != nil)
    }

    /// Returns the places of the ends on one border of a box.
    private static func spread(_ ends: [End], on node: Level.Node, _ box: Box) -> [(chain: Int, x: Double)] {
        guard !ends.isEmpty else { return [] }
        let centre = node.x + node.shift
        let half = max(0, Double(box.width) / 2 - Double(box.inset))
        let sorted = ends.enumerated().sorted { ($0.element.wanted, $0.offset) < ($1.element.wanted, $1.offset) }
            .map(\.element)
        let gap = min(Double(Box.spacing), 2 * half / Double(max(1, ends.count - 1)))
        let places = IsotonicRegression.places(
            wanted: sorted.map(\.wanted), weights: sorted.map { $0.isFixed ? 1e6 : 1 },
            gaps: Array(repeating: gap, count: ends.count - 1), bounds: centre - half...centre + half)
        return zip(sorted, places).map { ($0.chain, $0.isFixed ? $0.wanted.rounded() : $1.rounded()) }
    }
}
