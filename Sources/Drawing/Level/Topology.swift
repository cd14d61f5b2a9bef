/// The ways of all arrows, without places: which levels they pass, and on which side of each border.
///
/// An arrow belongs to the container that is the least common ancestor of its ends. There cycles are broken, and the
/// direction decides the sides: a line that runs down leaves its source below and enters its target from above, and one
/// that is reversed the other way round. Inside all borders that the arrow passes, the side is the same.
struct Topology {
    /// The numbers of arrows that end at a figure's own border.
    struct Ends {
        var top = 0
        var bottom = 0
    }

    let chart: Chart
    /// The lines of each container.
    private(set) var lines: [[LevelLine]]
    /// The arrows from each figure to itself.
    private(set) var loops: [[Int]]
    private(set) var ends: [Ends]

    init(_ chart: Chart) {
        self.chart = chart
        lines = Array(repeating: [], count: chart.figures.count)
        loops = Array(repeating: [], count: chart.figures.count)
        ends = Array(repeating: Ends(), count: chart.figures.count)
        addHomes()
        breakCycles()
        for place in chart.figures.indices { addPassages(from: lines[place].filter { $0.role == .home }) }
    }

    /// Adds each arrow to the level of its least common ancestor.
    private mutating func addHomes() {
        for (number, arrow) in chart.arrows.enumerated() {
            if arrow.isLoop {
                loops[arrow.source].append(number)
            } else if arrow.kind == .initial {
                add(LevelLine(arrow: number, upper: .dot, lower: .child(arrow.target)), to: arrow.source)
            } else if chart.isAround(arrow.source, arrow.target) {
                let child = child(of: arrow.source, toward: arrow.target)
                add(LevelLine(arrow: number, upper: .border, lower: .child(child)), to: arrow.source)
            } else if chart.isAround(arrow.target, arrow.source) {
                let child = child(of: arrow.target, toward: arrow.source)
                add(LevelLine(arrow: number, upper: .child(child), lower: .border), to: arrow.target)
            } else {
                addBetweenChildren(number, arrow)
            }
        }
    }

    private mutating func addBetweenChildren(_ number: Int, _ arrow: Arrow) {
        let around = Set(chart.ancestors(of: arrow.target))
        let home = chart.ancestors(of: arrow.source).first { around.contains($0) } ?? 0
        var line = LevelLine(
            arrow: number, upper: .child(child(of: home, toward: arrow.source)),
            lower: .child(child(of: home, toward: arrow.target)))
        line.turns = chart.figures[home].kind == .parallel
        add(line, to: home)
    }

    private mutating func add(_ line: LevelLine, to container: Int) { lines[container].append(line) }

    /// Returns the child of a container that is a figure or lies around it.
    private func child(of container: Int, toward figure: Int) -> Int {
        var child = figure
        while let parent = chart.figures[child].parent, parent != container { child = parent }
        return child
    }

    private mutating func breakCycles() {
        for (place, figure) in chart.figures.enumerated() where figure.kind == .compound {
            let reversed = CycleBreaking.reversed(lines[place], in: chart, container: place)
            for number in reversed { lines[place][number].reverse() }
        }
    }

    /// Adds the parts of arrows inside the figures whose borders they pass.
    private mutating func addPassages(from homes: [LevelLine]) {
        for home in homes where chart.arrows[home.arrow].kind != .initial {
            let arrow = chart.arrows[home.arrow]
            let start = home.isReversed ? home.lower : home.upper
            let end = home.isReversed ? home.upper : home.lower
            if case .child(let figure) = start {
                pass(home, from: figure, to: arrow.source, role: .source, isAbove: home.isReversed)
            }
            if case .child(let figure) = end {
                pass(home, from: figure, to: arrow.target, role: .target, isAbove: !home.isReversed)
            }
        }
        for home in homes where chart.arrows[home.arrow].kind == .initial {
            ends[chart.arrows[home.arrow].target].top += 1
        }
    }

    /// Follows an arrow from a child's border inwards to one of its ends.
    private mutating func pass(_ home: LevelLine, from child: Int, to end: Int, role: LevelLine.Role, isAbove: Bool) {
        var inner = end
        var way = [inner]
        while inner != child, let parent = chart.figures[inner].parent {
            inner = parent
            way.append(inner)
        }
        if isAbove { ends[end].top += 1 } else { ends[end].bottom += 1 }
        for (inner, container) in zip(way, way.dropFirst()) {
            var line = LevelLine(
                arrow: home.arrow, upper: isAbove ? .border : .child(inner), lower: isAbove ? .child(inner) : .border)
            line.role = role
            line.isReversed = home.isReversed
            lines[container].append(line)
        }
    }
}
