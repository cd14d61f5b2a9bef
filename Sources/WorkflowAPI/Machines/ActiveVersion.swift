public import WorkflowJSON

/// The version that new instances of a machine take, where they do not say one.
public enum ActiveVersion: Hashable, WireValue, LosslessStringConvertible {
    /// On the wire `"latest"`: whatever was applied last.
    case latest
    case version(Int64)

    /// Reads `latest` or a number from 1 on; nil for anything else.
    public init?(_ description: String) {
        if description == Self.word {
            self = .latest
        } else if let number = Int64(decimal: description), number > 0 {
            self = .version(number)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .latest: Self.word
        case .version(let number): String(number)
        }
    }

    /// The number; nil for the latest.
    public var number: Int64? {
        if case .version(let number) = self { number } else { nil }
    }

    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> ActiveVersion {
        switch json {
        case .string(word): return .latest
        case .int(let number) where number > 0: return .version(number)
        default:
            throw WireError(
                .invalidValue, path: place.path,
                message: "Field '\(place.path)' must be '\(word)' or a version: 1, 2, …")
        }
    }

    public func write(to writer: inout JSONWriter) {
        switch self {
        case .latest: writer.string(Self.word)
        case .version(let number): writer.integer(number)
        }
    }

    public static func described(in book: inout SchemaBook) -> (schema: JSONObject, example: ActiveVersion) {
        (["anyOf": [["type": "integer", "minimum": 1], ["type": "string", "const": .string(word)]]], .latest)
    }

    private static let word = "latest"
}

/// The body of `POST /v1/machines/NAME/active`.
public struct ActivateRequest: Equatable, WireRecord {
    public var version: ActiveVersion

    /// Takes the version as it is.
    public init(version: ActiveVersion) { self.version = version }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        version = try fields.required("version", \.version)
    }
}

/// The query of `POST /v1/machines`.
public struct ApplyParameters: Hashable, Sendable {
    /// Whether new instances may take the version; else they go on with the one of before.
    public var activate: Bool

    /// Takes the parts as they are.
    public init(activate: Bool = true) { self.activate = activate }

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        activate = try fields.bool("activate", absent: true)
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty when everything is as by default.
    public var queryText: String {
        var query = QueryText()
        query.add("activate", activate ? nil : "false")
        return query.text
    }
}
