/// Places the nodes of a part of a level from left to right, so that lines are straight: sweeps over the layers.
struct Placement {
    private(set) var level: Level
    private let layers: [[Int]]
    private let neighbors: Neighbors

    /// Returns the level with places for the nodes of some layers.
    static func placed(_ layers: [[Int]], _ level: Level, _ neighbors: Neighbors) -> Level {
        var placement = Placement(level: level, layers: layers, neighbors: neighbors)
        placement.run()
        return placement.level
    }

    private init(level: Level, layers: [[Int]], neighbors: Neighbors) {
        self.level = level
        self.layers = layers
        self.neighbors = neighbors
    }

    private mutating func run() {
        let size = max(1, layers.reduce(0) { $0 + $1.count })
        let sweeps = min(DrawingLimits.placementSweeps, max(4, DrawingLimits.work / 10 / size))
        for layer in layers { place(layer, wanted: layer.map { _ in 0 }, weights: layer.map { _ in 1 }) }
        for sweep in 0..<sweeps {
            let isDown = sweep % 2 == 0
            for layer in isDown ? layers : layers.reversed() {
                let sides: [[[Neighbors.Link]]] =
                    sweep > sweeps / 2
                    ? [neighbors.above, neighbors.below] : [isDown ? neighbors.above : neighbors.below]
                pull(layer, sides)
            }
        }
        for node in layers.joined() { level.nodes[node].x.round() }
    }

    /// Moves the nodes of a layer toward their neighbors.
    private mutating func pull(_ layer: [Int], _ sides: [[[Neighbors.Link]]]) {
        var wanted: [Double] = []
        var weights: [Double] = []
        for node in layer {
            var sum = 0.0
            var weight = 0.0
            for side in sides {
                for link in side[node] {
                    sum += link.weight * (level.nodes[link.node].x + link.other - link.own)
                    weight += link.weight
                }
            }
            wanted.append(weight > 0 ? sum / weight : level.nodes[node].x)
            weights.append(weight > 0 ? weight : 0.01)
        }
        place(layer, wanted: wanted, weights: weights)
    }

    private mutating func place(_ layer: [Int], wanted: [Double], weights: [Double]) {
        let gaps = zip(layer, layer.dropFirst()).map { level.distance($0, $1) }
        let places = IsotonicRegression.places(wanted: wanted, weights: weights, gaps: gaps)
        for (node, x) in zip(layer, places) { level.nodes[node].x = x }
    }
}
