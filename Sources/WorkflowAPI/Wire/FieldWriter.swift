import WorkflowJSON

/// Writes the fields of a record. As a visitor, it also makes a copy of the record.
struct FieldWriter<Root>: FieldVisitor {
    typealias Failure = Never
    var writer = JSONWriter()
    private let root: Root

    /// Creates a writer for a record.
    init(_ root: Root) {
        self.root = root
    }

    mutating func required<Value: WireValue>(_ name: String, _ value: (Root) -> Value) -> Value {
        let value = value(root)
        writer.field(name, value)
        return value
    }

    mutating func optional<Value: WireValue>(_ name: String, _ value: (Root) -> Value?) -> Value? {
        let value = value(root)
        writer.field(name, ifPresent: value)
        return value
    }

    mutating func required<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value, in range: ClosedRange<Int>
    ) -> Value {
        required(name, value)
    }

    mutating func optional<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value?, in range: ClosedRange<Int>
    ) -> Value? {
        optional(name, value)
    }

    mutating func nullable<Value: WireValue>(_ name: String, _ value: (Root) -> Value?) -> Value? {
        let value = value(root)
        if let value { writer.field(name, value) } else { writer.field(name, JSONValue.null) }
        return value
    }

    mutating func oneOrMore<Value: WireValue & Equatable>(_ name: String, _ value: (Root) -> [Value]) -> [Value] {
        let values = value(root)
        if values.count > 1 { writer.field(name, values) } else { writer.field(name, ifPresent: values.first) }
        return values
    }

    mutating func inlined<Value: WireRecord>(_ value: (Root) -> Value) -> Value {
        let value = value(root)
        value.writeFields(to: &writer)
        return value
    }
}
