/// A JSON value as the engine keeps it: integers and other numbers are distinct, and each value has one written form.
///
/// Two values are equal if their written forms have the same bytes. Strings are compared by their UTF-8 bytes, not by
/// Unicode equivalence, because wfd stores and hashes bytes.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction and exponent; it fits 64 bits.
    case int(Int64)
    /// Any other number; always finite. Written with a fraction or an exponent (`1.0`), so that it is read back as a
    /// double.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The object, or `nil` if the value has another kind.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The string, or `nil` if the value has another kind.
    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The kind of the value in the words of messages: `string`, `list`, `map` …
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .double: "double"
        case .string: "string"
        case .array: "list"
        case .object: "map"
        }
    }
}

extension JSONValue: Equatable {
    public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

// No nil literal: `condition ? value : nil` would silently become `.null` if an optional is meant.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}
