/// Orders the nodes of layers so that few lines cross: sweeps down and up, each node at the mean of its neighbors.
struct Ordering {
    private(set) var layers: [[Int]]
    private let level: Level
    private let neighbors: Neighbors
    /// The layer whose order is given.
    private let fixed: Int?
    /// The place of each node in its layer.
    private var positions: [Double]

    /// Returns the layers in a better order.
    static func ordered(_ layers: [[Int]], _ level: Level, _ neighbors: Neighbors) -> [[Int]] {
        var ordering = Ordering(layers: layers, level: level, neighbors: neighbors)
        ordering.improve()
        return ordering.layers
    }

    private init(layers: [[Int]], level: Level, neighbors: Neighbors) {
        self.layers = layers
        self.level = level
        self.neighbors = neighbors
        // A level's children are its first nodes.
        fixed = level.isParallel ? level.nodes.first?.layer : nil
        positions = Array(repeating: 0, count: level.nodes.count)
        for layer in layers { number(layer) }
    }

    private mutating func number(_ layer: [Int]) {
        for (place, node) in layer.enumerated() { positions[node] = Double(place) }
    }

    private mutating func improve() {
        let size = max(1, layers.reduce(0) { $0 + $1.count })
        let sweeps = min(DrawingLimits.orderingSweeps, max(2, DrawingLimits.work / 10 / size))
        var best = layers
        var fewest = crossings()
        for number in 0..<sweeps where fewest > 0 {
            sweep(isDown: number % 2 == 0)
            if size < 5_000 { exchangeNeighbors() }
            let count = crossings()
            if count < fewest { (best, fewest) = (layers, count) }
        }
        layers = best
    }

    private mutating func sweep(isDown: Bool) {
        let order = isDown ? Array(layers.indices.dropFirst()) : layers.indices.dropLast().reversed()
        for place in order where place != fixed {
            let keys = layers[place].map { node in
                mean(isDown ? neighbors.above[node] : neighbors.below[node], otherwise: node, in: place)
            }
            let sorted = zip(layers[place], keys).enumerated()
                .sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
            layers[place] = sorted.map(\.element.0)
            number(layers[place])
        }
    }

    /// Returns the mean place of a node's neighbors, from 0 to 1 in their layers.
    private func mean(_ links: [Neighbors.Link], otherwise node: Int, in place: Int) -> Double {
        guard !links.isEmpty else { return positions[node] / Double(max(1, layers[place].count - 1)) }
        let sum = links.reduce(0.0) { sum, link in
            let count = layers[level.nodes[link.node].layer].count
            return sum + (positions[link.node] + fraction(link.other, of: link.node)) / Double(max(1, count - 1))
        }
        // Rounding makes equal means equal, so that the order decides.
        return (sum / Double(links.count) * 1e6).rounded()
    }

    /// Returns the place of a line on a node's border, less than half to each side.
    private func fraction(_ offset: Double, of node: Int) -> Double {
        max(-0.45, min(0.45, offset / Double(max(1, level.nodes[node].width))))
    }

    // MARK: Crossings

    private func crossings() -> Int {
        layers.indices.dropLast().reduce(0) { $0 + crossings(below: $1) }
    }

    private func crossings(below place: Int) -> Int {
        var ends: [(Double, Double)] = []
        for node in layers[place] {
            for link in neighbors.below[node] {
                ends.append(
                    (
                        positions[node] + fraction(link.own, of: node),
                        positions[link.node] + fraction(link.other, of: link.node)
                    ))
            }
        }
        ends.sort { $0 < $1 }
        return Inversions.count(ends.map(\.1))
    }

    /// Exchanges neighbors in a layer as long as that saves crossings.
    private mutating func exchangeNeighbors() {
        for place in layers.indices where place != fixed {
            var hasChanged = true
            var rounds = 0
            while hasChanged, rounds < 4 {
                hasChanged = false
                rounds += 1
                for left in layers[place].indices.dropLast() where saves(left, in: place) {
                    layers[place].swapAt(left, left + 1)
                    positions[layers[place][left]] = Double(left)
                    positions[layers[place][left + 1]] = Double(left + 1)
                    hasChanged = true
                }
            }
        }
    }

    /// Returns true if fewer lines cross after an exchange of a node and its right neighbor.
    private func saves(_ left: Int, in place: Int) -> Bool {
        let one = layers[place][left]
        let other = layers[place][left + 1]
        var balance = 0
        for links in [neighbors.above, neighbors.below] {
            let ones = links[one].map { positions[$0.node] + fraction($0.other, of: $0.node) }
            let others = links[other].map { positions[$0.node] + fraction($0.other, of: $0.node) }
            for end in ones {
                for far in others { balance += end > far ? 1 : end < far ? -1 : 0 }
            }
        }
        return balance > 0
    }
}
