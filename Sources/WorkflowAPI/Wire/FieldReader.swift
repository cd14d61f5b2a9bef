/// Reads the fields of a record from a JSON object.
struct FieldReader<Root>: FieldVisitor {
    var fields: WireFields

    mutating func required<Value: WireValue>(
        _ name: String, _ value: (Root) -> Value
    ) throws(WireError) -> Value {
        try fields.required(name)
    }

    mutating func optional<Value: WireValue>(
        _ name: String, _ value: (Root) -> Value?
    ) throws(WireError) -> Value? {
        try fields.optional(name)
    }

    mutating func required<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value, in range: ClosedRange<Int>
    ) throws(WireError) -> Value {
        try fields.required(name, in: range)
    }

    mutating func optional<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value?, in range: ClosedRange<Int>
    ) throws(WireError) -> Value? {
        try fields.optional(name, in: range)
    }

    mutating func nullable<Value: WireValue>(
        _ name: String, _ value: (Root) -> Value?
    ) throws(WireError) -> Value? {
        try fields.nullable(name)
    }

    mutating func oneOrMore<Value: WireValue & Equatable>(
        _ name: String, _ value: (Root) -> [Value]
    ) throws(WireError) -> [Value] {
        try fields.oneOrMore(name)
    }

    mutating func inlined<Value: WireRecord>(_ value: (Root) -> Value) throws(WireError) -> Value {
        try Value(fields: &fields)
    }
}
