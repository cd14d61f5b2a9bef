import WorkflowJSON

extension DraftReader {
    /// Reads one action or a list of actions.
    mutating func actions(_ node: SourceNode, of owner: String) -> [ActionDraft] {
        guard case .sequence(let nodes) = node.content else { return action(node, of: owner).map { [$0] } ?? [] }
        return nodes.compactMap { action($0, of: owner) }
    }

    /// Reads `actions` of the root.
    mutating func readNamedActions(_ node: SourceNode) {
        guard let pairs = mapping(node, "'actions' of the machine") else { return }
        for pair in pairs where checkName(pair.key) {
            let actions = actions(pair.value, of: pair.key.text.quoted)
            draft.namedActions.append(NamedActions(name: pair.key, actions: actions))
        }
    }

    private mutating func action(_ node: SourceNode, of owner: String) -> ActionDraft? {
        switch node.content {
        case .scalar(let text, _) where !node.isNull:
            return .named(SourceWord(text: text, position: node.position))
        case .mapping(let pairs):
            return action(pairs, at: node.position)
        default:
            reportKind(node, "an action in \(owner) must be a name or a map")
            return nil
        }
    }

    private mutating func action(_ pairs: [SourceNode.Pair], at position: SourcePosition) -> ActionDraft? {
        checkKeys(of: pairs, in: .action, of: "an action")
        guard pairs.count == 1, let pair = pairs.first else {
            let message =
                "an action is a map with one key, this one has \(pairs.count); write several actions as a list"
            diagnostics.error(message, at: position)
            return nil
        }
        switch pair.key.text {
        case "assign": return assign(pair)
        case "raise": return raise(pair)
        case "send": return send(pair)
        case "emit": return emit(pair)
        case "cancel": return text(pair.value, "'cancel'").map { .cancel(id: $0, pair.key.position) }
        case "log": return expression(pair.value, "'log'").map { .log($0) }
        case "choose": return choose(pair)
        case "foreach": return foreach(pair)
        case "call": return call(pair)
        default: return nil
        }
    }

    private mutating func choose(_ pair: SourceNode.Pair) -> ActionDraft? {
        guard case .sequence(let nodes) = pair.value.content, !nodes.isEmpty else {
            reportKind(pair.value, "'choose' must be a list of branches with 'guard' and 'actions'")
            return nil
        }
        var branches: [BranchDraft] = []
        for (offset, node) in nodes.enumerated() {
            guard let pairs = mapping(node, "a branch of 'choose'") else { continue }
            checkKeys(of: pairs, in: .branch, of: "a branch of 'choose'")
            var branch = BranchDraft()
            if let node = pairs["guard"] { branch.condition = condition(node, "'guard'") }
            if let node = pairs["actions"] {
                branch.actions = actions(node, of: "'actions'")
            } else {
                diagnostics.error("a branch of 'choose' needs 'actions'", at: node.position)
            }
            if pairs["guard"] == nil, offset < nodes.count - 1 {
                diagnostics.warning(
                    "the branches after this one are never taken: it has no 'guard'", at: node.position)
            }
            branches.append(branch)
        }
        return .choose(branches, pair.key.position)
    }

    private mutating func foreach(_ pair: SourceNode.Pair) -> ActionDraft? {
        guard let pairs = mapping(pair.value, "'foreach'") else { return nil }
        checkKeys(of: pairs, in: .foreach, of: "'foreach'")
        for key in ["array", "item", "actions"] where pairs[key] == nil {
            diagnostics.error("'foreach' needs \(key.quoted)", at: pair.key.position)
        }
        let item = pairs["item"].flatMap { loopKey($0, "'item'") }
        let index = pairs["index"].flatMap { loopKey($0, "'index'") }
        let array = pairs["array"].flatMap { expression($0, "'array'") }
        let body = pairs["actions"].map { actions($0, of: "'actions'") }
        guard let item, let array, let body else { return nil }
        return .foreach(
            LoopDraft(array: array, item: item, index: index, actions: body, position: pair.key.position))
    }

    /// Reads the key that holds an element or its number. Under `strict: false` the loop creates the key if the context
    /// lacks it.
    private mutating func loopKey(_ node: SourceNode, _ what: String) -> String? {
        guard let text = text(node, what) else { return nil }
        guard Self.isIdentifier(text) else {
            diagnostics.error("\(what) must be a key of the context, not \(text.quoted)", at: node.position)
            return nil
        }
        if draft.isStrict {
            checkContextKey(text, at: node.position)
        } else if contextKeys?[text] == nil, madeKeys.insert(text).inserted {
            draft.madeKeys.append(text)
        }
        return text
    }
}

// MARK: Events

extension DraftReader {
    private mutating func raise(_ pair: SourceNode.Pair) -> ActionDraft? {
        guard let (node, what, data) = content(of: pair, in: .raise) else { return nil }
        return raisedEvent(node, what).map { .raise(event: $0, data: data, pair.key.position) }
    }

    /// Reads an `emit`, which a definition for a host must not have.
    private mutating func emit(_ pair: SourceNode.Pair) -> ActionDraft? {
        if !isInMemory {
            diagnostics.error(
                "'emit' works only in a StateMachine of the Swift library, whose observers hear it: a history cannot "
                    + "keep outputs yet; remove it, or request an effect with 'call'", at: pair.key.position)
        }
        draft.emits = true
        guard let (node, what, data) = content(of: pair, in: .emit) else { return nil }
        return sentEvent(node, what).map { .emit(event: $0, data: data, pair.key.position) }
    }

    /// Returns the event of a `raise` or an `emit`, with its name in messages, and the data.
    private mutating func content(
        of pair: SourceNode.Pair, in place: DefinitionKeys.Place
    ) -> (event: SourceNode, what: String, data: TemplateDraft?)? {
        let name = pair.key.text.quoted
        guard case .mapping(let pairs) = pair.value.content else { return (pair.value, name, nil) }
        checkKeys(of: pairs, in: place, of: name)
        guard let event = pairs["event"] else {
            diagnostics.error("\(name) needs an 'event'", at: pair.value.position)
            return nil
        }
        return (event, "'event'", pairs["data"].flatMap { template($0) })
    }

    private mutating func send(_ pair: SourceNode.Pair) -> ActionDraft? {
        guard case .mapping(let pairs) = pair.value.content else {
            return sentEvent(pair.value, "'send'").map {
                .send(SendDraft(event: $0, position: pair.key.position))
            }
        }
        checkKeys(of: pairs, in: .send, of: "'send'")
        guard let node = pairs["event"] else {
            diagnostics.error("'send' needs an 'event'", at: pair.value.position)
            return nil
        }
        let data = pairs["data"].flatMap { template($0) }
        let delay = pairs["delay"].flatMap { self.delay($0) }
        let id = pairs["id"].flatMap { text($0, "'id'") }
        if let node = pairs["id"], pairs["delay"] == nil {
            diagnostics.warning("'id' does nothing without a 'delay': 'cancel' ends delayed events", at: node.position)
        }
        let misfire = pairs["misfire"].flatMap { self.misfire($0, ofSend: true) } ?? .fire
        if let node = pairs["misfire"], pairs["delay"] == nil {
            diagnostics.error("'misfire' goes with a 'delay': what is sent at once is never late", at: node.position)
        }
        return sentEvent(node, "'event'").map {
            .send(
                SendDraft(event: $0, data: data, delay: delay, id: id, misfire: misfire, position: pair.key.position))
        }
    }

    private mutating func event(_ node: SourceNode, _ what: String, except reserved: [String]) -> String? {
        guard let text = text(node, what) else { return nil }
        let word = SourceWord(text: text, position: node.position)
        guard checkEvent(word, name: text) else { return nil }
        guard let prefix = reserved.first(where: text.hasPrefix) else { return text }
        let message = "\(text.quoted) is an event of the engine's own: it alone uses names under \(prefix.quoted)"
        diagnostics.error(message, at: node.position)
        return nil
    }

    /// Reads the event of a `send` or an `emit`. It comes as if from outside, so its name must not be reserved.
    private mutating func sentEvent(_ node: SourceNode, _ what: String) -> String? {
        event(node, what, except: EventName.reservedPrefixes)
    }

    /// Reads the event of a `raise`. A machine may raise its own errors.
    private mutating func raisedEvent(_ node: SourceNode, _ what: String) -> String? {
        event(node, what, except: EventName.reservedPrefixes.filter { $0 != EventName.errorPrefix })
    }

    /// Reads a delay: one of the literal forms, otherwise an expression.
    mutating func delay(_ node: SourceNode) -> DelayDraft? {
        guard let expression = expression(node, "a delay") else { return nil }
        return delay(expression)
    }

    /// Reads `misfire`: `fire`, `{skip: delay}` or `{next: delay}`.
    mutating func misfire(_ node: SourceNode, ofSend: Bool = false) -> Misfire? {
        guard case .mapping(let pairs) = node.content else {
            if text(node, "'misfire'") == "fire" { return .fire }
            let others = ofSend ? "or {skip: delay}" : "{skip: delay} or {next: delay}"
            diagnostics.error("'misfire' is 'fire'\(ofSend ? " " : ", ")\(others)", at: node.position)
            return nil
        }
        checkKeys(of: pairs, in: .misfire, of: "'misfire'")
        guard let next = pairs["next"] else {
            return lateness(pairs["skip"], "skip", in: node).map { .skip(afterMilliseconds: $0) }
        }
        if ofSend {
            diagnostics.error(
                "'next' belongs to a transition of 'after': what was sent has no delay that could begin anew",
                at: next.position)
            return nil
        }
        if pairs["skip"] != nil {
            diagnostics.error("'misfire' has 'skip' or 'next', not both", at: next.position)
            return nil
        }
        return lateness(next, "next", in: node).map { .next(afterMilliseconds: $0) }
    }

    /// Reads the largest lateness of a timer in milliseconds.
    private mutating func lateness(_ value: SourceNode?, _ key: String, in node: SourceNode) -> Int64? {
        let position = (value ?? node).position
        guard case .scalar(let text, _)? = value?.content else {
            diagnostics.error("'\(key)' is how late is too late, \(DelayText.rule)", at: position)
            return nil
        }
        do throws(DelayError) {
            return try DelayText.length(of: text)
        } catch {
            diagnostics.error("'\(key)' is how late is too late: \(error.message)", at: position)
            return nil
        }
    }

    /// Returns the delay of an expression's text: its length if the text has one of the literal forms. Returns `nil`
    /// and reports a mistake for a text that resembles a delay but is not one.
    mutating func delay(_ expression: ExpressionDraft) -> DelayDraft? {
        do throws(DelayError) {
            try DelayText.checkWords(expression.text)
            guard try DelayText.read(expression.text) != nil else { return .expression(expression) }
            return .milliseconds(try DelayText.length(of: expression.text))
        } catch {
            diagnostics.error(error.message, at: expression.start)
            return nil
        }
    }
}
