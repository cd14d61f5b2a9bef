import JSON

extension DraftReader {
    /// Reads one action or a list of them.
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
        case "assign": return assign(pair).map { .written($0) }
        case "raise": return raise(pair).map { .written($0) }
        default: return nil
        }
    }

    private mutating func raise(_ pair: SourceNode.Pair) -> Action? {
        guard case .mapping(let pairs) = pair.value.content else {
            guard let event = event(pair.value, "'raise'") else { return nil }
            return .raise(event: event, data: nil, line: pair.key.position.line)
        }
        checkKeys(of: pairs, in: .raise, of: "'raise'")
        guard let node = pairs["event"] else {
            diagnostics.error("'raise' needs an 'event'", at: pair.value.position)
            return nil
        }
        let data = pairs["data"].map { literal($0, strings: .expressions) }
        guard let event = event(node, "'event'") else { return nil }
        return .raise(event: event, data: data ?? nil, line: pair.key.position.line)
    }

    private mutating func event(_ node: SourceNode, _ what: String) -> String? {
        guard let text = text(node, what) else { return nil }
        return checkEvent(SourceWord(text: text, position: node.position), name: text) ? text : nil
    }

    private mutating func assign(_ pair: SourceNode.Pair) -> Action? {
        guard let pairs = mapping(pair.value, "'assign'") else { return nil }
        var assignments: [Assignment] = []
        for pair in pairs {
            let path = pair.key.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard checkPath(path, pair.key), let value = literal(pair.value, strings: .expressions) else { continue }
            assignments.append(Assignment(path: path, value: typed(value, at: path)))
        }
        reportOverlaps(pairs.map(\.key).filter { $0.text.utf8.count <= DefinitionLimits.pathBytes })
        return .assign(assignments, line: pair.key.position.line)
    }

    private mutating func checkPath(_ path: [String], _ key: SourceWord) -> Bool {
        let isShort = path.count <= DefinitionLimits.nesting && key.text.utf8.count <= DefinitionLimits.pathBytes
        guard isShort, path.allSatisfy(Self.isIdentifier) else {
            let rule = "identifiers joined by dots"
            diagnostics.error("\(key.text.quoted) cannot be a path into the context: \(rule)", at: key.position)
            return false
        }
        guard let contextKeys, contextKeys[path[0]] == nil else { return true }
        let suggestion = diagnostics.suggestion(for: path[0], among: contextKeys.keys)
        let hint = suggestion.isEmpty ? "; declare it in 'context'" : suggestion
        let message = "the context has no key \(path[0].quoted)\(hint)"
        diagnostics.add(draft.isStrict ? .error : .warning, message, at: key.position)
        return true
    }

    /// A key whose initial value is a double stays one.
    private func typed(_ value: JSONValue, at path: [String]) -> JSONValue {
        guard path.count == 1, case .int(let int) = value, case .double? = contextKeys?[path[0]] else { return value }
        return .double(Double(int))
    }

    /// All values of one `assign` are set at once, so none may lie inside another.
    private mutating func reportOverlaps(_ keys: [SourceWord]) {
        let paths = Set(keys.map(\.text))
        for key in keys {
            var prefix = key.text[...]
            while let dot = prefix.lastIndex(of: ".") {
                prefix = prefix[..<dot]
                guard paths.contains(String(prefix)) else { continue }
                let message = "\(key.text.quoted) lies inside \(String(prefix).quoted), which the same 'assign' sets"
                diagnostics.error(message, at: key.position)
                break
            }
        }
    }
}
