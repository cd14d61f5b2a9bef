/// Straightens long lines after `Placement`, which spreads a detour over many layers: as many nodes of a line as
/// possible get one common place, as far as their neighbors in the layers leave room.
struct Straightening {
    private(set) var level: Level
    /// The neighbors of each node in its layer.
    private var left: [Int?]
    private var right: [Int?]
    private let boxes: [Box]

    /// Returns a level with straighter lines.
    static func straightened(_ layers: [[Int]], _ level: Level, _ boxes: [Box]) -> Level {
        var straightening = Straightening(layers: layers, level: level, boxes: boxes)
        let own = Set(layers.joined())
        let chains = level.chains.filter { $0.nodes.count > 2 && !$0.line.turns && own.contains($0.upper) }
        for chain in chains.sorted(by: { $0.nodes.count > $1.nodes.count }) { straightening.straighten(chain) }
        return straightening.level
    }

    private init(layers: [[Int]], level: Level, boxes: [Box]) {
        self.level = level
        self.boxes = boxes
        left = Array(repeating: nil, count: level.nodes.count)
        right = left
        for layer in layers {
            for (one, other) in zip(layer, layer.dropFirst()) {
                right[one] = other
                left[other] = one
            }
        }
    }

    /// Splits a line into the fewest parts that can be straight.
    private mutating func straighten(_ chain: Level.Chain) {
        let ranges = chain.nodes.indices.map { range(of: $0, in: chain) }
        var start = 0
        while start < ranges.count {
            var common = ranges[start]
            var end = start + 1
            while end < ranges.count, common.overlaps(ranges[end]) {
                common = common.clamped(to: ranges[end])
                end += 1
            }
            let inner = (start..<end).filter { isMovable(chain.nodes[$0]) }
            let mean = inner.reduce(0.0) { $0 + level.nodes[chain.nodes[$1]].x } / Double(max(1, inner.count))
            let place = min(max(mean.rounded(), common.lowerBound), common.upperBound)
            for number in inner { level.nodes[chain.nodes[number]].x = place }
            start = end
        }
    }

    private func isMovable(_ node: Int) -> Bool {
        switch level.nodes[node].content {
        case .bend, .label, .top, .bottom: true
        case .child, .dot: false
        }
    }

    /// Returns the places that a line may have at one of its nodes.
    private func range(of number: Int, in chain: Level.Chain) -> ClosedRange<Double> {
        let place = chain.nodes[number]
        let node = level.nodes[place]
        if case .child(let figure) = node.content {
            let box = boxes[figure]
            if let port = number == 0 ? chain.upperPort : chain.lowerPort { return node.x + port...node.x + port }
            let half = max(0, Double(box.width) / 2 - Double(box.inset)).rounded(.down)
            return node.x + node.shift - half...node.x + node.shift + half
        }
        guard isMovable(place) else { return node.x...node.x }
        let lower = left[place].map { level.nodes[$0].x + level.distance($0, place).rounded(.up) }
        let upper = right[place].map { level.nodes[$0].x - level.distance(place, $0).rounded(.up) }
        // Rounding may have taken a pixel of the distance.
        return min(lower ?? -1e9, node.x)...max(upper ?? 1e9, node.x)
    }
}
