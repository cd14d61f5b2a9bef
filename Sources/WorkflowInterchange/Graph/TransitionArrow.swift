import Drawing
import Statechart

/// An arrow of a diagram: all transitions between the same two states, in the order in which they are tried.
struct TransitionArrow {
    let source: StateIndex
    let target: StateIndex
    /// The labels, one per transition; empty if the only transition has no label.
    private(set) var labels: [String] = []

    /// The largest number of lines. More would hide the neighboring states.
    private static let lines = 12

    /// Returns the arrows of a machine, in the order of its transitions.
    static func arrows(of machine: Machine) -> [TransitionArrow] {
        var arrows: [TransitionArrow] = []
        var places: [Ends: Int] = [:]
        for transition in machine.transitions {
            let targets = transition.targets.isEmpty ? [transition.source] : transition.targets
            for target in targets {
                let ends = Ends(source: transition.source, target: target)
                let place = places[ends] ?? arrows.count
                if place == arrows.count { arrows.append(TransitionArrow(source: ends.source, target: target)) }
                places[ends] = place
                arrows[place].labels.append(TransitionLabel(of: transition, in: machine).text)
            }
        }
        return arrows.map(\.finished)
    }

    private struct Ends: Hashable {
        let source: StateIndex
        let target: StateIndex
    }

    private var finished: TransitionArrow {
        var arrow = self
        guard labels.count > 1 else {
            arrow.labels.removeAll(where: \.isEmpty)
            return arrow
        }
        // An empty label would be invisible beside others.
        arrow.labels = labels.prefix(Self.lines).map { $0.isEmpty ? "always" : $0 }
        if labels.count > Self.lines { arrow.labels.append("and \(labels.count - Self.lines) more") }
        return arrow
    }
}
