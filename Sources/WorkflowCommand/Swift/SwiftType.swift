import Statechart
import WorkflowCEL

/// A Swift type for values that a definition declares.
indirect enum SwiftType {
    /// A type that is written by its name: `Int`, or a name from `meta`.
    case named(String)
    case json
    case list(SwiftType)
    case map(SwiftType)
    case optional(SwiftType)
    case object(SwiftStructure)

    /// The type as it is written in code.
    var text: String {
        switch self {
        case .named(let name): name
        case .json: "JSONValue"
        case .list(let element): "[\(element.text)]"
        case .map(let value): "[String: \(value.text)]"
        case .optional(let content): content.text + "?"
        case .object(let structure): structure.name
        }
    }

    /// The optional of the type.
    var orNil: SwiftType { if case .optional = self { self } else { .optional(self) } }

    var isOptional: Bool { if case .optional = self { true } else { false } }

    /// The struct of the type or of its wrapped type.
    var structure: SwiftStructure? {
        switch self {
        case .object(let structure): structure
        case .optional(let content): content.structure
        case .named, .json, .list, .map: nil
        }
    }

    /// True if a literal has this type without further context.
    var isThatOfItsLiteral: Bool {
        if case .named(let name) = self { ["Bool", "Int", "Double", "String"].contains(name) } else { false }
    }

    /// Creates a type without known fields.
    init(_ type: CELType) {
        switch type {
        case .bool: self = .named("Bool")
        case .int: self = .named("Int")
        case .uint: self = .named("UInt")
        case .double: self = .named("Double")
        case .string, .bytes, .timestamp, .duration: self = .named("String")
        case .list(let element): self = .list(SwiftType(element))
        case .map(_, let value): self = .map(SwiftType(value))
        case .optional(let content): self = SwiftType(content).orNil
        case .dyn, .null, .type, .object: self = .json
        }
    }
}

/// A map with declared fields, as a struct.
struct SwiftStructure {
    struct Field {
        /// The key in the definition.
        let key: String
        let name: String
        let type: SwiftType
    }

    let name: String
    /// The fields, in the order of the definition.
    let fields: [Field]

    /// The structures that the fields need.
    var nested: [SwiftStructure] { fields.compactMap(\.type.structure) }
}

/// Makes types of a definition's declarations, and collects mistakes.
struct SwiftTypeReader {
    private(set) var mistakes: [Diagnostic] = []

    /// Returns the type of a declaration: a type's name, or a map of fields.
    ///
    /// - Parameters:
    ///   - structure: The name of the struct for a map of fields.
    ///   - owner: The owner of the type in messages: `event 'pay'`.
    mutating func type(_ node: DefinitionNode, structure: String, owner: String) -> SwiftType {
        guard let members = node.members else {
            return node.text.flatMap { CELType(parsing: $0) }.map(SwiftType.init) ?? .json
        }
        // The coding of a case names a value without a label so.
        guard !members.contains(where: { $0.key.hasPrefix("_") && $0.key.dropFirst().allSatisfy(\.isNumber) }) else {
            return .json
        }
        let names = names(of: members, owner)
        var used: Set<String> = []
        let fields = zip(members, names).map { member, name in
            let wanted = SwiftName.capitalized(name)
            var inner = SwiftName.isTaken(type: wanted) || wanted == name ? wanted + "Value" : wanted
            while used.contains(inner) { inner += "Value" }
            used.insert(inner)
            let type = type(member.value, structure: inner, owner: "\(owner).\(member.key)")
            return SwiftStructure.Field(key: member.key, name: name, type: type)
        }
        return .object(SwiftStructure(name: structure, fields: fields))
    }

    private mutating func names(of members: [DefinitionNode.Member], _ owner: String) -> [String] {
        var clashes = SwiftClashes(of: " of \(owner)")
        let names = members.map { member in
            let name = SwiftName.lowerCamel(member.key)
            clashes.add(name, for: member.key, at: member.place)
            return name ?? "_"
        }
        mistakes += clashes.mistakes(advice: "rename one")
        return names
    }
}
