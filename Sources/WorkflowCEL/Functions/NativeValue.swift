/// A Swift type that represents a type of the language, so that functions can be written with Swift types.
protocol NativeValue: Sendable {
    /// The type of the language.
    static var celType: CELType { get }
    /// Returns the Swift value; `nil` for a value of another type.
    static func native(_ value: Value) -> Self?
    /// The value of the language.
    var celValue: Value { get }
}

extension Bool: NativeValue {
    static var celType: CELType { .bool }
    static func native(_ value: Value) -> Bool? { if case .bool(let bool) = value { bool } else { nil } }
    var celValue: Value { .bool(self) }
}

extension Int64: NativeValue {
    static var celType: CELType { .int }
    static func native(_ value: Value) -> Int64? { if case .int(let int) = value { int } else { nil } }
    var celValue: Value { .int(self) }
}

extension UInt64: NativeValue {
    static var celType: CELType { .uint }
    static func native(_ value: Value) -> UInt64? { if case .uint(let uint) = value { uint } else { nil } }
    var celValue: Value { .uint(self) }
}

extension Double: NativeValue {
    static var celType: CELType { .double }
    static func native(_ value: Value) -> Double? { if case .double(let double) = value { double } else { nil } }
    var celValue: Value { .double(self) }
}

extension String: NativeValue {
    static var celType: CELType { .string }
    static func native(_ value: Value) -> String? { if case .string(let string) = value { string } else { nil } }
    var celValue: Value { .string(self) }
}

extension Array: NativeValue where Element == UInt8 {
    static var celType: CELType { .bytes }
    static func native(_ value: Value) -> [UInt8]? { if case .bytes(let bytes) = value { bytes } else { nil } }
    var celValue: Value { .bytes(self) }
}

extension ListValue: NativeValue {
    static var celType: CELType { .list(.dyn) }
    static func native(_ value: Value) -> ListValue? { if case .list(let list) = value { list } else { nil } }
    var celValue: Value { .list(self) }
}

extension MapValue: NativeValue {
    static var celType: CELType { .map(key: .dyn, value: .dyn) }
    static func native(_ value: Value) -> MapValue? { if case .map(let map) = value { map } else { nil } }
    var celValue: Value { .map(self) }
}

extension Timestamp: NativeValue {
    static var celType: CELType { .timestamp }
    static func native(_ value: Value) -> Timestamp? { if case .timestamp(let moment) = value { moment } else { nil } }
    var celValue: Value { .timestamp(self) }
}

extension Duration: NativeValue {
    static var celType: CELType { .duration }
    static func native(_ value: Value) -> Duration? { if case .duration(let span) = value { span } else { nil } }
    var celValue: Value { .duration(self) }
}

extension TypeName: NativeValue {
    static var celType: CELType { .type }
    static func native(_ value: Value) -> TypeName? { if case .type(let type) = value { type } else { nil } }
    var celValue: Value { .type(self) }
}

/// A value of any type.
extension Value: NativeValue {
    static var celType: CELType { .dyn }
    static func native(_ value: Value) -> Value? { value }
    var celValue: Value { self }
}
