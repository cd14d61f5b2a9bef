package import WorkflowJSON

/// A value of the expression language: a variable's value or an expression's result.
///
/// Lists and maps from JSON stay JSON, and elements are converted as they are read. So passing a large document to an
/// expression costs nothing.
package enum Value: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    case bytes([UInt8])
    case list(ListValue)
    case map(MapValue)
    case timestamp(Timestamp)
    /// A duration of at most ±315,576,000,000 s, in whole nanoseconds.
    case duration(Duration)
    case type(TypeName)
    /// An optional, such as the result of `a.?b`: a value, or none.
    indirect case optional(Value?)
}

extension Value {
    /// Creates the value of a JSON document without copying. Integers become `int`, other numbers `double`.
    package init(_ json: JSONValue) {
        self =
            switch json {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .int(let int): .int(int)
            case .double(let double): .double(double)
            case .string(let string): .string(string)
            case .array(let array): .list(.json(array))
            case .object(let object): .map(.json(object))
            }
    }

    /// The name of the value's type: `int`, `list`, `google.protobuf.Timestamp` …
    package var typeName: TypeName {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .string: .string
        case .bytes: .bytes
        case .list: .list
        case .map: .map
        case .timestamp: .timestamp
        case .duration: .duration
        case .type: .type
        case .optional: .optional
        }
    }
}

/// A type as a value: the result of `type(x)`, and the meaning of `int` alone.
package enum TypeName: String, Sendable, CaseIterable {
    case null = "null_type"
    case bool, int, uint, double, string, bytes, list, map
    case timestamp = "google.protobuf.Timestamp"
    case duration = "google.protobuf.Duration"
    case type
    case optional = "optional_type"

    /// The word for messages: `timestamp` rather than `google.protobuf.Timestamp`.
    package var word: String {
        switch self {
        case .null: "null"
        case .timestamp: "timestamp"
        case .duration: "duration"
        case .optional: "optional"
        default: rawValue
        }
    }
}

extension TypeName {
    /// The word with its article: `a string`, `an int`, `null`.
    var withArticle: String {
        switch self {
        case .null: word
        case .bytes: "bytes"
        case .int, .optional: "an \(word)"
        default: "a \(word)"
        }
    }
}
