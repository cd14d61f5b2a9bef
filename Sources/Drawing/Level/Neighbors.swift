/// The lines between the nodes of neighboring layers.
struct Neighbors {
    /// One end of a line, seen from the other.
    struct Link {
        let node: Int
        /// The distance of the line from the centre of the own node, and from that of the other one.
        let own: Double
        let other: Double
        /// The force with which the line straightens: large within long arrows.
        let weight: Double
    }

    /// The links of each node to the layer above.
    private(set) var above: [[Link]]
    /// The links of each node to the layer below.
    private(set) var below: [[Link]]

    init(_ level: Level) {
        above = Array(repeating: [], count: level.nodes.count)
        below = above
        for chain in level.chains where !chain.line.turns {
            for (place, (upper, lower)) in zip(chain.nodes, chain.nodes.dropFirst()).enumerated() {
                let isFirst = place == 0
                let isLast = place == chain.nodes.count - 2
                let start = (isFirst ? chain.upperPort : nil) ?? level.nodes[upper].shift
                let end = (isLast ? chain.lowerPort : nil) ?? level.nodes[lower].shift
                let lines = [upper, lower].count { level.nodes[$0].isLine }
                let weight = [1.0, 2.0, 8.0][lines]
                below[upper].append(Link(node: lower, own: start, other: end, weight: weight))
                above[lower].append(Link(node: upper, own: end, other: start, weight: weight))
            }
        }
    }
}
