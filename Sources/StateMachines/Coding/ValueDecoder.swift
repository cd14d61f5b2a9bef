internal import WorkflowJSON

/// Reads Swift values from JSON. An integer is never made from a double, and a missing value is `nil` for an optional.
struct ValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes a value of a type. Throws the errors of the type's own coding.
    static func value<Value: Decodable>(
        _ type: Value.Type, from value: JSONValue, at path: [any CodingKey] = []
    ) throws -> Value {
        if Value.self == JSONValue.self, let value = value as? Value { return value }
        return try Value(from: ValueDecoder(value: value, codingPath: path))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch("a map") }
        return KeyedDecodingContainer(KeyedValueDecoder(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch("a list") }
        return UnkeyedValueDecoder(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    fileprivate func mismatch(_ expected: String) -> MachineMismatch {
        let place = codingPath.map(\.stringValue).joined(separator: ".")
        let what = place.isEmpty ? "it" : "'\(place)'"
        let kind = value.kind
        let found = value == .null ? "null" : ("aeiou".contains(kind.prefix(1)) ? "an " : "a ") + kind
        return MachineMismatch("\(what) is \(found), not \(expected)")
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let bool) = value else { throw mismatch("a bool") }
        return bool
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let string) = value else { throw mismatch("a string") }
        return string
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch value {
        case .double(let number): return number
        case .int(let integer):
            guard let number = Double(exactly: integer) else { throw mismatch("a double") }
            return number
        default: throw mismatch("a double")
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Self.value(type, from: value, at: codingPath)
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        guard case .int(let integer) = value else { throw mismatch("an int") }
        guard let number = Integer(exactly: integer) else { throw mismatch("of type \(type)") }
        return number
    }
}

private struct KeyedValueDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let codingPath: [any CodingKey]
    var allKeys: [Key] { object.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key) == .null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try ValueDecoder.value(type, from: try value(key), at: codingPath + [key])
    }

    // The types that most contexts consist of are decoded without a nested decoder. Only a value that does not fit gets
    // a nested decoder, which throws the reason.

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        if case .bool(let bool) = try value(key) { bool } else { try mismatched(type, forKey: key) }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        if case .string(let string) = try value(key) { string } else { try mismatched(type, forKey: key) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        guard case .int(let integer) = try value(key), let number = Int(exactly: integer) else {
            return try mismatched(type, forKey: key)
        }
        return number
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        if case .double(let number) = try value(key) { number } else { try mismatched(type, forKey: key) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let value = present(key) else { return nil }
        return if case .bool(let bool) = value { bool } else { try mismatched(type, forKey: key) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let value = present(key) else { return nil }
        return if case .string(let string) = value { string } else { try mismatched(type, forKey: key) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        present(key) == nil ? nil : try decode(type, forKey: key)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        present(key) == nil ? nil : try decode(type, forKey: key)
    }

    /// Returns the value of a key; `nil` if it is missing or null.
    private func present(_ key: Key) -> JSONValue? {
        guard let value = object[key.stringValue] else { return nil }
        return if case .null = value { nil } else { value }
    }

    private func mismatched<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try ValueDecoder.value(type, from: try value(key), at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        ValueDecoder(value: object["super"] ?? .null, codingPath: codingPath)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ValueDecoder(value: try value(key), codingPath: codingPath + [key])
    }

    private func value(_ key: Key) throws -> JSONValue {
        guard let value = object[key.stringValue] else { throw MachineMismatch.missing(key, at: codingPath) }
        return value
    }
}

private struct UnkeyedValueDecoder: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    init(elements: [JSONValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    mutating func decodeNil() throws -> Bool {
        guard try next() == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try ValueDecoder.value(type, from: try next(), at: codingPath + [Place(currentIndex)])
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = ValueDecoder(value: try next(), codingPath: codingPath + [Place(currentIndex)])
        currentIndex += 1
        return decoder
    }

    private func next() throws -> JSONValue {
        guard !isAtEnd else { throw MachineMismatch("a list has only \(elements.count) elements") }
        return elements[currentIndex]
    }

    /// The index of an element, as a part of a path.
    private struct Place: CodingKey {
        let intValue: Int?
        var stringValue: String { intValue.map(String.init) ?? "" }

        init(_ index: Int) { intValue = index }
        init?(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { return nil }
    }
}

extension MachineMismatch {
    /// Returns the error for a missing value.
    static func missing(_ key: any CodingKey, at path: [any CodingKey]) -> MachineMismatch {
        MachineMismatch("'\((path + [key]).map(\.stringValue).joined(separator: "."))' is missing")
    }
}
