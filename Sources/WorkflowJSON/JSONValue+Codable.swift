// For coders that do not know the type. Integers stay integers as far as the coder distinguishes them.

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? container.decode(Int64.self) {
            self = .int(integer)
        } else if let number = try? container.decode(Double.self) {
            self = .double(number)
        } else if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode(JSONObject.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .int(let integer): try container.encode(integer)
        case .double(let number): try container.encode(number)
        case .string(let string): try container.encode(string)
        case .array(let elements): try container.encode(elements)
        case .object(let object): try container.encode(object)
        }
    }
}

extension JSONObject: Codable {
    public init(from decoder: any Decoder) throws {
        self.init()
        for (key, value) in try [String: JSONValue](from: decoder) { self[key] = value }
    }

    public func encode(to encoder: any Encoder) throws {
        try Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value) }).encode(to: encoder)
    }
}

extension JSONValue: Hashable {
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .int(let integer): hasher.combine(integer)
        case .double(let number): hasher.combine(number.bitPattern)
        // Hashed by bytes, as strings are compared.
        case .string(let string): for byte in string.utf8 { hasher.combine(byte) }
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension JSONObject: Hashable {
    public func hash(into hasher: inout Hasher) {
        for member in members {
            hasher.combine(JSONValue.string(member.key))
            hasher.combine(member.value)
        }
    }
}
