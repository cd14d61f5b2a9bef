import Statechart

/// The figures and arrows of a machine: what a drawing shows, without places.
struct Chart {
    let machine: Machine
    let options: Scene.Options
    /// True if transitions to a state that many lead to are told in the boxes, without arrows.
    let refersToCommonTargets: Bool
    /// The figures in document order; the root is the first.
    private(set) var figures: [Figure] = []
    private(set) var arrows: [Arrow] = []
    /// The figure of each state: its own, or the folded one that hides it.
    private var places: [Int] = []

    /// - Parameter foldedDepth: The depth from which compound states are folded in a large machine.
    init(
        _ machine: Machine, _ options: Scene.Options, foldedDepth: Int, refersToCommonTargets: Bool
    ) throws(DrawingFailure) {
        self.machine = machine
        self.options = options
        self.refersToCommonTargets = refersToCommonTargets
        let count = machine.states.count - 1
        guard count <= DrawingLimits.states else { throw .tooManyStates(count) }
        addFigures(
            open: count > DrawingLimits.unfoldedStates ? Self.open(options.unfolded, in: machine) : nil, foldedDepth)
        addArrows()
        if refersToCommonTargets { referToCommonTargets() }
        guard arrows.count <= DrawingLimits.arrows else { throw .tooManyArrows(arrows.count) }
    }

    /// Returns the states at some paths, and those around them.
    private static func open(_ paths: Set<String>, in machine: Machine) -> Set<StateIndex> {
        var open: Set<StateIndex> = []
        for path in paths {
            var next = machine.state(atPath: path)
            while let state = next, open.insert(state).inserted { next = machine[state].parent }
        }
        return open
    }

    /// - Parameter open: The states that are not folded; `nil` if no state is.
    private mutating func addFigures(open: Set<StateIndex>?, _ foldedDepth: Int) {
        for state in machine.states {
            let parent = state.parent.map { places[$0.offset] }
            if let parent, figures[parent].hidden > 0 {
                places.append(parent)
                continue
            }
            let depth = parent.map { figures[$0].depth + 1 } ?? 0
            let isFolded = open.map { depth >= foldedDepth && !$0.contains(state.index) } ?? false
            let hidden = isFolded ? Int(state.lastDescendant.rawValue - state.index.rawValue) : 0
            var figure = Figure(
                state: state.index, kind: hidden > 0 ? .folded : Scene.Kind(state.kind), parent: parent, depth: depth,
                hidden: hidden)
            if let parent {
                figure.isRegion = figures[parent].kind == .parallel && !state.isHistory
                figures[parent].children.append(figures.count)
            }
            places.append(figures.count)
            figures.append(figure)
        }
    }

    private mutating func addArrows() {
        for (place, figure) in figures.enumerated() where figure.isContainer {
            for beginning in machine.beginnings(of: figure.state) {
                var arrow = Arrow(source: place, target: places[beginning.child.offset], kind: .initial)
                arrow.label.add(text: beginning.label)
                arrows.append(arrow)
            }
        }
        addTransitions()
        for figure in figures where figure.kind == .history || figure.kind == .deepHistory {
            for target in machine.defaults(of: figure.state) {
                let source = places[figure.state.offset]
                guard source != places[target.offset] else { continue }
                arrows.append(Arrow(source: source, target: places[target.offset], kind: .fallback))
            }
        }
    }

    /// Adds one arrow for all transitions between the same two figures.
    private mutating func addTransitions() {
        struct Ends: Hashable {
            let source: Int
            let target: Int
        }
        var known: [Ends: Int] = [:]
        let first = arrows.count
        for transition in machine.transitions {
            for target in transition.targets.isEmpty ? [transition.source] : transition.targets {
                let ends = Ends(source: places[transition.source.offset], target: places[target.offset])
                if ends.source == ends.target, isHidden(transition, to: target) {
                    figures[ends.source].hiddenTransitions.append(transition.index)
                    continue
                }
                let place = known[ends] ?? arrows.count
                if place == arrows.count {
                    known[ends] = place
                    arrows.append(Arrow(source: ends.source, target: ends.target, kind: .transition))
                }
                arrows[place].transitions.append(transition.index)
                arrows[place].label.add(transition, of: machine)
            }
        }
        for place in first..<arrows.count {
            arrows[place].label = arrows[place].label.finished(hasCount: options.hasCounts)
        }
    }

    /// Replaces the arrows from a box to a target that many arrows lead to by lines in the box.
    private mutating func referToCommonTargets() {
        var counts = Array(repeating: 0, count: figures.count)
        for arrow in arrows where arrow.kind == .transition { counts[arrow.target] += 1 }
        arrows.removeAll { arrow in
            guard arrow.kind == .transition, !arrow.isLoop, !figures[arrow.source].isContainer,
                counts[arrow.target] > DrawingLimits.arrowsToOne
            else { return false }
            let label = arrow.label.lines.map(\.text).joined(separator: ", ")
            let target = machine.key(of: figures[arrow.target].state)
            let texts = [ShownText.line(label, DrawingLimits.name), ShownText.line(target, DrawingLimits.name)]
            figures[arrow.source].references.append(
                Scene.Reference(
                    text: texts.filter { !$0.isEmpty }.joined(separator: " → "), transitions: arrow.transitions))
            return true
        }
    }

    /// Returns true for a transition inside a folded state.
    private func isHidden(_ transition: Transition, to target: StateIndex) -> Bool {
        let state = figures[places[target.offset]].state
        return transition.source != state || target != state
    }

    /// The figures around a figure, from its parent to the root.
    func ancestors(of figure: Int) -> [Int] {
        var ancestors: [Int] = []
        var next = figures[figure].parent
        while let ancestor = next {
            ancestors.append(ancestor)
            next = figures[ancestor].parent
        }
        return ancestors
    }

    /// Returns true if a figure lies around another one.
    func isAround(_ outer: Int, _ inner: Int) -> Bool {
        machine[figures[outer].state].isProperAncestor(of: figures[inner].state)
    }
}

extension Scene.Kind {
    fileprivate init(_ kind: State.Kind) {
        self =
            switch kind {
            case .atomic: .atomic
            case .compound: .compound
            case .parallel: .parallel
            case .final: .final
            case .shallowHistory: .history
            case .deepHistory: .deepHistory
            }
    }
}
