/// The parts of a level that no line joins. They are laid out apart, because together they would drift.
enum Components {
    /// Returns the layers of each part: nodes in their first order. The parts are in document order.
    static func of(_ level: Level) -> [[[Int]]] {
        var roots = Array(level.nodes.indices)
        func root(_ node: Int) -> Int {
            var root = node
            while roots[root] != root {
                roots[root] = roots[roots[root]]
                root = roots[root]
            }
            return root
        }
        for chain in level.chains {
            for node in chain.nodes.dropFirst() {
                let (one, other) = (root(chain.upper), root(node))
                roots[max(one, other)] = min(one, other)
            }
        }
        let layerCount = (level.nodes.map(\.layer).max() ?? 0) + 1
        var places: [Int: Int] = [:]
        var components: [[[Int]]] = []
        for node in order(level) {
            let key = level.isParallel ? 0 : root(node)
            let place = places[key] ?? components.count
            if place == components.count {
                places[key] = place
                components.append(Array(repeating: [], count: layerCount))
            }
            components[place][level.nodes[node].layer].append(node)
        }
        return components
    }

    /// Returns the nodes in their first order. A line that turns between regions stands beside the region it enters.
    private static func order(_ level: Level) -> [Int] {
        var before: [Int: [Int]] = [:]
        var after: [Int: [Int]] = [:]
        for chain in level.chains where chain.line.turns {
            if chain.upper < chain.lower {
                before[chain.lower, default: []].append(chain.nodes[1])
            } else {
                after[chain.lower, default: []].append(chain.nodes[1])
            }
        }
        let turns = Set(before.values.joined()).union(after.values.joined())
        return level.nodes.indices.filter { !turns.contains($0) }.flatMap { node in
            (before[node] ?? []) + [node] + (after[node] ?? [])
        }
    }
}
