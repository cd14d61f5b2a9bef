public import WorkflowJSON

/// The schemas of records by their names, as JSON Schema 2020-12.
public struct SchemaBook: Sendable {
    /// The schemas of all records that have been described.
    public private(set) var schemas: [String: JSONObject] = [:]
    private let prefix: String

    /// Creates an empty book whose references begin with a prefix, such as `#/$defs/`.
    public init(prefix: String) { self.prefix = prefix }

    /// Describes a record once, and returns a reference to it.
    mutating func record<Record: WireRecord>(_ type: Record.Type) -> (schema: JSONObject, example: Record) {
        let (fields, example) = fields(of: type)
        return (refer(to: type, fields), example)
    }

    /// Describes the fields of a record, without a name.
    mutating func fields<Record: WireRecord>(of type: Record.Type) -> (schema: JSONObject, example: Record) {
        var describer = FieldDescriber<Record>(book: self)
        let example = Record(fields: &describer)
        self = describer.book
        return (describer.object, example)
    }

    /// Returns the names of a record's fields, and of the fields in its lists, as in `{items: [{event, accepted}…],
    /// tags?}`.
    ///
    /// The result is `nil` for a type that is not a record.
    static func outline(of type: any WireDescribed.Type) -> String? {
        func outline<Record: WireRecord>(_ record: Record.Type) -> String {
            var describer = FieldDescriber<Record>(book: SchemaBook(prefix: ""))
            _ = Record(fields: &describer)
            return "{" + describer.outline.joined(separator: ", ") + "}"
        }
        return (type as? any WireRecord.Type).map { outline($0) }
    }

    /// Describes an object that has always the same fields, and one of several others.
    mutating func choice(
        _ type: Any.Type, always: JSONObject = [:], of fields: [(name: String, type: any WireDescribed.Type)]
    ) -> JSONObject {
        let choices = fields.map { field in
            var properties = always
            properties[field.name] = .object(field.type.schema(in: &self))
            let names = (always.keys + [field.name]).map { JSONValue.string($0) }
            return JSONValue.object(["type": "object", "properties": .object(properties), "required": .array(names)])
        }
        return refer(to: type, ["oneOf": .array(choices)])
    }

    /// Describes a type under its name, and returns a reference to it.
    mutating func refer(to type: Any.Type, _ schema: JSONObject) -> JSONObject {
        let name = Self.name(of: type)
        schemas[name] = schema
        return ["$ref": .string(prefix + name)]
    }

    /// Returns the name of a type without its module: `InstanceFailure` for `Instance.Failure`, `PageOfInstance` for a
    /// page.
    private static func name(of type: Any.Type) -> String {
        let text = String(reflecting: type).replacing("WorkflowAPI.", with: "").replacing("<", with: "Of")
        return String(text.filter { $0 != ">" && $0 != "." })
    }
}
