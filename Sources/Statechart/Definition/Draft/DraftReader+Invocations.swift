extension DraftReader {
    /// Reads `invoke`: an invocation or a list of invocations.
    mutating func readInvocations(_ node: SourceNode, of index: StateIndex) {
        guard case .sequence(let nodes) = node.content else { return readInvocation(node, of: index) }
        for node in nodes { readInvocation(node, of: index) }
    }

    private mutating func readInvocation(_ node: SourceNode, of index: StateIndex) {
        guard let pairs = mapping(node, "an invocation") else { return }
        checkKeys(of: pairs, in: .invocation, of: "an invocation")
        guard let action = effectAction(pairs, "an invocation", at: node.position) else { return }
        var invocation = InvocationDraft(position: node.position)
        let place = draft[index].invocations.count
        draft.states[index.offset].invocations.append(invocation)
        invocation.action = effect(action, input: pairs["input"])
        for pair in pairs {
            switch pair.key.text {
            case "id": invocation.id = name(pair.value, "'id'")
            case "timeout": invocation.timeout = delay(pair.value)
            case "retry": invocation.retry = retryPolicy(pair.value, of: action.key.text)
            case "onDone": readTransitions(pair.value, .invocationDone(place), of: index)
            case "onError": readTransitions(pair.value, .invocationFailed(place), of: index)
            default: break
            }
        }
        draft.states[index.offset].invocations[place] = invocation
    }

    /// Reads `call`.
    mutating func call(_ pair: SourceNode.Pair) -> ActionDraft? {
        guard let pairs = mapping(pair.value, "'call'") else { return nil }
        checkKeys(of: pairs, in: .call, of: "'call'")
        guard let key = effectAction(pairs, "a call", at: pair.value.position) else { return nil }
        let action = effect(key, input: pairs["input"])
        let retry = pairs["retry"].map { retryPolicy($0, of: key.key.text) } ?? RetryPolicy()
        return action.map { .call(CallDraft(action: $0, retry: retry, position: pair.key.position)) }
    }

    /// Returns the only key that names the action.
    private mutating func effectAction(
        _ pairs: [SourceNode.Pair], _ owner: String, at position: SourcePosition
    ) -> SourceNode.Pair? {
        let actions = pairs.filter { DefinitionKeys.actionsOfEffects.contains($0.key.text) }
        switch actions.count {
        case 1: return actions[0]
        case 0:
            // The keys `src` (code in XState) and `machine` (child machines) were already reported.
            if pairs["src"] == nil, pairs["machine"] == nil {
                diagnostics.error("\(owner) needs one of http, task and exec", at: position)
            }
        default:
            let names = actions.map(\.key.text).joined(separator: " and ")
            let this = owner == "a call" ? "this call" : "this invocation"
            diagnostics.error("\(this) has \(names); write two", at: actions[1].key.position)
        }
        return nil
    }
}
