extension DraftReader {
    /// Reads the content of a state, including the root, into its draft. Children become states of the draft; all else
    /// stays as written.
    mutating func readBody(_ pairs: [SourceNode.Pair], of index: StateIndex) {
        for pair in pairs {
            switch pair.key.text {
            case "id" where index != .root: draft.states[index.offset].id = name(pair.value, "'id'")
            case "initial": readInitial(pair, of: index)
            case "states": readChildren(pair.value, of: index)
            case "entry": draft.states[index.offset].entry = actions(pair.value, of: "'entry'")
            case "exit": draft.states[index.offset].exit = actions(pair.value, of: "'exit'")
            case "on": readHandlers(pair.value, of: index)
            case "always": readTransitions(pair.value, .always, of: index)
            case "after": readTimeouts(pair.value, of: index)
            case "invoke": readInvocations(pair.value, of: index)
            case "output" where draft[index].kind == .final:
                draft.states[index.offset].output = template(pair.value)
            case "onDone": readDone(pair, of: index)
            case "target": readHistoryTarget(pair.value, of: index)
            case "tags": draft.states[index.offset].tags = tags(pair.value)
            default: break
            }
        }
        reportMissingInitial(pairs, of: index)
    }

    private mutating func readChildren(_ node: SourceNode, of parent: StateIndex) {
        guard let pairs = mapping(node, "'states'") else { return }
        for pair in pairs { readState(pair, of: parent) }
        draft.states[parent.offset].lastDescendant = StateIndex(draft.states.count - 1)
        let children = draft[parent].children
        if !children.isEmpty, children.allSatisfy({ draft[$0].isHistory }) {
            diagnostics.error("\(draft.name(of: parent)) needs a state that is not a history state", at: node.position)
        }
    }

    private mutating func readState(_ pair: SourceNode.Pair, of parent: StateIndex) {
        guard checkName(pair.key), hasRoom(for: pair.key, in: parent) else { return }
        let path = draft[parent].path(ofChild: pair.key.text)
        let index = StateIndex(draft.states.count)
        var state = StateDraft(
            index: index, parent: parent, key: pair.key.text, path: path, position: pair.key.position)
        if case .mapping(let pairs) = pair.value.content { state.kind = kind(pairs, of: state.nameInMessages) }
        draft.states.append(state)
        draft.states[parent.offset].children.append(index)
        guard case .mapping(let pairs) = pair.value.content else {
            reportKind(pair.value, "\(state.nameInMessages) must be a map ({} when there is nothing to say)")
            return
        }
        checkKeys(of: pairs, in: state.place, of: state.ownerInMessages)
        checkFinal(state)
        readBody(pairs, of: index)
    }

    private mutating func hasRoom(for key: SourceWord, in parent: StateIndex) -> Bool {
        guard draft.states.count < DefinitionLimits.states else {
            if !isFull {
                isFull = true
                diagnostics.error("a machine has at most \(DefinitionLimits.states) states", at: key.position)
            }
            return false
        }
        guard draft[parent].path.utf8.count + 1 + key.text.utf8.count <= DefinitionLimits.pathBytes else {
            let limit = DefinitionLimits.pathBytes
            diagnostics.error("the path of state \(key.text.quoted) is longer than \(limit) bytes", at: key.position)
            return false
        }
        return true
    }

    private mutating func checkFinal(_ state: StateDraft) {
        guard state.kind == .final, let parent = state.parent, draft[parent].kind == .parallel else { return }
        diagnostics.error(
            "\(state.nameInMessages) cannot be final: it is a region of a parallel state", at: state.position)
    }
}

extension DraftReader {
    /// Returns the kind of state that the keys make, and reports a contradicting `type`.
    mutating func kind(_ pairs: [SourceNode.Pair], of owner: String) -> State.Kind {
        let hasStates = hasStates(pairs, of: owner)
        let plain: State.Kind = hasStates ? .compound : .atomic
        guard let node = pairs["type"], let type = text(node, "'type'") else { return plain }
        switch type {
        case "atomic" where hasStates:
            diagnostics.error("\(owner) is of type \(type.quoted) and cannot have 'states'", at: node.position)
        case "compound" where !hasStates, "parallel" where !hasStates:
            diagnostics.error("\(owner) is of type \(type.quoted) and needs 'states'", at: node.position)
            return plain
        default: break
        }
        switch type {
        case "atomic", "compound": return plain
        case "parallel": return .parallel
        case "final": return .final
        case "history": return historyKind(pairs)
        default:
            let types = ["atomic", "compound", "parallel", "final", "history"]
            let suggestion = diagnostics.suggestion(for: type, among: types)
            let hint = suggestion.isEmpty ? "; types are \(types.joined(separator: ", "))" : suggestion
            diagnostics.error("\(owner) has the unknown type \(type.quoted)\(hint)", at: node.position)
            return plain
        }
    }

    private mutating func hasStates(_ pairs: [SourceNode.Pair], of owner: String) -> Bool {
        // The root is read before it becomes a state of the draft.
        let isRoot = draft.states.isEmpty
        guard let states = pairs["states"] else { return false }
        guard case .mapping(let children) = states.content, children.isEmpty else { return true }
        let remedy = isRoot ? "a machine needs at least one, such as {idle: {}}" : "leave it out"
        diagnostics.error("'states' of \(owner) is empty; \(remedy)", at: states.position)
        return false
    }

    private mutating func historyKind(_ pairs: [SourceNode.Pair]) -> State.Kind {
        guard let node = pairs["history"], let depth = text(node, "'history'") else { return .shallowHistory }
        switch depth {
        case "shallow": return .shallowHistory
        case "deep": return .deepHistory
        default:
            diagnostics.error("'history' must be shallow or deep, not \(depth.quoted)", at: node.position)
            return .shallowHistory
        }
    }

    private mutating func readInitial(_ pair: SourceNode.Pair, of index: StateIndex) {
        let state = draft[index]
        switch state.kind {
        case .compound: draft.states[index.offset].initial = initial(pair.value)
        case .parallel:
            diagnostics.error(
                "\(state.nameInMessages) is parallel and needs no 'initial': all its states are active",
                at: pair.key.position)
        case .atomic:
            diagnostics.error("\(state.nameInMessages) has no states for 'initial'", at: pair.key.position)
        case .final, .shallowHistory, .deepHistory: break
        }
    }

    private mutating func initial(_ node: SourceNode) -> InitialDraft {
        var initial = InitialDraft(targets: [], position: node.position)
        guard case .mapping(let pairs) = node.content else {
            initial.targets = targets(node, "'initial'", allowsList: false)
            return initial
        }
        checkKeys(of: pairs, in: .initial, of: "'initial'")
        if let target = pairs["target"] {
            initial.targets = targets(target, "'target'", allowsList: true)
        } else {
            diagnostics.error("'initial' needs a 'target'", at: node.position)
        }
        if let node = pairs["actions"] { initial.actions = actions(node, of: "'actions'") }
        return initial
    }

    private mutating func tags(_ node: SourceNode) -> [String] {
        guard case .sequence(let nodes) = node.content else { return text(node, "'tags'").map { [$0] } ?? [] }
        return nodes.compactMap { text($0, "a tag") }
    }

    private mutating func readHistoryTarget(_ node: SourceNode, of index: StateIndex) {
        guard draft[index].isHistory else { return }
        let targets = targets(node, "'target'", allowsList: true)
        draft.states[index.offset].initial = InitialDraft(targets: targets, position: node.position)
    }

    private mutating func readDone(_ pair: SourceNode.Pair, of index: StateIndex) {
        let state = draft[index]
        switch state.kind {
        case .compound, .parallel: readTransitions(pair.value, .done, of: index)
        case .atomic:
            diagnostics.error("\(state.nameInMessages) has no states that could be done", at: pair.key.position)
        case .final, .shallowHistory, .deepHistory: break
        }
    }

    private mutating func reportMissingInitial(_ pairs: [SourceNode.Pair], of index: StateIndex) {
        let state = draft[index]
        guard state.kind == .compound, pairs["initial"] == nil else { return }
        let first = state.children.first { !draft[$0].isHistory }
        let hint = first.map { ", for example \(draft[$0].key.quoted)" } ?? ""
        diagnostics.error("\(state.nameInMessages) needs 'initial', one of its states\(hint)", at: state.position)
    }
}

extension StateDraft {
    /// The set of keys that are allowed in the state.
    var place: DefinitionKeys.Place {
        switch kind {
        case .final: .finalState
        case .shallowHistory, .deepHistory: .historyState
        case .atomic, .compound, .parallel: .state
        }
    }

    /// The name of the state in messages, as the owner of a key.
    var ownerInMessages: String {
        switch kind {
        case .final: "the final \(nameInMessages)"
        case .shallowHistory, .deepHistory: "the history \(nameInMessages)"
        case .atomic, .compound, .parallel: nameInMessages
        }
    }
}
