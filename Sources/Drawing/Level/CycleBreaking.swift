/// Finds the lines of a level that run against the order of the others: walks depth first in document order, from the
/// initial states; final states come last.
enum CycleBreaking {
    /// Returns the places of the lines that lead back to a state from which the walk came.
    static func reversed(_ lines: [LevelLine], in chart: Chart, container: Int) -> [Int] {
        var walk = Walk(next: steps(lines))
        let initials = lines.compactMap { line in
            if case .child(let figure) = line.lower, line.upper == .dot { figure } else { nil }
        }
        let children = chart.figures[container].children
        let finals = children.filter { chart.figures[$0].kind == .final }
        for start in initials + children.filter({ !finals.contains($0) }) + finals { walk.begin(at: start) }
        return walk.backward.sorted()
    }

    /// Returns for each child the lines that leave it, with their ends.
    private static func steps(_ lines: [LevelLine]) -> [Int: [Walk.Step]] {
        var next: [Int: [Walk.Step]] = [:]
        for (number, line) in lines.enumerated() {
            guard case .child(let source) = line.upper, case .child(let target) = line.lower else { continue }
            next[source, default: []].append(Walk.Step(line: number, target: target))
        }
        return next
    }

    /// A walk with a list instead of calls, because a chain of states may be long.
    private struct Walk {
        struct Step {
            let line: Int
            let target: Int
        }

        let next: [Int: [Step]]
        private(set) var backward: [Int] = []
        private var isOpen: [Int: Bool] = [:]

        init(next: [Int: [Step]]) { self.next = next }

        mutating func begin(at start: Int) {
            guard isOpen[start] == nil else { return }
            isOpen[start] = true
            var way = [(figure: start, tried: 0)]
            while let (figure, tried) = way.last {
                let steps = next[figure] ?? []
                guard tried < steps.count else {
                    isOpen[figure] = false
                    way.removeLast()
                    continue
                }
                way[way.count - 1].tried += 1
                let step = steps[tried]
                switch isOpen[step.target] {
                case true?: backward.append(step.line)
                case false?: break
                case nil:
                    isOpen[step.target] = true
                    way.append((step.target, 0))
                }
            }
        }
    }
}
