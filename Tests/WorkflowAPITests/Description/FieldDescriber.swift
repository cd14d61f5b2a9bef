import WorkflowAPI
import WorkflowJSON

/// Describes the fields of a record as a schema.
struct FieldDescriber<Root>: FieldVisitor {
    typealias Failure = Never
    let book: SchemaBook
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
        let item = (Value.self as? any ListType.Type).flatMap { SchemaBook.outline(of: $0.element) }
        outline.append(item.map { "\(name): [\($0)…]" } ?? name)
        add(name, book.schema(of: Value.self))
        return book.example(of: Value.self)
    }

    mutating func optional<Value: WireValue>(_ name: String, _ value: (Root) -> Value?) -> Value? {
        outline.append(name + "?")
        add(name, book.schema(of: Value.self))
        return nil
    }

    mutating func required<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value, in range: ClosedRange<Int>
    ) -> Value {
        names.append(.string(name))
        outline.append(name)
        add(name, book.schema(of: Value.self, in: range))
        return book.example(of: Value.self)
    }

    mutating func optional<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value?, in range: ClosedRange<Int>
    ) -> Value? {
        outline.append(name + "?")
        add(name, book.schema(of: Value.self, in: range))
        return nil
    }

    mutating func nullable<Value: WireValue>(_ name: String, _ value: (Root) -> Value?) -> Value? {
        outline.append(name)
        add(name, ["anyOf": [.object(book.schema(of: Value.self)), ["type": "null"]]])
        return nil
    }

    mutating func oneOrMore<Value: WireValue & Equatable>(_ name: String, _ value: (Root) -> [Value]) -> [Value] {
        outline.append(name + "?")
        let schema = JSONValue.object(book.schema(of: Value.self))
        let list: JSONValue = [
            "type": "array", "items": schema, "minItems": 1, "maxItems": .int(Int64(APILimits.addedUp)),
        ]
        add(name, ["anyOf": [schema, list]])
        return []
    }

    mutating func inlined<Value: WireRecord>(_ value: (Root) -> Value) -> Value {
        let fields = book.fields(of: Value.self)
        for member in fields.properties.members { properties[member.key] = member.value }
        names += fields.names
        outline += fields.outline
        return book.example(of: Value.self)
    }

    private mutating func add(_ name: String, _ schema: JSONObject) {
        properties[name] = .object(book.comments.describe(schema, field: name, of: Root.self))
    }
}
