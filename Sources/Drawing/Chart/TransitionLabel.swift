package import Statechart

/// The label of a transition in a diagram: `event [guard] / actions`.
package struct TransitionLabel {
    /// The cause of a transition.
    package enum Trigger {
        case none
        case event(String)
        /// The delay as written in the definition.
        case delay(String)
        case done
    }

    /// The longest guard in `text`, in Unicode scalars.
    private static let longestGuard = 40
    private static let longest = 80

    package let trigger: Trigger
    /// The source of the guard; `nil` if there is none.
    package let condition: String?
    /// The actions in a few words; empty if there are none.
    package let actions: String

    /// Creates the label of a transition.
    package init(of transition: Transition, in machine: Machine) {
        trigger = Self.trigger(of: transition, in: machine)
        condition = transition.condition?.source
        actions = Self.text(of: transition.actions)
    }

    /// The event in a text: `pay`, `after 3d`, `done`; empty for a transition without an event.
    package var event: String {
        switch trigger {
        case .none: ""
        case .event(let name): name
        case .delay(let delay): "after " + delay
        case .done: "done"
        }
    }

    /// The label on one line, cut if it is long; empty if the transition has neither event, guard nor actions.
    package var text: String { text(guard: Self.longestGuard).line(Self.longest) }

    /// Returns the label with a guard of at most a number of Unicode scalars.
    package func text(guard limit: Int) -> String {
        var parts: [String] = []
        if !event.isEmpty { parts.append(event) }
        if let condition { parts.append("[\(condition.line(limit))]") }
        if !actions.isEmpty { parts.append("/ " + actions) }
        return parts.joined(separator: " ")
    }

    /// Returns the label of an initial arrow: the path from the child to a deeper target, and the actions.
    static func text(of initial: Initial, below: String) -> String {
        let actions = initial.actions.isEmpty ? "" : "/ " + text(of: initial.actions)
        return [below, actions].filter { !$0.isEmpty }.joined(separator: " ").line(longest)
    }

    private static func trigger(of transition: Transition, in machine: Machine) -> Trigger {
        guard let descriptor = transition.descriptor else { return .none }
        let source = machine[transition.source]
        if descriptor == "done.state." + source.id { return .done }
        guard source.timeouts.contains(where: { $0.event == descriptor }) else { return .event(descriptor) }
        return .delay(String(descriptor.dropFirst(EventName.timeoutPrefix.count).dropLast(source.id.count + 1)))
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
    package func line(_ limit: Int) -> String {
        let words = unicodeScalars.split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
        let line = words.map { String($0) }.joined(separator: " ")
        return line.unicodeScalars.count <= limit ? line : String(line.unicodeScalars.prefix(limit - 1)) + "…"
    }
}
