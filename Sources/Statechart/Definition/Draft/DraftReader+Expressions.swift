import WorkflowCEL
import WorkflowJSON

extension DraftReader {
    /// Returns the expression in a scalar; returns `nil` and reports a mistake for anything else.
    mutating func expression(_ node: SourceNode, _ what: String) -> ExpressionDraft? {
        guard case .scalar(let text, let isPlain) = node.content, !node.isNull else {
            reportKind(node, "\(what) must be an expression", else: node.braceHint)
            return nil
        }
        return ExpressionDraft(text: text, position: node.position, isPlain: isPlain)
    }

    /// Returns a guard: an expression that returns true or false.
    mutating func condition(_ node: SourceNode, _ what: String) -> ExpressionDraft? {
        if case .mapping = node.content, node.braceHint.isEmpty {
            let message = "\(what) must be an expression, not a map; combine named guards with '&&', '||' and '!'"
            diagnostics.error(message, at: node.position)
            return nil
        }
        return expression(node, what)
    }

    /// Returns a value in which every string is an expression; returns `nil` and reports mistakes if a part of the
    /// value is invalid.
    mutating func template(_ node: SourceNode) -> TemplateDraft? {
        switch node.content {
        case .scalar(let text, let isPlain):
            guard let value = scalar(text, isPlain: isPlain, node) else { return nil }
            guard case .string = value else { return .literal(value) }
            return .expression(ExpressionDraft(text: text, position: node.position, isPlain: isPlain))
        case .sequence(let nodes):
            let values = nodes.map { template($0) }
            return values.contains { $0 == nil } ? nil : TemplateDraft.joined(values.compactMap { $0 })
        case .mapping(let pairs):
            let sorted = pairs.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
            let members = sorted.map { (key: $0.key.text, value: template($0.value)) }
            guard members.allSatisfy({ $0.value != nil }) else { return nil }
            return TemplateDraft.joined(members.compactMap { member in member.value.map { (member.key, $0) } })
        case .unreadable: return nil
        }
    }

    /// Reads `guards` of the root.
    mutating func readNamedGuards(_ node: SourceNode) {
        guard let pairs = mapping(node, "'guards' of the machine") else { return }
        for pair in pairs {
            guard Self.isIdentifier(pair.key.text), pair.key.text.utf8.count <= DefinitionLimits.nameBytes else {
                let rule = "letters, digits and '_', first not a digit"
                diagnostics.error(
                    "\(pair.key.text.quoted) cannot be the name of a guard: \(rule)", at: pair.key.position)
                continue
            }
            guard let condition = condition(pair.value, "guard \(pair.key.text.quoted)") else { continue }
            draft.namedGuards.append(NamedGuard(name: pair.key, condition: condition))
        }
    }
}

extension TemplateDraft {
    /// Returns a list; literal if all elements are literal.
    fileprivate static func joined(_ elements: [TemplateDraft]) -> TemplateDraft {
        let literals = elements.compactMap(\.literal)
        return literals.count == elements.count ? .literal(.array(literals)) : .list(elements)
    }

    /// Returns a map; literal if all values are literal.
    fileprivate static func joined(_ members: [(key: String, value: TemplateDraft)]) -> TemplateDraft {
        let literals = members.compactMap { member in member.value.literal.map { (member.key, $0) } }
        guard literals.count == members.count else { return .map(members) }
        var object = JSONObject()
        for (key, value) in literals { _ = object.insert(value, forNewKey: key) }
        return .literal(.object(object))
    }

    private var literal: JSONValue? {
        if case .literal(let value) = self { value } else { nil }
    }
}

extension SourceNode {
    /// The end of a message about an expression in braces, which YAML reads as a map of one key without a value.
    fileprivate var braceHint: String {
        guard case .mapping(let pairs) = content, pairs.count == 1, let pair = pairs.first, pair.value.isNull else {
            return ""
        }
        return "; write \(pair.key.text) without braces"
    }
}
