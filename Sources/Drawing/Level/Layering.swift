/// Gives the nodes of a level their layers, and long lines a node in each layer that they pass.
struct Layering {
    private(set) var level: Level
    /// The places of the chains that leave each node, and those that enter it.
    private var outgoing: [[Int]]
    private var incoming: [[Int]]

    /// Returns a level with layers, and with at most `most` nodes.
    static func layered(_ level: Level, atMost most: Int) throws(DrawingFailure) -> Level {
        var layering = Layering(level)
        if level.isParallel { layering.assignRegions() } else { layering.assignLongestPaths() }
        layering.sinkPorts()
        try layering.addBends(atMost: most)
        layering.removeEmptyLayers()
        return layering.level
    }

    private init(_ level: Level) {
        self.level = level
        outgoing = Array(repeating: [], count: level.nodes.count)
        incoming = outgoing
        for (place, chain) in level.chains.enumerated() where !chain.line.turns {
            outgoing[chain.upper].append(place)
            incoming[chain.lower].append(place)
        }
    }

    /// Puts all regions into one layer.
    private mutating func assignRegions() {
        let tops = level.chains.indices.filter { level.nodes[level.chains[$0].upper].content == .top }
        let layer = tops.map { level.span($0) }.max() ?? 1
        for node in level.nodes.indices where level.nodes[node].content != .top { level.nodes[node].layer = layer }
    }

    /// Puts each node as high as the nodes above it allow, and then nodes with more lines below than above down again.
    private mutating func assignLongestPaths() {
        for node in level.nodes.indices {
            switch level.nodes[node].content {
            case .top: level.nodes[node].layer = 0
            case .child: level.nodes[node].layer = level.hasDot ? 2 : 1
            default: level.nodes[node].layer = 1
            }
        }
        let order = topologicalOrder()
        for node in order {
            for chain in outgoing[node] {
                let lower = level.chains[chain].lower
                level.nodes[lower].layer = max(level.nodes[lower].layer, level.nodes[node].layer + level.span(chain))
            }
        }
        for node in order.reversed() where level.nodes[node].content != .top { pullDown(node) }
    }

    private mutating func pullDown(_ node: Int) {
        let below = outgoing[node].filter { level.nodes[level.chains[$0].lower].content != .bottom }
        let room = below.map { level.nodes[level.chains[$0].lower].layer - level.span($0) }.min()
        guard let room, below.count > incoming[node].count else { return }
        level.nodes[node].layer = max(level.nodes[node].layer, room)
    }

    /// Returns the nodes so that every line leads forward; the cycles are broken already.
    private func topologicalOrder() -> [Int] {
        var open = incoming.map(\.count)
        var order = level.nodes.indices.filter { open[$0] == 0 }
        var next = 0
        while next < order.count {
            for chain in outgoing[order[next]] {
                let lower = level.chains[chain].lower
                open[lower] -= 1
                if open[lower] == 0 { order.append(lower) }
            }
            next += 1
        }
        return order
    }

    /// Puts the places on the lower border below everything else.
    private mutating func sinkPorts() {
        let ports = level.nodes.indices.filter { level.nodes[$0].content == .bottom }
        guard !ports.isEmpty else { return }
        let others = level.nodes.indices.filter { level.nodes[$0].content != .bottom }
        var last = (others.map { level.nodes[$0].layer }.max() ?? 0) + 1
        for port in ports {
            for chain in incoming[port] {
                last = max(last, level.nodes[level.chains[chain].upper].layer + level.span(chain))
            }
        }
        for port in ports { level.nodes[port].layer = last }
    }

    private mutating func addBends(atMost most: Int) throws(DrawingFailure) {
        for place in level.chains.indices {
            let chain = level.chains[place]
            let label = level.labels[place]
            let first = level.nodes[chain.upper].layer
            let last = level.nodes[chain.lower].layer
            let layers = chain.line.turns ? first..<(first + 1) : (first + 1)..<max(last, first + 1)
            guard level.nodes.count + layers.count <= most else { throw .tooManyBends }
            let middle = last - first > 2 ? (first + last) / 2 : layers.lowerBound
            let passed = layers.map { layer in
                let isLabel = layer == middle && label.width > 0
                var node = Level.Node(
                    content: isLabel ? .label : .bend, width: isLabel ? label.width : 8,
                    height: isLabel ? label.height : 4)
                node.layer = layer
                level.nodes.append(node)
                return level.nodes.count - 1
            }
            level.chains[place].nodes = [chain.upper] + passed + [chain.lower]
        }
    }

    /// Closes gaps between the layers; layer 0 stays.
    private mutating func removeEmptyLayers() {
        let used = Set(level.nodes.map(\.layer)).union([0]).sorted()
        let places = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, $0) })
        for node in level.nodes.indices { level.nodes[node].layer = places[level.nodes[node].layer] ?? 0 }
    }
}
