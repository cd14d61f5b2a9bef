public import WorkflowJSON

/// A type of the wire that has a schema.
public protocol WireDescribed: SendableMetatype {
    /// Returns the schema, in which records are references into the book.
    static func schema(in book: inout SchemaBook) -> JSONObject
    /// The type of the elements of a list; `nil` for all other types.
    static var itemType: (any WireDescribed.Type)? { get }
}

extension WireDescribed {
    public static var itemType: (any WireDescribed.Type)? { nil }
}

/// A value on the wire: it can be read and written, and has a schema.
public protocol WireValue: WireDescribed, WireReadable, JSONWritable, Sendable {
    /// Returns the schema, in which records are references into the book, and any value.
    static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: Self)
}

extension WireValue {
    public static func schema(in book: inout SchemaBook) -> JSONObject { described(in: &book).schema }
}

/// A value whose size can be bounded.
public protocol WireBounded: WireValue {
    /// The size to which the bounds apply.
    var size: Int { get }
    /// Returns the end of the message for a size out of bounds, after `Field 'max' must `.
    static func message(_ range: ClosedRange<Int>, not size: Int) -> String
    /// Returns the bounds as a schema.
    static func bounds(_ range: ClosedRange<Int>) -> JSONObject
}

extension Int: WireBounded {
    public var size: Int { self }

    public static func message(_ range: ClosedRange<Int>, not size: Int) -> String {
        "be from \(range.lowerBound) to \(range.upperBound), not \(size)"
    }

    public static func bounds(_ range: ClosedRange<Int>) -> JSONObject {
        ["minimum": .int(Int64(range.lowerBound)), "maximum": .int(Int64(range.upperBound))]
    }

    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: Int) {
        (["type": "integer"], 0)
    }
}

extension String: WireBounded {
    public var size: Int { utf8.count }

    public static func message(_ range: ClosedRange<Int>, not size: Int) -> String {
        "have \(range.lowerBound) to \(range.upperBound) bytes, not \(size)"
    }

    /// Returns the bounds in characters, which a schema counts. The description has the exact bounds in bytes.
    public static func bounds(_ range: ClosedRange<Int>) -> JSONObject {
        [
            "minLength": .int(Int64(range.lowerBound.signum())), "maxLength": .int(Int64(range.upperBound)),
            "description": .string("\(range.lowerBound) to \(range.upperBound) bytes of UTF-8"),
        ]
    }

    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: String) {
        (["type": "string"], "")
    }
}

extension Int64: WireValue {
    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: Int64) {
        (["type": "integer"], 0)
    }
}

extension Double: WireValue {
    public func write(to writer: inout JSONWriter) { JSONValue.double(self).write(to: &writer) }

    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: Double) {
        (["type": "number"], 0)
    }
}

extension Bool: WireValue {
    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: Bool) {
        (["type": "boolean"], false)
    }
}

extension JSONValue: WireValue {
    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: JSONValue) { ([:], .null) }
}

extension JSONObject: WireValue {
    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: JSONObject) {
        (["type": "object"], [:])
    }
}

extension Array: WireDescribed, WireValue where Element: WireValue {
    public static var itemType: (any WireDescribed.Type)? { Element.self }

    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: [Element]) {
        (["type": "array", "items": .object(Element.described(in: &book).schema)], [])
    }
}
