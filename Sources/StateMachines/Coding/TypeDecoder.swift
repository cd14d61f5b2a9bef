internal import WorkflowJSON

/// The value that a decoding reads.
enum GivenValue {
    /// Any value of the type that is asked for.
    case placeholder
    case json(JSONValue)
    /// A map of one key to a placeholder: a case of an enum.
    case enumCase(String)

    var keys: [String] {
        switch self {
        case .placeholder: []
        case .json(let json): json.object.map { Array($0.keys) } ?? []
        case .enumCase(let name): [name]
        }
    }

    var isNull: Bool { if case .json(.null) = self { true } else { false } }

    /// The value at a key; `nil` if the key is absent.
    subscript(key: String) -> GivenValue? {
        switch self {
        case .placeholder: .placeholder
        case .json(let json): json.object?[key].map(GivenValue.json)
        case .enumCase(let name): name == key ? .placeholder : nil
        }
    }
}

/// Records what the decoding of a value asks for.
final class TypeSlot {
    /// The keys that were asked for, in order.
    private(set) var members: [(key: String, slot: TypeSlot)] = []
    /// The type of a value that is no map.
    var known: ValueType?
    /// The Swift types of the property that this may be; empty for a nested container.
    var properties: [Any.Type] = []
    /// True if the decoding asked whether there is a value.
    var mayBeNull = false

    var type: ValueType {
        let type = known ?? .fields(members.map { ($0.key, $0.slot.type) })
        return mayBeNull ? type.orNull : type
    }

    subscript(key: String) -> TypeSlot {
        if let member = members.first(where: { $0.key == key }) { return member.slot }
        let slot = TypeSlot()
        members.append((key, slot))
        return slot
    }

    /// Returns true if each key was asked for with the type of a property. A coding written by hand that reads one form
    /// of several fails this test.
    func isCoding(of values: some Sequence<Any>) -> Bool {
        var left = values.map { ObjectIdentifier(Swift.type(of: $0)) }
        return members.allSatisfy { member in
            let types = member.slot.properties.map(ObjectIdentifier.init)
            guard let place = left.firstIndex(where: types.contains) else { return false }
            left.remove(at: place)
            return true
        }
    }

    func record<Value>(_ sample: TypeSample<Value>, of properties: Any.Type...) -> Value {
        known = sample.type
        self.properties = properties
        return sample.value
    }
}

/// Decodes a value to find its type: answers with the given value or with placeholders, and records the questions.
struct TypeDecoder: Decoder {
    let recorder: TypeRecorder
    let slot: TypeSlot
    let given: GivenValue
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if case .json(let json) = given, json.object == nil { throw MachineMismatch("it is no map") }
        return KeyedDecodingContainer(KeyedTypeDecoder(decoder: self))
    }

    /// The elements may have different types, so their type stays open.
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        slot.known = .list(.open)
        guard case .json(let json) = given else { return UnkeyedTypeDecoder(recorder: recorder, elements: nil) }
        guard case .array(let elements) = json else { throw MachineMismatch("it is no list") }
        return UnkeyedTypeDecoder(recorder: recorder, elements: elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension TypeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        slot.mayBeNull = true
        return given.isNull
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        slot.record(try recorder.sample(of: type, from: given), of: type)
    }
}

private struct KeyedTypeDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: TypeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.given.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool {
        decoder.slot[key.stringValue].mayBeNull = true
        return decoder.given[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try nested(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try nested(key).decode(type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let given = decoder.given[key.stringValue] ?? .json(.null)
        let sample = try decoder.recorder.sample(of: Value?.self, from: given)
        // A property with a default value is asked for in the same way.
        return decoder.slot[key.stringValue].record(sample, of: Value?.self, Value.self)
    }

    // Each overload is a requirement: the protocol's default implementation asks for no type where the value is null.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }

    private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        try decodeIfPresent(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try nested("super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

    private func nested(_ key: Key) throws -> TypeDecoder { try nested(key.stringValue) }

    private func nested(_ key: String) throws -> TypeDecoder {
        guard let given = decoder.given[key] else { throw MachineMismatch("'\(key)' is missing") }
        return TypeDecoder(recorder: decoder.recorder, slot: decoder.slot[key], given: given)
    }
}

/// Reads the given elements, or one placeholder; also more of them, for a list of a fixed length.
private struct UnkeyedTypeDecoder: UnkeyedDecodingContainer {
    let recorder: TypeRecorder
    let elements: [JSONValue]?
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { elements?.count ?? 1 }
    var isAtEnd: Bool { currentIndex >= elements?.count ?? 1 }

    init(recorder: TypeRecorder, elements: [JSONValue]?) {
        self.recorder = recorder
        self.elements = elements
    }

    mutating func decodeNil() throws -> Bool {
        guard let elements, !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> TypeDecoder {
        defer { currentIndex += 1 }
        guard let elements else { return TypeDecoder(recorder: recorder, slot: TypeSlot(), given: .placeholder) }
        guard !isAtEnd else { throw MachineMismatch("a list has only \(elements.count) elements") }
        return TypeDecoder(recorder: recorder, slot: TypeSlot(), given: .json(elements[currentIndex]))
    }
}
