public import WorkflowJSON

/// A request that the daemon serves: a method and a path.
///
/// `Route.all` is the table of routes. Server, client and documentation read it, so that they cannot disagree.
public struct Route: Sendable {
    /// The route's name in the table, which identifies it in the API's description.
    public let name: String
    public let method: Method
    public let template: PathTemplate
    public let permission: Permission
    /// The daemon that carries the route out, for a store that several daemons serve.
    public let place: Place
    public let body: Body
    /// The names of the query's parameters; `nil` if the query is ignored.
    public let query: [String]?
    public let answer: Answer
    /// The problems that can be the answer, besides `commonProblems`.
    public let problems: [ProblemType]

    /// The methods of the API.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// A permission that a caller needs. A role is a set of permissions.
    public enum Permission: String, Sendable, CaseIterable {
        /// To ask if the daemon is alive; nobody needs a role for it.
        case health
        /// To read metrics and the status, and to ask which caller the daemon sees.
        case status
        /// To read machines, instances and their history.
        case read
        /// To start instances and send events.
        case send
        /// To take tasks, and to report their results.
        case work
        /// To apply definitions.
        case define
        /// To repair instances, to verify the store, and to move a virtual clock.
        case operate
        /// To copy the whole database.
        case backup
        /// To create, list, rotate and revoke tokens.
        case access
    }

    /// A daemon among those that serve one store.
    public enum Place: String, Sendable {
        /// The daemon that receives the request: it asks about this daemon.
        case here
        /// The daemon that owns the data; every other daemon forwards the request to it.
        case owner
    }

    /// The content of a request's body.
    public enum Body: Hashable, Sendable {
        /// Nothing; a body is not read.
        case none
        /// A JSON object of a form.
        case object(Form)
        /// Any JSON value; null if the body is empty.
        case value(Form)
        /// A JSON object of a form in each line.
        case lines(Form)
        /// A JSON object of a form, or lines: this object, then objects of the second form.
        case objectOrLines(Form, Form)
        /// A definition, as YAML or as JSON.
        case definition

        /// The accepted media types, for messages; `nil` if no body is read.
        public var mediaTypes: String? {
            switch self {
            case .none: nil
            case .object, .value: "application/json"
            case .lines: LineStream.mediaType
            case .objectOrLines: "application/json or \(LineStream.mediaType)"
            case .definition: DefinitionMediaType.allCases.map(\.rawValue).joined(separator: " or ")
            }
        }
    }

    /// The content of a successful answer.
    public enum Answer: Hashable, Sendable {
        /// A JSON object of a form.
        case object(Form)
        /// A JSON object of a form in each line.
        case lines(Form)
        /// Events as they occur, each with a JSON object of a form (`EventStream.mediaType`).
        case events(Form)
        /// Bytes of a media type.
        case bytes(String)
        /// Nothing: status 204.
        case nothing
    }

    /// The form of a JSON value: a type of the wire, a text for readers, or both.
    public struct Form: Hashable, Sendable, ExpressibleByStringLiteral {
        /// A type of the wire.
        public typealias WireType = any (JSONWritable & Sendable).Type
        /// The type; `nil` if no type describes the value.
        public let type: WireType?
        /// The text, in place of the list of the type's fields.
        public let note: String?

        /// Creates a form from a text, without a type.
        public init(stringLiteral note: String) {
            type = nil
            self.note = note
        }

        private init(type: WireType, note: String?) {
            self.type = type
            self.note = note
        }

        /// Returns the form of a type. A note replaces the list of the fields' names in the text.
        static func of(_ type: WireType, _ note: String? = nil) -> Form { Form(type: type, note: note) }

        public static func == (one: Form, other: Form) -> Bool {
            one.note == other.note && one.type.map { ObjectIdentifier($0) } == other.type.map { ObjectIdentifier($0) }
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(note)
            hasher.combine(type.map { ObjectIdentifier($0) })
        }
    }

    init(
        _ name: String, _ method: Method, _ path: String, for permission: Permission, at place: Place = .owner,
        body: Body = .none, query: [String]? = [], answer: Answer, problems: [ProblemType] = []
    ) {
        self.name = name
        self.method = method
        template = PathTemplate(path)
        self.permission = permission
        self.place = place
        self.body = body
        self.query = query
        self.answer = answer
        // A number in JSON may be too large to keep.
        let hasJSON = if case .none = body { false } else { body != .definition }
        self.problems = hasJSON && !problems.contains(.invalidData) ? problems + [.invalidData] : problems
    }

    /// Returns the path with values for the template's parameters, in their order and percent-encoded.
    public func path(_ values: String...) -> String { template.path(values) }
}

/// Two routes are equal if their methods and templates are.
extension Route: Hashable, CustomStringConvertible {
    public static func == (one: Route, other: Route) -> Bool {
        one.method == other.method && one.template == other.template
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(template)
    }

    /// The method and the template, as in `POST /v1/instances/{instance}/events`.
    public var description: String { "\(method.rawValue) \(template)" }
}

/// The path of a route: words, and parameters that stand for one word each, as in `/v1/instances/{instance}/events`.
public struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    /// The template as it is written.
    public let description: String
    /// The names of the parameters, in their order.
    public let parameters: [String]
    /// The texts around the parameters: one more than there are parameters.
    private let texts: [String]

    /// Reads a template of the source code; each parameter is a whole word.
    init(_ text: String) {
        description = text
        var parameters: [String] = []
        var texts = [""]
        for word in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            texts[texts.count - 1] += "/"
            if word.hasPrefix("{"), word.hasSuffix("}") {
                parameters.append(String(word.dropFirst().dropLast()))
                texts.append("")
            } else {
                texts[texts.count - 1] += word
            }
        }
        self.parameters = parameters
        self.texts = texts
    }

    /// Returns the path with values for its parameters. They are percent-encoded, so any text is safe.
    public func path(_ values: [String]) -> String {
        // Proof: callers write the values out beside the route that they name.
        precondition(values.count == parameters.count, "'\(self)' has \(parameters.count) parameters")
        var path = texts.first ?? ""
        for (value, text) in zip(values, texts.dropFirst()) { path += PercentEncoding.encode(value) + text }
        return path
    }

    /// The template with numbers for the names of its parameters: `/v1/instances/{0}/events`. The router needs it,
    /// because it allows one name for a place in all paths.
    package var numbered: String {
        var path = texts.first ?? ""
        for (place, text) in texts.dropFirst().enumerated() { path += "{\(place)}" + text }
        return path
    }

    /// Returns true if a path without a query has the template's words, and a word for each parameter.
    package func matches(_ path: some StringProtocol) -> Bool {
        let words = description.split(separator: "/")
        let given = path.split(separator: "/")
        return words.count == given.count && zip(words, given).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// Returns the value of the only parameter in a path that needs no decoding. `nil` for any other path, for a path
    /// with a query, and for a template with another number of parameters.
    package func onlyValue(in path: String) -> String? {
        guard texts.count == 2 else { return nil }
        // Proof: there are two, as was asked above.
        let (path, prefix, suffix) = (path.utf8, texts[0].utf8, texts[1].utf8)
        guard path.count > prefix.count + suffix.count, path.starts(with: prefix) else { return nil }
        let value = path.dropFirst(prefix.count).dropLast(suffix.count)
        guard path.suffix(suffix.count).elementsEqual(suffix), !value.contains(where: Self.needsDecoding) else {
            return nil
        }
        return String(value)
    }

    private static func needsDecoding(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        default: false
        }
    }
}

/// Percent-encoding of path segments and query values (RFC 3986, section 2).
package enum PercentEncoding {
    /// Encodes every byte except those of unreserved characters.
    ///
    /// A segment that has only dots would be a step in the path, so its dots are encoded too.
    package static func encode(_ text: String) -> String {
        let isDots = text == "." || text == ".."
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte), !isDots {
                bytes.append(byte)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                bytes.append(contentsOf: (byte < 16 ? "%0" : "%").utf8)
                bytes.append(contentsOf: digits.utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
