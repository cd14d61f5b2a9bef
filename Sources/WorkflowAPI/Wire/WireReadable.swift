public import WorkflowJSON
import WorkflowSpelling

/// The treatment of a field that a wire type does not have.
public enum UnknownFields: Sendable {
    /// The field is an error, as in a request that a server reads: a misspelt field is never ignored.
    case refused
    /// The field is ignored, as in an answer that a client reads: the client works with newer daemons.
    case ignored
}

/// The place of a value, and the treatment of unknown fields in it.
public struct WirePlace: Sendable {
    /// The path from the body down: `expect.seq`, `items[3]`; empty for the body itself.
    public let path: String
    public let unknownFields: UnknownFields

    /// Creates the place of a whole body.
    public init(unknownFields: UnknownFields) {
        self.init(path: "", unknownFields: unknownFields)
    }

    init(path: String, unknownFields: UnknownFields) {
        self.path = path
        self.unknownFields = unknownFields
    }

    /// Returns the place of a field of the object at this place.
    func field(_ name: String) -> WirePlace {
        WirePlace(path: path.isEmpty ? name : "\(path).\(name)", unknownFields: unknownFields)
    }

    /// Returns the place of an element of the list at this place.
    func element(_ index: Int) -> WirePlace {
        WirePlace(path: "\(path)[\(index)]", unknownFields: unknownFields)
    }

    /// Returns the error for a value of another kind at this place.
    func expected(_ kind: String, found value: JSONValue) -> WireError {
        let subject = path.isEmpty ? "The body" : "Field '\(path)'"
        let article = kind == "int" ? "an" : "a"
        return WireError(
            .invalidValue, path: path, message: "\(subject) must be \(article) \(kind), not \(value.describedKind)")
    }
}

/// A type that can be read from a JSON value.
public protocol WireReadable {
    /// Reads the value at a place.
    static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Self
}

/// A JSON object with named fields.
public protocol WireObject: WireReadable, JSONWritable, Sendable {
    /// Reads every known field. A field that was not read is unknown.
    init(fields: inout WireFields) throws(WireError)
}

extension WireObject {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Self {
        guard let object = json.object else { throw place.expected("map", found: json) }
        var fields = WireFields(object, at: place)
        let value = try Self(fields: &fields)
        try fields.refuseUnknown()
        return value
    }

    /// Reads a whole body.
    public init(json: JSONValue, unknownFields: UnknownFields = .refused) throws(WireError) {
        self = try Self.read(json, at: WirePlace(unknownFields: unknownFields))
    }

    /// Reads a whole body from its text.
    public init(body: some Collection<UInt8>, unknownFields: UnknownFields = .refused) throws(WireError) {
        let json: JSONValue
        do {
            json = try JSONReader.value(from: body)
        } catch {
            throw WireError(.malformed, path: "", message: "The body is not JSON: \(error.description)")
        }
        self = try Self.read(json, at: WirePlace(unknownFields: unknownFields))
    }

    /// Reads a line of a body or of a file. The caller reports the number of the line; the message has only the column.
    public init(line: some Collection<UInt8>) throws(WireError) {
        let json: JSONValue
        do {
            json = try JSONReader.value(from: line)
        } catch {
            throw WireError(
                .malformed, path: "", message: "The line is not JSON at column \(error.column): \(error.message)")
        }
        guard json.object != nil else {
            throw WireError(.invalidValue, path: "", message: "The line must be a map, not \(json.describedKind)")
        }
        self = try Self.read(json, at: WirePlace(unknownFields: .refused))
    }
}

extension JSONValue {
    /// The kind of the value with its article: `a string`, `an int`, `null`.
    package var describedKind: String {
        switch self {
        case .null: "null"
        case .int: "an int"
        default: "a \(kind)"
        }
    }
}

extension JSONValue: WireReadable {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> JSONValue { json }
}

extension JSONObject: WireReadable {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> JSONObject {
        guard let object = json.object else { throw place.expected("map", found: json) }
        return object
    }
}

extension String: WireReadable {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> String {
        guard let string = json.string else { throw place.expected("string", found: json) }
        return string
    }
}

extension Int64: WireReadable {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Int64 {
        guard case .int(let int) = json else { throw place.expected("int", found: json) }
        guard wireRange.contains(int) else {
            throw WireError(
                .invalidValue, path: place.path,
                message:
                    "Field '\(place.path)' must be from \(wireRange.lowerBound) to \(wireRange.upperBound), not \(int)")
        }
        return int
    }

    /// The whole numbers that every reader of JSON keeps exactly (RFC 8259, section 6). Sums of a few of them, and one
    /// of them multiplied by a thousand, stay within 64 bits.
    private static let wireRange: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991
}

extension Int: WireReadable {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Int {
        Int(try Int64.read(json, at: place))
    }
}

extension Double: WireReadable {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Double {
        switch json {
        case .double(let double): return double
        case .int(let int): return Double(int)
        default: throw place.expected("number", found: json)
        }
    }
}

extension Bool: WireReadable {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Bool {
        guard case .bool(let bool) = json else { throw place.expected("bool", found: json) }
        return bool
    }
}

extension Array: WireReadable where Element: WireReadable {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> [Element] {
        guard case .array(let values) = json else { throw place.expected("list", found: json) }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            elements.append(try Element.read(value, at: place.element(index)))
        }
        return elements
    }
}

/// The fields of a JSON object while they are being read. Remembers which of them were requested.
public struct WireFields {
    private let object: JSONObject
    private let place: WirePlace
    private var known: [String] = []

    /// An object without fields, for fields that are read elsewhere.
    static var none: WireFields { WireFields(place: WirePlace(unknownFields: .ignored)) }

    private init(place: WirePlace) {
        object = JSONObject()
        self.place = place
    }

    init(_ object: JSONObject, at place: WirePlace) {
        self.object = object
        self.place = place
        known.reserveCapacity(8)
    }

    /// Reads a field that must be present.
    public mutating func required<Value: WireReadable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        known.append(name)
        let here = place.field(name)
        guard let value = object[name] else {
            throw WireError(.missingField, path: here.path, message: "Field '\(here.path)' is missing")
        }
        return try Value.read(value, at: here)
    }

    /// Reads a field that may be absent; null counts as absent.
    public mutating func optional<Value: WireReadable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(WireError) -> Value? {
        known.append(name)
        guard let value = object[name] else { return nil }
        // 'null' is no answer to a question such as 'dryRun', and must not carry out what somebody meant to try.
        if case .null = value, Value.self != Bool.self { return nil }
        return try Value.read(value, at: place.field(name))
    }

    /// Reads a field in which null is a value of its own.
    mutating func nullable<Value: WireReadable>(_ name: String) throws(WireError) -> Value? {
        guard isNull(name) else { return try optional(name) }
        known.append(name)
        return nil
    }

    /// Reads the values of a field that has one value or a list; none if it is absent. Equal values count once.
    mutating func oneOrMore<Value: WireReadable & Equatable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(WireError) -> [Value] {
        guard case .array? = object[name] else { return try optional(name, as: Value.self).map { [$0] } ?? [] }
        let values = try required(name, as: [Value].self)
        let path = place.field(name).path
        guard !values.isEmpty else {
            throw WireError(.invalidValue, path: path, message: "Field '\(path)' must have a value in its list")
        }
        guard values.count <= APILimits.addedUp else {
            throw WireError(
                .invalidValue, path: path, message: "Field '\(path)' must have at most \(APILimits.addedUp) values")
        }
        return values.enumerated().filter { place, value in !values[..<place].contains(value) }.map(\.element)
    }

    /// Returns true if an optional field is present and null.
    func isNull(_ name: String) -> Bool { object[name] == .null }

    /// Reads a field that must be present, of a size within bounds.
    mutating func required<Value: WireBounded>(
        _ name: String, in range: ClosedRange<Int>
    ) throws(WireError) -> Value {
        try bounded(required(name), name, in: range)
    }

    /// Reads a field that may be absent, of a size within bounds.
    mutating func optional<Value: WireBounded>(
        _ name: String, in range: ClosedRange<Int>
    ) throws(WireError) -> Value? {
        guard let value: Value = try optional(name) else { return nil }
        return try bounded(value, name, in: range)
    }

    private func bounded<Value: WireBounded>(
        _ value: Value, _ name: String, in range: ClosedRange<Int>
    ) throws(WireError) -> Value {
        guard !range.contains(value.size) else { return value }
        let path = place.field(name).path
        throw WireError(
            .invalidValue, path: path, message: "Field '\(path)' must \(Value.message(range, not: value.size))")
    }

    /// Throws for the first field, in the order of names, that was not requested.
    func refuseUnknown() throws(WireError) {
        guard place.unknownFields == .refused,
            let name = object.members.first(where: { !known.contains($0.key) })?.key
        else { return }
        let path = place.field(name).path
        let hint = Spelling.closest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
        throw WireError(
            .unknownField, path: path,
            message: "Unknown field '\(path)' (known here: \(known.joined(separator: ", ")))\(hint)"
        )
    }
}

/// The reason why a body, a query or an answer does not match its wire type.
public struct WireError: Error, Equatable, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: String, Sendable {
        /// The text is not JSON, or has a number that cannot be kept.
        case malformed
        /// The type has no such field.
        case unknownField = "unknown-field"
        /// A required field is absent.
        case missingField = "missing-field"
        /// A value has the wrong kind, or is out of range.
        case invalidValue = "invalid-value"
        /// A query parameter is unknown, repeated, or has a wrong value.
        case invalidParameter = "invalid-parameter"
    }

    public let code: Code
    /// The place from the body down, such as `expect.seq` or `items[3].from`; a parameter's name; empty for the body
    /// itself.
    public let path: String
    /// The error, the thing that it concerns, and the remedy; no full stop at the end.
    public let message: String

    /// Creates a value from its parts.
    public init(_ code: Code, path: String, message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    public var description: String { message }

    /// The type of the problem with which a server answers this error.
    public var problemType: ProblemType {
        code == .invalidParameter ? .invalidParameter : .invalidRequest
    }
}
