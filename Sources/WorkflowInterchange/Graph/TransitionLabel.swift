import Statechart

/// The label of a transition in a diagram: `event [guard] / actions`, cut if it is long.
enum TransitionLabel {
    /// The longest guard, in Unicode scalars.
    private static let longestGuard = 40
    private static let longest = 80

    /// Returns the label of a transition; empty if the transition has neither event, guard nor actions.
    static func text(of transition: Transition, in machine: Machine) -> String {
        var parts: [String] = []
        let event = event(of: transition, in: machine)
        if !event.isEmpty { parts.append(event) }
        if let condition = transition.condition { parts.append("[\(condition.source.line(longestGuard))]") }
        if !transition.actions.isEmpty { parts.append("/ " + text(of: transition.actions)) }
        return parts.joined(separator: " ").line(longest)
    }

    /// Returns the label of an initial arrow: the path from the child to a deeper target, and the actions.
    static func text(of initial: Initial, below: String) -> String {
        let actions = initial.actions.isEmpty ? "" : "/ " + text(of: initial.actions)
        return [below, actions].filter { !$0.isEmpty }.joined(separator: " ").line(longest)
    }

    private static func event(of transition: Transition, in machine: Machine) -> String {
        guard let descriptor = transition.descriptor else { return "" }
        let source = machine[transition.source]
        if descriptor == "done.state." + source.id { return "done" }
        guard source.timeouts.contains(where: { $0.event == descriptor }) else { return descriptor }
        let delay = descriptor.dropFirst(EventName.timeoutPrefix.count).dropLast(source.id.count + 1)
        return "after " + delay
    }

    private static func text(of actions: [Action]) -> String {
        actions.map(text).joined(separator: ", ")
    }

    private static func text(of action: Action) -> String {
        switch action {
        case .assign(let assignments, _): "assign " + assignments.map(\.text).joined(separator: " ")
        case .raise(let event, _, _): "raise " + event
        case .send(let send): "send " + send.event
        case .emit(let event, _, _): "emit " + event
        case .cancel(let id, _): "cancel " + id
        case .log: "log"
        case .choose: "choose"
        case .foreach: "foreach"
        case .call(let call): "call " + call.action.kind
        }
    }
}

extension String {
    /// Returns the text on one line, cut to a length in Unicode scalars.
    func line(_ limit: Int) -> String {
        let words = unicodeScalars.split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
        let line = words.map { String($0) }.joined(separator: " ")
        return line.unicodeScalars.count <= limit ? line : String(line.unicodeScalars.prefix(limit - 1)) + "…"
    }
}

extension Machine {
    /// Returns the state's own name: the last part of its path, which may contain dots. The root has the machine's
    /// name.
    func key(of index: StateIndex) -> String {
        let state = self[index]
        guard let parent = state.parent else { return name }
        let prefix = parent == .root ? 0 : self[parent].path.utf8.count + 1
        return String(decoding: state.path.utf8.dropFirst(prefix), as: UTF8.self)
    }

    /// Returns the children through which a state begins, with their labels, in document order.
    func beginnings(of index: StateIndex) -> [(child: StateIndex, label: String)] {
        let state = self[index]
        guard state.kind == .compound, let initial = state.initial else { return [] }
        return state.children.compactMap { child in
            let targets = initial.targets.filter { $0 == child || self[child].isProperAncestor(of: $0) }
            guard !targets.isEmpty else { return nil }
            let prefix = index == .root ? 0 : state.path.utf8.count + 1
            let below = targets.filter { $0 != child }.map {
                String(decoding: self[$0].path.utf8.dropFirst(prefix), as: UTF8.self)
            }
            return (child, TransitionLabel.text(of: initial, below: below.joined(separator: ", ")))
        }
    }

    /// Returns the children of a state, including history states, in document order.
    func members(of index: StateIndex) -> [StateIndex] {
        (self[index].children + self[index].histories).sorted()
    }

    /// True if diagrams need a box for the machine itself, because a transition starts or ends there.
    var isDrawn: Bool {
        self[.root].kind == .parallel
            || transitions.contains { $0.source == .root || $0.targets.contains(.root) }
    }

    /// Returns the default targets of a history state that need an arrow: those that differ from its parent's initial
    /// states.
    func defaults(of history: StateIndex) -> [StateIndex] {
        guard let targets = self[history].initial?.targets, let parent = self[history].parent else { return [] }
        let parentTargets = self[parent].initial?.targets ?? self[parent].children
        return targets == parentTargets ? [] : targets
    }
}
