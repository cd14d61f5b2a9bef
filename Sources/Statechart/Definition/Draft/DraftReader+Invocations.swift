import WorkflowJSON

extension DraftReader {
    /// Reads `invoke`: an invocation or a list of them.
    mutating func readInvocations(_ node: SourceNode, of index: StateIndex) {
        guard case .sequence(let nodes) = node.content else { return readInvocation(node, of: index) }
        for node in nodes { readInvocation(node, of: index) }
    }

    private mutating func readInvocation(_ node: SourceNode, of index: StateIndex) {
        guard let pairs = mapping(node, "an invocation") else { return }
        checkKeys(of: pairs, in: .invocation, of: "an invocation")
        guard let action = invocationAction(pairs, at: node.position) else { return }
        var invocation = InvocationDraft(position: node.position)
        let place = draft[index].invocations.count
        draft.states[index.offset].invocations.append(invocation)
        readQueue(action.value, of: &invocation)
        for pair in pairs {
            switch pair.key.text {
            case "id": invocation.id = name(pair.value, "'id'")
            case "input": invocation.input = template(pair.value)
            case "timeout": invocation.timeout = delay(pair.value)
            case "retry": invocation.retry = retryPolicy(pair.value)
            case "onDone": readTransitions(pair.value, .invocationDone(place), of: index)
            case "onError": readTransitions(pair.value, .invocationFailed(place), of: index)
            default: break
            }
        }
        draft.states[index.offset].invocations[place] = invocation
    }

    /// The one key that says what is done.
    private mutating func invocationAction(
        _ pairs: [SourceNode.Pair], at position: SourcePosition
    ) -> SourceNode.Pair? {
        let known = DefinitionKeys.actionsOfInvocations
        let actions = pairs.filter { known.contains($0.key.text) }
        switch actions.count {
        case 1: return actions[0].key.text == "task" ? actions[0] : nil
        case 0:
            // What code is called in XState was told of by its key.
            if pairs["src"] == nil {
                diagnostics.error("an invocation needs one of http, task and exec", at: position)
            }
        default:
            let names = actions.map(\.key.text).joined(separator: " and ")
            diagnostics.error("this invocation has \(names); write two", at: actions[1].key.position)
        }
        return nil
    }

    /// Reads `task`: the name of a queue, or a map that has it.
    private mutating func readQueue(_ node: SourceNode, of invocation: inout InvocationDraft) {
        guard case .mapping(let pairs) = node.content else {
            invocation.queue = name(node, "'task'")?.text ?? ""
            return
        }
        checkKeys(of: pairs, in: .task, of: "'task'")
        if let queue = pairs["queue"] {
            invocation.queue = name(queue, "'queue'")?.text ?? ""
        } else {
            diagnostics.error("'task' needs a 'queue'", at: node.position)
        }
        invocation.priority = pairs["priority"].flatMap { expression($0, "'priority'") }
    }
}

// MARK: Trying again

extension DraftReader {
    private mutating func retryPolicy(_ node: SourceNode) -> RetryPolicy {
        var policy = RetryPolicy()
        guard let pairs = mapping(node, "'retry'") else { return policy }
        checkKeys(of: pairs, in: .retry, of: "'retry'")
        for pair in pairs {
            switch pair.key.text {
            case "attempts": policy.attempts = attempts(pair.value)
            case "first": policy.first = length(pair.value, "'first'") ?? policy.first
            case "limit": policy.limit = length(pair.value, "'limit'") ?? policy.limit
            case "factor": policy.factor = number(pair.value, "'factor'", RetryPolicy.factorRange) ?? policy.factor
            case "jitter": policy.jitter = number(pair.value, "'jitter'", 0...1) ?? policy.jitter
            case "except": policy.except = types(pair.value)
            default: break
            }
        }
        return policy
    }

    private mutating func attempts(_ node: SourceNode) -> Int? {
        if case .scalar("unlimited", _) = node.content { return nil }
        if case .scalar(let text, isPlain: true) = node.content,
            case .int(let attempts)? = try? ScalarResolver.value(ofPlain: text),
            RetryPolicy.attemptRange.contains(Int(attempts))
        {
            return Int(attempts)
        }
        reportKindOrValue(node, "a retry has 1 to 1000 attempts, or unlimited")
        return nil
    }

    private mutating func length(_ node: SourceNode, _ what: String) -> Int64? {
        guard case .scalar(let text, _) = node.content, !node.isNull else {
            reportKind(node, "\(what) is a delay, \(DelayText.rule)")
            return nil
        }
        do throws(DelayError) {
            return try DelayText.length(of: text)
        } catch {
            diagnostics.error("\(what) is a delay: \(error.message)", at: node.position)
            return nil
        }
    }

    private mutating func number(_ node: SourceNode, _ what: String, _ range: ClosedRange<Double>) -> Double? {
        if case .scalar(let text, isPlain: true) = node.content, let value = try? ScalarResolver.value(ofPlain: text) {
            switch value {
            case .int(let number) where range.contains(Double(number)): return Double(number)
            case .double(let number) where range.contains(number): return number
            default: break
            }
        }
        reportKindOrValue(node, "\(what) is a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        return nil
    }

    private mutating func types(_ node: SourceNode) -> [String] {
        guard case .sequence(let nodes) = node.content else { return text(node, "'except'").map { [$0] } ?? [] }
        return nodes.compactMap { text($0, "a type of errors") }
    }

    private mutating func reportKindOrValue(_ node: SourceNode, _ rule: String) {
        if !node.isUnreadable { diagnostics.error(rule, at: node.position) }
    }
}
