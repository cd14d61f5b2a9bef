import WorkflowAPI

extension ReplayMicrostep {
    /// Returns indented lines for people: the transitions, then the states left and entered and the actions, in the
    /// order of execution. Each action follows the state that caused it.
    func lines(isShort: Bool) -> StyledText {
        let sources = transitions.map(\.source)
        let taken = transitions.map { transition in
            let targets = transition.targets.isEmpty ? "" : " -> " + transition.targets.joined(separator: ", ")
            return "\(StateText.path(transition.source))\(targets) (line \(transition.line))"
        }
        let name = event.map { isShort ? EventText.short($0, states: sources) : $0 } ?? "always"
        // A start, a timer that is too late and an operator's change take no transition.
        let what = taken.isEmpty ? (event == "init" ? "start" : "no transition") : taken.joined(separator: "; ")
        var text: StyledText = "    \(name): \(what)\n"
        var left = exited[...]
        var next = entered[...]
        func move(_ verb: String, _ states: inout ArraySlice<String>, upTo count: Int) {
            let moved = states.prefix(max(0, count - states.startIndex))
            guard !moved.isEmpty else { return }
            states = states.dropFirst(moved.count)
            text = text + "      \(verb) \(moved.joined(separator: ", "), .state)\n"
        }
        for action in actions {
            // The actions of a state run before it is left, and after it is entered.
            move("exit", &left, upTo: action.exited + 1)
            move("enter", &next, upTo: action.entered)
            let style: Style? = action.text.hasPrefix("failed:") ? .bad : nil
            text = text + "      line \(action.line): \(action.text, style)\n"
        }
        move("exit", &left, upTo: exited.count)
        move("enter", &next, upTo: entered.count)
        return text
    }
}
