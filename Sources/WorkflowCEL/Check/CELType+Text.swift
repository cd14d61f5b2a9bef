extension CELType: CustomStringConvertible {
    /// The type in the notation of definitions: `list(string)`, `map(string, int)`.
    package var description: String {
        switch self {
        case .list(let element): "list(\(element))"
        case .map(let key, let value): "map(\(key), \(value))"
        case .object: "map(string, dyn)"
        case .optional(let content): "optional(\(content))"
        default: word
        }
    }

    /// The word for the type without its elements: `list`, `map`.
    var word: String { typeName?.word ?? "dyn" }

    /// The type's name as a value; `nil` if nothing is known.
    var typeName: TypeName? {
        switch self {
        case .dyn: nil
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .string: .string
        case .bytes: .bytes
        case .timestamp: .timestamp
        case .duration: .duration
        case .list: .list
        case .map, .object: .map
        case .type: .type
        case .optional: .optional
        }
    }

    /// Reads a type in the notation of definitions; `nil` for any other text.
    ///
    /// The types are `bool`, `int`, `uint`, `double`, `string`, `bytes`, `timestamp`, `duration`, `null`, `dyn`,
    /// `type`, `list(T)`, `map(K, V)` and `optional(T)`. A `list` or `map` alone holds values of any type.
    package init?(parsing text: String) {
        var reader = TypeReader(text)
        guard let type = reader.type(depth: 0), reader.isAtEnd else { return nil }
        self = type
    }
}

/// Reads the text of a type.
private struct TypeReader {
    private static let deepest = 32

    private var rest: Substring

    init(_ text: String) {
        rest = text[...]
    }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return rest.isEmpty
        }
    }

    mutating func type(depth: Int) -> CELType? {
        guard depth < Self.deepest else { return nil }
        skipSpace()
        let word = rest.prefix { $0.isLetter || $0 == "_" }
        rest = rest.dropFirst(word.count)
        switch word {
        case "list": return element(depth).map { .list($0) }
        case "map": return map(depth)
        case "optional": return element(depth).map { .optional($0) }
        default: return Self.simple[String(word)]
        }
    }

    private mutating func element(_ depth: Int) -> CELType? {
        guard take("(") else { return .dyn }
        guard let element = type(depth: depth + 1), take(")") else { return nil }
        return element
    }

    private mutating func map(_ depth: Int) -> CELType? {
        guard take("(") else { return .map(key: .dyn, value: .dyn) }
        guard let key = type(depth: depth + 1), Self.keys.contains(key), take(","),
            let value = type(depth: depth + 1), take(")")
        else { return nil }
        return .map(key: key, value: value)
    }

    private mutating func take(_ character: Character) -> Bool {
        skipSpace()
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }

    private static let keys: [CELType] = [.string, .int, .uint, .bool, .dyn]
    private static let simple: [String: CELType] = [
        "bool": .bool, "int": .int, "uint": .uint, "double": .double, "string": .string, "bytes": .bytes,
        "timestamp": .timestamp, "duration": .duration, "null": .null, "null_type": .null, "dyn": .dyn, "type": .type,
    ]
}
