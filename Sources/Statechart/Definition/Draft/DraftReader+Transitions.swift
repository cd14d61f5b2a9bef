extension DraftReader {
    /// Reads `on`: event descriptors and their transitions.
    mutating func readHandlers(_ node: SourceNode, of index: StateIndex) {
        guard let pairs = mapping(node, "'on'") else { return }
        for pair in pairs {
            let word = pair.key
            let isEvery = word.text == "*"
            let name = word.text.hasSuffix(".*") ? word.text.dropLast(2) : word.text[...]
            guard isEvery || checkEvent(word, name: name) else { continue }
            readTransitions(pair.value, .event(word.text), of: index)
        }
    }

    /// Reads `after`: delays and their transitions.
    mutating func readTimeouts(_ node: SourceNode, of index: StateIndex) {
        guard let pairs = mapping(node, "'after'") else { return }
        for pair in pairs {
            guard pair.key.text.utf8.count <= DefinitionLimits.nameBytes else {
                diagnostics.error("a delay is longer than \(DefinitionLimits.nameBytes) bytes", at: pair.key.position)
                continue
            }
            let expression = ExpressionDraft(text: pair.key.text, in: pair.key.position, offset: 0)
            if let delay = delay(expression) {
                draft.states[index.offset].timeouts.append(TimeoutDraft(word: pair.key, delay: delay))
            }
            readTransitions(pair.value, .after(pair.key.text), of: index)
        }
    }

    /// Reads one transition or a list of transitions.
    mutating func readTransitions(_ node: SourceNode, _ trigger: TransitionDraft.Trigger, of index: StateIndex) {
        guard case .sequence(let nodes) = node.content else {
            readTransition(node, trigger, of: index)
            return
        }
        if nodes.isEmpty {
            diagnostics.error(
                "the list of transitions is empty; {} takes the event and does nothing", at: node.position)
        }
        for node in nodes { readTransition(node, trigger, of: index) }
    }

    private mutating func readTransition(
        _ node: SourceNode, _ trigger: TransitionDraft.Trigger, of index: StateIndex
    ) {
        var transition = TransitionDraft(trigger: trigger, position: node.position)
        switch node.content {
        case .scalar where !node.isNull:
            transition.targets = targets(node, "a target", allowsList: false)
        case .mapping(let pairs):
            readKeys(pairs, of: &transition)
        default:
            let rule = node.isNull ? " ({} takes the event and does nothing)" : ""
            reportKind(node, "a transition must be a target or a map\(rule)", else: node.commentHint)
            return
        }
        draft.states[index.offset].transitions.append(transition)
    }

    private mutating func readKeys(_ pairs: [SourceNode.Pair], of transition: inout TransitionDraft) {
        checkKeys(of: pairs, in: .transition, of: "a transition")
        for pair in pairs {
            switch pair.key.text {
            case "target": transition.targets = targets(pair.value, "'target'", allowsList: true)
            case "actions": transition.actions = actions(pair.value, of: "'actions'")
            case "misfire": transition.misfire = misfire(pair.value, of: transition.trigger)
            case "reenter": transition.reenters = bool(pair.value, "'reenter'") ?? false
            case "guard":
                transition.isGuarded = true
                transition.condition = condition(pair.value, "'guard'")
            default: break
            }
        }
    }

    private mutating func misfire(_ node: SourceNode, of trigger: TransitionDraft.Trigger) -> Misfire? {
        guard case .after = trigger else {
            diagnostics.error("'misfire' belongs to a transition of 'after' or to a 'send'", at: node.position)
            return nil
        }
        return misfire(node)
    }

    /// Reads one target or a list of targets.
    mutating func targets(_ node: SourceNode, _ what: String, allowsList: Bool) -> [TargetDraft] {
        guard allowsList, case .sequence(let nodes) = node.content else {
            return target(node, what).map { [$0] } ?? []
        }
        if nodes.isEmpty {
            draft.isResolved = false
            diagnostics.error("\(what) is an empty list; leave it out to stay where the machine is", at: node.position)
        }
        return nodes.compactMap { target($0, "a target") }
    }

    private mutating func target(_ node: SourceNode, _ what: String) -> TargetDraft? {
        guard let text = text(node, what, else: node.commentHint) else {
            draft.isResolved = false
            return nil
        }
        return TargetDraft(word: SourceWord(text: text, position: node.position))
    }
}

extension SourceNode {
    /// The end of a message about a missing target: YAML reads an id without quotes as a comment.
    fileprivate var commentHint: String {
        if case .scalar("", isPlain: true) = content { "; a target such as '#review' stands in quotes" } else { "" }
    }
}
