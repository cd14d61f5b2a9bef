/// Leads the lines of a level: straight down through the layers, and across only in the gaps between them. So no line
/// meets a box or a label that is not its own.
struct Routing {
    private let level: Level
    private let attachments: Attachments
    /// The horizontals in the gap below each layer, with their tracks.
    private var legs: [[Leg]]
    private var tracks: [[Int]] = []
    /// The upper end of each layer, and its height.
    private var tops: [Int] = []
    private var heights: [Int]
    private var hasLines: [Bool]

    /// The height from the upper layer to the first track, between tracks, and from the last one to the lower layer.
    private static let (above, between, below) = (10, 8, 14)

    init(_ level: Level, _ boxes: [Box], head: Int) {
        self.level = level
        attachments = Attachments(level, boxes)
        let count = (level.nodes.map(\.layer).max() ?? 0) + 1
        legs = Array(repeating: [], count: count)
        hasLines = Array(repeating: false, count: count)
        heights = Array(repeating: 0, count: count)
        for node in level.nodes { heights[node.layer] = max(heights[node.layer], node.height) }
        heights[0] = head
        for chain in level.chains.indices { addLegs(of: chain) }
        tracks = legs.map(Tracks.of)
        stack()
    }

    /// The lower end of the last layer, and of the lines that turn below it.
    var height: Int {
        let last = heights.count - 1
        return tops[last] + heights[last] + (legs[last].isEmpty ? 0 : gap(below: last))
    }

    /// The places of a chain's nodes, the ends at their borders.
    private func places(of chain: Int) -> [Double] {
        let inner = level.chains[chain].nodes.dropFirst().dropLast().map { level.nodes[$0].x }
        return [attachments.upper[chain]] + inner + [attachments.lower[chain]]
    }

    private mutating func addLegs(of place: Int) {
        let chain = level.chains[place]
        let xs = places(of: place)
        let layer = level.nodes[chain.upper].layer
        if chain.line.turns {
            add(Leg(chain: place, ends: [.init(x: xs[0], isUp: true), .init(x: xs[1], isUp: true)]), below: layer)
            add(
                Leg(chain: place, ends: [.init(x: xs[1], isUp: false), .init(x: xs[2], isUp: false)]),
                below: layer - 1)
            return
        }
        for (offset, (upper, lower)) in zip(xs, xs.dropFirst()).enumerated() {
            hasLines[layer + offset] = true
            guard upper != lower else { continue }
            let ends: [Leg.End] = [.init(x: upper, isUp: true), .init(x: lower, isUp: false)]
            add(Leg(chain: place, ends: ends), below: layer + offset)
        }
    }

    private mutating func add(_ leg: Leg, below layer: Int) {
        hasLines[layer] = true
        legs[layer].append(leg)
    }

    /// Stacks the layers and the gaps, which are as high as their tracks.
    private mutating func stack() {
        var y = 0
        for layer in heights.indices {
            tops.append(y)
            y += heights[layer] + gap(below: layer)
        }
    }

    private func gap(below layer: Int) -> Int {
        guard let last = tracks[layer].max() else { return hasLines[layer] ? 22 : 12 }
        return Self.above + Self.between * last + Self.below
    }

    /// Returns the upper end of a node. Labels and bends are in the middle of their layer, the dot is at its lower end.
    func top(of node: Level.Node) -> Int {
        let room = heights[node.layer] - node.height
        return switch node.content {
        case .child, .top, .bottom: tops[node.layer]
        case .label, .bend: tops[node.layer] + room / 2
        case .dot: tops[node.layer] + room
        }
    }

    /// Returns the corners of all chains, from top to bottom.
    func corners() -> [[Scene.Point]] {
        var crossings: [[Int: Int]] = Array(repeating: [:], count: level.chains.count)
        for (layer, (legs, tracks)) in zip(legs, tracks).enumerated() {
            for (leg, track) in zip(legs, tracks) {
                crossings[leg.chain][layer] = tops[layer] + heights[layer] + Self.above + Self.between * track
            }
        }
        return level.chains.indices.map { corners(of: $0, crossings[$0]) }
    }

    /// - Parameter crossings: The heights of the chain's horizontals, by layer.
    private func corners(of place: Int, _ crossings: [Int: Int]) -> [Scene.Point] {
        let chain = level.chains[place]
        let xs = places(of: place).map { Int($0) }
        let upper = level.nodes[chain.upper]
        let start = upper.content == .top ? 0 : top(of: upper) + upper.height
        var points = [Scene.Point(x: xs[0], y: start)]
        for (offset, (one, other)) in zip(xs, xs.dropFirst()).enumerated() {
            let layer = chain.line.turns ? upper.layer - offset : upper.layer + offset
            guard let y = crossings[layer] else { continue }
            points += [Scene.Point(x: one, y: y), Scene.Point(x: other, y: y)]
        }
        points.append(Scene.Point(x: xs[xs.count - 1], y: top(of: level.nodes[chain.lower])))
        return points
    }
}
