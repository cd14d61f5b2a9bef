import WorkflowAPI
import WorkflowJSON

/// The schemas of records and words by their names, as JSON Schema 2020-12, with the comments of the source.
final class SchemaBook {
    private(set) var schemas: [String: JSONObject] = [:]
    let comments: SourceComments
    private let prefix: String

    /// Creates an empty book whose references begin with a prefix, such as `#/$defs/`.
    init(prefix: String, comments: SourceComments = SourceComments()) {
        self.prefix = prefix
        self.comments = comments
    }

    /// Returns the schema of a type, in which records and words are references into the book.
    func schema(of type: Any.Type) -> JSONObject {
        switch type {
        case is Int.Type, is Int64.Type: ["type": "integer"]
        case is Double.Type: ["type": "number"]
        case is Bool.Type: ["type": "boolean"]
        case is String.Type: ["type": "string"]
        case is WireTime.Type: ["type": "string", "format": "date-time"]
        case is JSONValue.Type, is JSONText.Type: [:]
        case is JSONObject.Type: ["type": "object"]
        case is [String: String].Type: ["type": "object", "additionalProperties": ["type": "string"]]
        case let list as any ListType.Type: ["type": "array", "items": .object(schema(of: list.element))]
        case let record as any WireRecord.Type: refer(to: record) { object(of: record) }
        case let words as any WireWord.Type: refer(to: words) { ["type": "string", "enum": Self.words(of: words)] }
        default: writtenByHand(type)
        }
    }

    /// Returns a reference to a type, which is described once.
    func refer(to type: Any.Type, _ describe: () -> JSONObject) -> JSONObject {
        let name = comments.name(of: type).replacing(".", with: "")
        if schemas[name] == nil {
            var schema = describe()
            schema["description"] = comments.text(of: type).map { .string($0) }
            schemas[name] = schema
        }
        return ["$ref": .string(prefix + name)]
    }

    /// Describes the fields of a record, without a name.
    func fields<Record: WireRecord>(of type: Record.Type) -> FieldDescriber<Record> {
        var describer = FieldDescriber<Record>(book: self)
        _ = Record(fields: &describer)
        return describer
    }

    /// Returns any value of a type.
    func example<Value: WireValue>(of type: Value.Type) -> Value {
        func record<Record: WireRecord>(_ type: Record.Type) -> Record {
            var describer = FieldDescriber<Record>(book: self)
            return Record(fields: &describer)
        }
        if let type = type as? any WireRecord.Type, let value = record(type) as? Value { return value }
        var candidates: [JSONValue] = [
            .null, .bool(false), .int(1), .string(""), "2026-07-31T09:30:00.000Z", [], [:], ["verb": "retry"],
        ]
        if let words = type as? any WireWord.Type, case .array(let words) = Self.words(of: words) {
            candidates += words
        }
        for candidate in candidates {
            // A candidate of another kind is no value of the type; the next one is tried.
            if let value = try? Value.read(candidate, at: WirePlace(unknownFields: .refused)) { return value }
        }
        preconditionFailure("no example of '\(type)'")
    }

    /// Returns the names of a record's fields, and of the fields in its lists, as in `{items: [{event, accepted}…],
    /// tags?}`; `nil` for a type that is not a record.
    static func outline(of type: Any.Type) -> String? {
        func outline<Record: WireRecord>(_ type: Record.Type) -> String {
            "{" + SchemaBook(prefix: "").fields(of: type).outline.joined(separator: ", ") + "}"
        }
        return (type as? any WireRecord.Type).map { outline($0) }
    }

    private func object<Record: WireRecord>(of type: Record.Type) -> JSONObject { fields(of: type).object }

    private static func words<Word: WireWord>(of type: Word.Type) -> JSONValue {
        .array(type.allCases.map { .string($0.rawValue) })
    }
}

/// A list, whose elements can be described.
protocol ListType {
    static var element: Any.Type { get }
}

extension Array: ListType {
    static var element: Any.Type { Element.self }
}

extension Route.Form {
    /// The text for readers, such as `{event, data?}`.
    var text: String { note ?? type.flatMap { SchemaBook.outline(of: $0) } ?? "" }
}
