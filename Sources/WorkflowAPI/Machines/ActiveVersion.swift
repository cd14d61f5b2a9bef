public import WorkflowJSON

/// The version that new instances of a machine take by default.
public enum ActiveVersion: Hashable, WireValue, LosslessStringConvertible {
    /// The version that was applied last; `"latest"` on the wire.
    case latest
    case version(Int64)

    /// Reads `latest` or a number from 1 on; `nil` for any other text.
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

    /// The version's number; `nil` for the latest.
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

    private static let word = "latest"
}

/// The body of `POST /v1/machines/NAME/active`.
public struct ActivateRequest: Equatable, WireRecord {
    /// A version of the machine, or `latest`.
    public var version: ActiveVersion

    /// Creates the request from a version.
    public init(version: ActiveVersion) { self.version = version }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        version = try fields.required("version", \.version)
    }
}

/// The query of `POST /v1/machines`.
public struct ApplyParameters: Hashable, Sendable {
    /// True if new instances may take the version; otherwise they continue to take the previous one.
    public var activate: Bool

    /// Creates a value from its parts.
    public init(activate: Bool = true) { self.activate = activate }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        activate = try fields.bool("activate", absent: true)
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("activate", activate ? nil : "false")
        return query.text
    }
}
