internal import Statechart
internal import WorkflowJSON

/// The type of a value's JSON, in the notation of a definition's `types` and `events`.
indirect enum ValueType: Sendable {
    enum Scalar: String, Sendable { case dyn, bool, int, uint, double, string }

    case scalar(Scalar)
    case list(ValueType)
    /// A map with any keys.
    case map(ValueType)
    case optional(ValueType)
    /// A map with these keys, in the order of the type's properties.
    case fields([(key: String, type: ValueType)])

    /// The type of any value.
    static let open = ValueType.scalar(.dyn)

    /// The type with null added.
    var orNull: ValueType { if case .optional = self { self } else { .optional(self) } }

    /// True if nothing is known but that the value may be null.
    var isOpen: Bool {
        switch self {
        case .scalar(.dyn): true
        case .optional(let content): content.isOpen
        default: false
        }
    }

    /// The type on one line. A map inside another type is written there without its keys.
    var text: String {
        switch self {
        case .scalar(let scalar): scalar.rawValue
        case .list(let element): "list(\(element.text))"
        case .map(let value): "map(string, \(value.text))"
        case .optional(let content): "optional(\(content.text))"
        case .fields: "map(string, dyn)"
        }
    }

    func node(at place: DefinitionPlace) -> DefinitionNode {
        guard case .fields(let fields) = self else { return .string(text, at: place) }
        return .map(fields.map { .init($0.key, $0.type.node(at: place), at: place) }, at: place)
    }

    /// Returns true if a value is of this type.
    func accepts(_ json: JSONValue) -> Bool {
        switch (self, json) {
        case (.scalar(.dyn), _), (.scalar(.double), .int), (.optional, .null): true
        case (.scalar(.uint), .int(let integer)): integer >= 0
        case (.scalar(let scalar), _): scalar.rawValue == json.kind
        case (.optional(let content), _): content.accepts(json)
        case (.list(let element), .array(let elements)): elements.allSatisfy(element.accepts)
        case (.map(let value), .object(let object)): object.members.allSatisfy { value.accepts($0.value) }
        case (.fields(let fields), .object(let object)):
            object.keys.allSatisfy { key in fields.contains { $0.key == key } }
                && fields.allSatisfy { $0.type.accepts(object[$0.key]) }
        case (.list, _), (.map, _), (.fields, _): false
        }
    }

    private func accepts(_ json: JSONValue?) -> Bool {
        if let json { return accepts(json) }
        if case .optional = self { return true }
        return false
    }
}
