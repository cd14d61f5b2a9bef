internal import WorkflowJSON

/// Writes Swift values as JSON: `nil` becomes `null` and is not left out, integers stay integers, and `1.0` stays a
/// double.
struct ValueEncoder: Encoder {
    let slot: ValueSlot
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns the JSON of a value. Throws for a number that JSON lacks, and the errors of the value's own coding.
    static func value<Value: Encodable>(of value: Value) throws -> JSONValue {
        if Value.self == JSONValue.self, let value = value as? JSONValue { return value }
        return try slot(of: value).value
    }

    /// Returns the place to which a value has written itself.
    static func slot<Value: Encodable>(of value: Value) throws -> ValueSlot {
        let slot = ValueSlot()
        try value.encode(to: ValueEncoder(slot: slot))
        return slot
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.beginObject()
        return KeyedEncodingContainer(KeyedValueEncoder(slot: slot))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.beginArray()
        return UnkeyedValueEncoder(slot: slot)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueEncoder(slot: slot) }
}

/// A place to which a value is written, also by containers that outlive the call that made them.
final class ValueSlot {
    private enum Content {
        case nothing
        case value(JSONValue)
        case object(JSONObject, nested: [Nested])
        case array([ValueSlot])
    }

    private struct Nested {
        let key: String
        let slot: ValueSlot
    }

    private var content = Content.nothing

    /// The written value. A value that wrote nothing is an empty object, like a case without data.
    var value: JSONValue {
        switch content {
        case .nothing: return .object(JSONObject())
        case .value(let value): return value
        case .object(var object, let nested):
            for member in nested { object[member.key] = member.slot.value }
            return .object(object)
        case .array(let slots): return .array(slots.map(\.value))
        }
    }

    /// The key and value of an object with one member, as an enum writes it; `nil` for every other value.
    var onlyMember: (key: String, value: JSONValue)? {
        if case .object(let object, let nested) = content, object.isEmpty, nested.count == 1 {
            return (nested[0].key, nested[0].slot.value)
        }
        guard case .object(let object) = value, object.count == 1, let member = object.members.first else { return nil }
        return (member.key, member.value)
    }

    var count: Int {
        if case .array(let slots) = content { slots.count } else { 0 }
    }

    func set(_ value: JSONValue) { content = .value(value) }

    func beginObject() {
        if case .object = content { return }
        content = .object(JSONObject(), nested: [])
    }

    func beginArray() {
        if case .array = content { return }
        content = .array([])
    }

    func set(_ value: JSONValue, forKey key: String) {
        guard case .object(var object, let nested) = content else { return }
        // Clearing `content` avoids a copy of the object.
        content = .nothing
        object[key] = value
        content = .object(object, nested: nested)
    }

    func nested(forKey key: String) -> ValueSlot {
        let slot = ValueSlot()
        guard case .object(let object, var nested) = content else { return slot }
        content = .nothing
        nested.append(Nested(key: key, slot: slot))
        content = .object(object, nested: nested)
        return slot
    }

    func nestedElement() -> ValueSlot {
        let slot = ValueSlot()
        guard case .array(let slots) = content else { return slot }
        content = .array(slots + [slot])
        return slot
    }
}

private struct KeyedValueEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: ValueSlot
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { slot.set(.null, forKey: key.stringValue) }

    // Most data of events are texts and integers, which need no encoder.
    func encode(_ value: String, forKey key: Key) throws { slot.set(.string(value), forKey: key.stringValue) }
    func encode(_ value: Int, forKey key: Key) throws { slot.set(.int(Int64(value)), forKey: key.stringValue) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        slot.set(try ValueEncoder.value(of: value), forKey: key.stringValue)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    // Each overload is a requirement: the protocol's default implementation leaves `nil` out.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try write(value, forKey: key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try write(value, forKey: key) }

    private func write(_ value: (some Encodable)?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(slot: slot.nested(forKey: key.stringValue)).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ValueEncoder(slot: slot.nested(forKey: key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(slot: slot.nested(forKey: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { ValueEncoder(slot: slot.nested(forKey: key.stringValue)) }
}

private struct UnkeyedValueEncoder: UnkeyedEncodingContainer {
    let slot: ValueSlot
    var codingPath: [any CodingKey] { [] }
    var count: Int { slot.count }

    func encodeNil() throws { slot.nestedElement().set(.null) }

    func encode<Value: Encodable>(_ value: Value) throws {
        slot.nestedElement().set(try ValueEncoder.value(of: value))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(slot: slot.nestedElement()).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(slot: slot.nestedElement()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(slot: slot.nestedElement()) }
}

private struct SingleValueEncoder: SingleValueEncodingContainer {
    let slot: ValueSlot
    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws { slot.set(.null) }
    func encode(_ value: Bool) throws { slot.set(.bool(value)) }
    func encode(_ value: String) throws { slot.set(.string(value)) }
    func encode(_ value: Double) throws { try write(number: value) }
    func encode(_ value: Float) throws { try write(number: Double(value)) }
    func encode(_ value: Int) throws { slot.set(.int(Int64(value))) }
    func encode(_ value: Int8) throws { slot.set(.int(Int64(value))) }
    func encode(_ value: Int16) throws { slot.set(.int(Int64(value))) }
    func encode(_ value: Int32) throws { slot.set(.int(Int64(value))) }
    func encode(_ value: Int64) throws { slot.set(.int(value)) }
    func encode(_ value: UInt) throws { try write(integer: value) }
    func encode(_ value: UInt8) throws { slot.set(.int(Int64(value))) }
    func encode(_ value: UInt16) throws { slot.set(.int(Int64(value))) }
    func encode(_ value: UInt32) throws { slot.set(.int(Int64(value))) }
    func encode(_ value: UInt64) throws { try write(integer: value) }
    func encode(_ value: Int128) throws { try write(integer: value) }
    func encode(_ value: UInt128) throws { try write(integer: value) }
    func encode<Value: Encodable>(_ value: Value) throws { slot.set(try ValueEncoder.value(of: value)) }

    private func write(number: Double) throws {
        guard number.isFinite else { throw MachineMismatch("\(number) is no number of JSON") }
        slot.set(.double(number))
    }

    private func write(integer: some BinaryInteger) throws {
        guard let value = Int64(exactly: integer) else {
            throw MachineMismatch("\(integer) does not fit an integer of 64 bits with sign")
        }
        slot.set(.int(value))
    }
}
