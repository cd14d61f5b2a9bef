import WorkflowCEL
import WorkflowJSON

/// Reading of `context`, and of the types that are declared for it and for event data.
extension DraftReader {
    /// Reads `context`: the keys and their literal values, with doubles for integers where doubles are declared.
    /// Returns `nil` and reports mistakes if the context cannot be read.
    mutating func context(_ node: SourceNode, _ types: [(key: SourceWord, type: CELType)]) -> JSONObject? {
        contextKeys = nil
        guard let pairs = mapping(node, "'context'") else { return nil }
        let declared = Dictionary(types.map { ($0.key.text, $0.type) }) { first, _ in first }
        var context = JSONObject()
        for pair in pairs.sorted(by: { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }) {
            let key = pair.key.text
            if !Self.isIdentifier(key) {
                let rule = "letters, digits and '_', first not a digit"
                diagnostics.error("\(key.quoted) cannot be a key of the context: \(rule)", at: pair.key.position)
            }
            let value = literal(pair.value) ?? .null
            _ = context.insert(typed(value, of: pair, declared[key]), forNewKey: key)
        }
        contextKeys = context
        return context
    }

    /// Returns the initial value of a key, converted to the key's type, and stores the type. A declared type also
    /// allows null if the initial value is null. In a strict machine, the type of the initial value is the default.
    private mutating func typed(_ value: JSONValue, of pair: SourceNode.Pair, _ declared: CELType?) -> JSONValue {
        let key = pair.key.text
        guard let declared else {
            if draft.isStrict { draft.contextTypes[key] = CELType(kindOf: value) }
            return value
        }
        draft.contextTypes[key] = value == .null ? declared.orNull : declared
        if value == .null { return value }
        do throws(JSONMismatch) {
            return try declared.converted(value, at: key, in: draft.semantics.language)
        } catch {
            diagnostics.error("the initial value does not fit its type: \(error.message)", at: pair.value.position)
            return value
        }
    }

    /// Reads `types` of the root.
    mutating func contextTypes(_ node: SourceNode) -> [(key: SourceWord, type: CELType)] {
        guard let places = mapping(node, "'types' of the machine") else { return [] }
        checkKeys(of: places, in: .types, of: "'types'")
        guard let node = places["context"], let pairs = mapping(node, "'context' of 'types'") else { return [] }
        return pairs.compactMap { pair in
            type(pair.value, "context.\(pair.key.text)").map { (pair.key, $0) }
        }
    }

    /// Reads `events` of the root: the types of event data.
    mutating func readEvents(_ node: SourceNode) {
        guard let pairs = mapping(node, "'events' of the machine") else { return }
        for pair in pairs where checkEvent(pair.key, name: pair.key.text) {
            if EventName.isReserved(pair.key.text) {
                diagnostics.error("\(pair.key.text.quoted) is an event of the engine's own", at: pair.key.position)
            }
            guard let keys = mapping(pair.value, "event \(pair.key.text.quoted)") else { continue }
            checkKeys(of: keys, in: .event, of: "event \(pair.key.text.quoted)")
            guard let node = keys["data"], let type = type(node, "event \(pair.key.text.quoted)") else { continue }
            draft.eventData[pair.key.text] = type
        }
    }

    /// Reads a type: the name of a CEL type, or a map of fields.
    private mutating func type(_ node: SourceNode, _ name: String) -> CELType? {
        switch node.content {
        case .mapping(let pairs):
            var fields: [String: CELType] = [:]
            for pair in pairs {
                guard let type = type(pair.value, "\(name).\(pair.key.text)") else { continue }
                fields[pair.key.text] = type
            }
            return .object(ObjectType(name: name, fields: fields))
        case .scalar(let text, _) where !node.isNull:
            if let type = CELType(parsing: text) {
                if type.hasJSON { return type }
                let message = "no JSON is of type \(text.quoted): a map has strings as keys, and there are no types"
                diagnostics.error(message, at: node.position)
                return nil
            }
            diagnostics.error("unknown type \(text.quoted)\(DeclaredTypeName.advice(on: text))", at: node.position)
            return nil
        default:
            reportKind(node, "the type of \(name) must be a name or a map of fields")
            return nil
        }
    }
}

extension CELType {
    /// The type with null added.
    fileprivate var orNull: CELType {
        switch self {
        case .dyn, .null, .optional: self
        default: .optional(self)
        }
    }
}
