public import WorkflowJSON
import WorkflowSpelling

/// What to do with a field that a wire type does not have.
public enum UnknownFields: Sendable {
    /// It is a mistake: what a server does with a request, so that a misspelt field is never ignored.
    case refused
    /// It is passed over: what a client does with an answer, so that it works with newer daemons.
    case ignored
}

/// Where a value stands, and how strictly it is read.
public struct WirePlace: Sendable {
    /// From the body down: `expect.seq`, `items[3]`; empty for the body itself.
    public let path: String
    public let unknownFields: UnknownFields

    /// The place of a whole body.
    public init(unknownFields: UnknownFields) {
        self.init(path: "", unknownFields: unknownFields)
    }

    init(path: String, unknownFields: UnknownFields) {
        self.path = path
        self.unknownFields = unknownFields
    }

    /// The place of a field of the object here.
    func field(_ name: String) -> WirePlace {
        WirePlace(path: path.isEmpty ? name : "\(path).\(name)", unknownFields: unknownFields)
    }

    /// The place of an element of the list here.
    func element(_ index: Int) -> WirePlace {
        WirePlace(path: "\(path)[\(index)]", unknownFields: unknownFields)
    }

    /// The mistake that a value of another kind stands here.
    func expected(_ kind: String, found value: JSONValue) -> WireError {
        let subject = path.isEmpty ? "The body" : "Field '\(path)'"
        let article = kind == "int" ? "an" : "a"
        return WireError(
            .invalidValue, path: path, message: "\(subject) must be \(article) \(kind), not \(value.describedKind)")
    }
}

/// What can be read from one JSON value.
public protocol WireReadable {
    /// Reads the value that stands at this place.
    static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Self
}

/// A JSON object with named fields.
public protocol WireObject: WireReadable, JSONWritable, Sendable {
    /// Takes every field it knows; what it does not take is unknown.
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

    /// Reads a line of a body or of a file. Whoever knows the line's number tells it; the message has the column only.
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
    /// What kind of value this is, with its article: `a string`, `an int`, `null`.
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

    /// The whole numbers that every reader of JSON keeps exactly (RFC 8259, section 6). Whoever adds some of them, or
    /// takes one of them a thousand times, stays within 64 bits.
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

/// The fields of a JSON object while they are being read: it remembers which ones were asked for.
public struct WireFields {
    private let object: JSONObject
    private let place: WirePlace
    private var known: [String] = []

    /// Stands for fields that are read elsewhere.
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

    /// A field that must be there.
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

    /// A field that may be absent; null counts as absent.
    public mutating func optional<Value: WireReadable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(WireError) -> Value? {
        known.append(name)
        guard let value = object[name] else { return nil }
        if case .null = value { return nil }
        return try Value.read(value, at: place.field(name))
    }

    /// The values of a field that has one, or a list of some; none when it is absent. Equal values count once.
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

    /// Whether a field that may be absent is there and null.
    func isNull(_ name: String) -> Bool { object[name] == .null }

    /// A field that must be there, of a size within bounds.
    mutating func required<Value: WireBounded>(
        _ name: String, in range: ClosedRange<Int>
    ) throws(WireError) -> Value {
        try bounded(required(name), name, in: range)
    }

    /// A field that may be absent, of a size within bounds.
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

    /// Throws for the first field, in the order of their names, that nobody asked for.
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

/// Why a body, a query or an answer is not what its wire type asks for.
public struct WireError: Error, Equatable, CustomStringConvertible {
    /// What kind of mistake it is.
    public enum Code: String, Sendable {
        /// Not JSON, or JSON with a number that cannot be kept.
        case malformed
        /// A field that the type does not have.
        case unknownField = "unknown-field"
        /// A field that must be there is not.
        case missingField = "missing-field"
        /// A value of the wrong kind or outside of its range.
        case invalidValue = "invalid-value"
        /// A query parameter that is unknown, repeated, or has a value that it cannot have.
        case invalidParameter = "invalid-parameter"
    }

    public let code: Code
    /// Where it is, from the body down: `expect.seq`, `items[3].from`; a parameter's name; empty for the body itself.
    public let path: String
    /// What is wrong, on which thing, and what to do; no full stop at its end.
    public let message: String

    /// Takes the parts as they are.
    public init(_ code: Code, path: String, message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    public var description: String { message }

    /// The problem with which a server answers this mistake.
    public var problemType: ProblemType {
        code == .invalidParameter ? .invalidParameter : .invalidRequest
    }
}
