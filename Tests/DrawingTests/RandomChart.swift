import DaemonTesting

/// Writes random definitions with everything that a drawing shows.
struct RandomChart {
    var random: SeededRandom
    /// The most states.
    let most: Int
    /// True for machines as people write them: most transitions lead to a neighbor, few from region to region.
    let isCalm: Bool

    private struct Node {
        let number: Int
        let parent: Int?
        let level: Int
        var kind = Kind.atomic
        var children: [Int] = []
    }

    private enum Kind { case atomic, compound, parallel, final, history }

    private var nodes: [Node] = []
    /// The share of transitions: dense machines have many.
    private var density = 0

    init(random: SeededRandom, most: Int, isCalm: Bool = false) {
        self.random = random
        self.most = most
        self.isCalm = isCalm
    }

    /// Returns a definition in YAML.
    mutating func text() -> String {
        density = isCalm ? 1 : Int.random(in: 0...3, using: &random)
        nodes = [Node(number: 0, parent: nil, level: 0, kind: chance(15) ? .parallel : .compound)]
        for _ in 0..<Int.random(in: 1...most, using: &random) { addNode() }
        finish()
        return "{id: m, \(content(of: 0)), context: {n: 1}}"
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func addNode() {
        let open = nodes.filter { ($0.kind == .compound || $0.kind == .parallel) && $0.level < 6 }
        guard let parent = open.randomElement(using: &random) else { return }
        var node = Node(number: nodes.count, parent: parent.number, level: parent.level + 1)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<20: node.kind = .compound
        case ..<30: node.kind = .parallel
        case ..<38 where parent.kind == .compound: node.kind = .final
        case ..<45: node.kind = .history
        default: break
        }
        nodes[parent.number].children.append(node.number)
        nodes.append(node)
    }

    /// Gives every compound and parallel state an active child.
    private mutating func finish() {
        for place in nodes.indices where nodes[place].kind == .compound || nodes[place].kind == .parallel {
            guard !nodes[place].children.contains(where: { nodes[$0].kind != .history }) else { continue }
            nodes[place].children.append(nodes.count)
            nodes.append(Node(number: nodes.count, parent: place, level: nodes[place].level + 1))
        }
    }

    private mutating func content(of place: Int) -> String {
        let node = nodes[place]
        var parts = place == 0 ? [] : ["id: i\(place)"]
        switch node.kind {
        case .final: return (parts + ["type: final"]).joined(separator: ", ")
        case .history:
            let target = nodes[node.parent ?? 0].children.first { nodes[$0].kind != .history }
            parts += ["type: history", "history: \(chance(50) ? "deep" : "shallow")"]
            if chance(50), let target { parts.append("target: '#i\(target)'") }
            return parts.joined(separator: ", ")
        case .parallel: parts.append("type: parallel")
        case .compound:
            let initial = node.children.filter { nodes[$0].kind != .history }.randomElement(using: &random) ?? 0
            parts.append("initial: s\(initial)")
        case .atomic: break
        }
        parts += behavior(of: place)
        if !node.children.isEmpty {
            let children = node.children.map { "s\($0): {\(content(of: $0))}" }
            parts.append("states: {\(children.joined(separator: ", "))}")
        }
        return parts.joined(separator: ", ")
    }

    private mutating func behavior(of place: Int) -> [String] {
        var parts: [String] = []
        let events = (0..<Int.random(in: 0...density + 1, using: &random)).map { number in
            "\(["go", "a.long.name.of.an.event", "x"][number % 3])\(number): \(transition(from: place))"
        }
        if !events.isEmpty { parts.append("on: {\(events.joined(separator: ", "))}") }
        if chance(15) { parts.append("after: {2d: \(transition(from: place))}") }
        if chance(10) { parts.append("invoke: {id: v\(place), task: {queue: q}}") }
        return parts
    }

    private mutating func transition(from place: Int) -> String {
        let target = "'#\(target(from: place))'"
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return "{actions: {assign: {n: 2}}}"
        case 1...3: return "{target: \(target), guard: 'context.n > 1 && \"<\\u202e&\" != \"\"'}"
        case 4:
            return
                "[{target: \(target), guard: context.n > 1}, {target: '#\(self.target(from: place))', reenter: true}]"
        default: return target
        }
    }

    private mutating func target(from source: Int) -> String {
        let place = isCalm && chance(85) ? neighbor(of: source) : Int.random(in: 0..<nodes.count, using: &random)
        return place == 0 ? "m" : "i\(place)"
    }

    /// Returns a state beside a state, or beside the parallel state to which it belongs.
    private mutating func neighbor(of place: Int) -> Int {
        var place = place
        while let parent = nodes[place].parent {
            if nodes[parent].kind != .parallel { return nodes[parent].children.randomElement(using: &random) ?? place }
            place = parent
        }
        return place
    }
}
