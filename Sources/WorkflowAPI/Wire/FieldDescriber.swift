import WorkflowJSON

/// Describes the fields of a record as a schema.
struct FieldDescriber<Root>: FieldVisitor {
    typealias Failure = Never
    var book: SchemaBook
    /// The names of the fields in their order, with `?` after those that may be absent.
    private(set) var outline: [String] = []
    private var properties = JSONObject()
    private var names: [JSONValue] = []

    /// Creates a describer that adds the types of fields to a book.
    init(book: SchemaBook) { self.book = book }

    /// The schema of the record.
    var object: JSONObject {
        var object: JSONObject = ["type": "object", "properties": .object(properties)]
        if !names.isEmpty { object["required"] = .array(names) }
        return object
    }

    mutating func required<Value: WireValue>(_ name: String, _ value: (Root) -> Value) -> Value {
        names.append(.string(name))
        let item = Value.itemType.flatMap { SchemaBook.outline(of: $0) }
        outline.append(item.map { "\(name): [\($0)…]" } ?? name)
        return add(name)
    }

    mutating func optional<Value: WireValue>(_ name: String, _ value: (Root) -> Value?) -> Value? {
        outline.append(name + "?")
        _ = add(name) as Value
        return nil
    }

    mutating func required<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value, in range: ClosedRange<Int>
    ) -> Value {
        names.append(.string(name))
        outline.append(name)
        return add(name, bounds: Value.bounds(range))
    }

    mutating func optional<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value?, in range: ClosedRange<Int>
    ) -> Value? {
        outline.append(name + "?")
        _ = add(name, bounds: Value.bounds(range)) as Value
        return nil
    }

    mutating func nullable<Value: WireValue>(_ name: String, _ value: (Root) -> Value?) -> Value? {
        let schema = Value.described(in: &book).schema
        outline.append(name)
        properties[name] = ["anyOf": [.object(schema), ["type": "null"]]]
        return nil
    }

    mutating func oneOrMore<Value: WireValue & Equatable>(_ name: String, _ value: (Root) -> [Value]) -> [Value] {
        let schema = Value.described(in: &book).schema
        let list: JSONObject = [
            "type": "array", "items": .object(schema), "minItems": 1, "maxItems": .int(Int64(APILimits.addedUp)),
        ]
        outline.append(name + "?")
        properties[name] = ["anyOf": [.object(schema), .object(list)]]
        return []
    }

    mutating func inlined<Value: WireInlined>(_ value: (Root) -> Value) -> Value {
        let (fields, example) = Value.inlinedFields(in: &book)
        for member in fields["properties"]?.object?.members ?? [] { properties[member.key] = member.value }
        if case .array(let required)? = fields["required"] { names += required }
        outline += (SchemaBook.outline(of: Value.self)?.dropFirst().dropLast()).map { [String($0)] } ?? []
        return example
    }

    private mutating func add<Value: WireValue>(_ name: String, bounds: JSONObject = [:]) -> Value {
        var (schema, example) = Value.described(in: &book)
        for bound in bounds.members { schema[bound.key] = bound.value }
        properties[name] = .object(schema)
        return example
    }
}
