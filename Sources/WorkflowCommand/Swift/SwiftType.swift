import Statechart
import WorkflowCEL

/// A type of Swift for values that a definition declares.
indirect enum SwiftType {
    /// One that is written as it is: `Int`, or what `meta` says.
    case named(String)
    case json
    case list(SwiftType)
    case map(SwiftType)
    case optional(SwiftType)
    case object(SwiftStructure)

    /// How it is written.
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

    /// The type, or nil.
    var orNil: SwiftType { if case .optional = self { self } else { .optional(self) } }

    var isOptional: Bool { if case .optional = self { true } else { false } }

    /// The struct that it is, or nil is.
    var structure: SwiftStructure? {
        switch self {
        case .object(let structure): structure
        case .optional(let content): content.structure
        case .named, .json, .list, .map: nil
        }
    }

    /// Whether a literal alone has this type.
    var isThatOfItsLiteral: Bool {
        if case .named(let name) = self { ["Bool", "Int", "Double", "String"].contains(name) } else { false }
    }

    /// A type without fields that are known.
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

/// A map whose fields are declared, as a struct.
struct SwiftStructure {
    struct Field {
        /// In the definition.
        let key: String
        let name: String
        let type: SwiftType
    }

    let name: String
    /// In the order of the definition.
    let fields: [Field]

    /// The structures that the fields need.
    var nested: [SwiftStructure] { fields.compactMap(\.type.structure) }
}

/// Makes types of what a definition declares, and collects mistakes.
struct SwiftTypeReader {
    private(set) var mistakes: [Diagnostic] = []

    /// The type of a declaration: a type's name, or a map of fields.
    ///
    /// - Parameters:
    ///   - structure: What the struct for a map of fields is called.
    ///   - owner: What has the type, in messages: `event 'pay'`.
    mutating func type(_ node: DefinitionNode, structure: String, owner: String) -> SwiftType {
        guard let members = node.members else {
            return node.text.flatMap { CELType(parsing: $0) }.map(SwiftType.init) ?? .json
        }
        // A value without a label is called so when it is written.
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
