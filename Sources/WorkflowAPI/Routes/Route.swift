/// What can be asked of the daemon by one method at one path.
///
/// `Route.all` is the table of them. Server, client and documentation read it, so that they cannot disagree.
public struct Route: Sendable {
    /// Its name in the table, by which the API's description knows it.
    public let name: String
    public let method: Method
    public let template: PathTemplate
    public let permission: Permission
    public let body: Body
    /// The parameters that the query may have; nil where the query is not looked at.
    public let query: [String]?
    public let answer: Answer
    /// What it may be answered beside `commonProblems`.
    public let problems: [ProblemType]

    /// The methods of the API.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// What a caller must be allowed. Whoever may open the socket is allowed everything.
    public enum Permission: String, Sendable, CaseIterable {
        /// To ask whether the daemon lives.
        case health
        /// To read machines, instances and their history.
        case read
        /// To start instances and send events.
        case send
        /// To take tasks, and to say what became of them.
        case work
        /// To apply definitions.
        case define
        /// To repair, to verify all, and to move a virtual clock.
        case operate
        /// To copy the whole database.
        case backup
    }

    /// What a request brings.
    public enum Body: Hashable, Sendable {
        /// Nothing; a body that is there is not read.
        case none
        /// A JSON object of such a form.
        case object(Form)
        /// Any JSON; null where there is none.
        case value(Form)
        /// A JSON object of such a form in each line.
        case lines(Form)
        /// A definition, as YAML or as JSON.
        case definition

        /// The media types that are taken, for messages; nil where no body is read.
        public var mediaTypes: String? {
            switch self {
            case .none: nil
            case .object, .value: "application/json"
            case .lines: LineStream.mediaType
            case .definition: DefinitionMediaType.allCases.map(\.rawValue).joined(separator: " or ")
            }
        }
    }

    /// What a success is answered with.
    public enum Answer: Hashable, Sendable {
        /// A JSON object of such a form.
        case object(Form)
        /// A JSON object of such a form in each line.
        case lines(Form)
        /// Events, each with a JSON object of such a form, as they come (`EventStream.mediaType`).
        case events(Form)
        /// Bytes of such a kind.
        case bytes(String)
        /// Nothing: status 204.
        case nothing
    }

    /// The form of a JSON value: a type of the wire, a text for readers, or both.
    public struct Form: Hashable, Sendable, ExpressibleByStringLiteral {
        /// Nil where no type describes the value.
        public let type: (any WireDescribed.Type)?
        private let note: String?

        /// Takes a text where there is no type.
        public init(stringLiteral note: String) {
            type = nil
            self.note = note
        }

        private init(type: any WireDescribed.Type, note: String?) {
            self.type = type
            self.note = note
        }

        /// The form of a type; the text tells more than the names of its fields, which stand there without it.
        static func of(_ type: any WireDescribed.Type, _ note: String? = nil) -> Form { Form(type: type, note: note) }

        /// The text for readers, such as `{event, data?}`.
        public var text: String { note ?? type.flatMap { SchemaBook.outline(of: $0) } ?? "" }

        public static func == (one: Form, other: Form) -> Bool {
            one.note == other.note && one.type.map { ObjectIdentifier($0) } == other.type.map { ObjectIdentifier($0) }
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(note)
            hasher.combine(type.map { ObjectIdentifier($0) })
        }
    }

    init(
        _ name: String, _ method: Method, _ path: String, for permission: Permission, body: Body = .none,
        query: [String]? = [],
        answer: Answer, problems: [ProblemType] = []
    ) {
        self.name = name
        self.method = method
        template = PathTemplate(path)
        self.permission = permission
        self.body = body
        self.query = query
        self.answer = answer
        self.problems = problems
    }

    /// The path with values for the parameters of the template, in their order; percent-encoded.
    public func path(_ values: String...) -> String { template.path(values) }
}

/// A route is its method and its template.
extension Route: Hashable, CustomStringConvertible {
    public static func == (one: Route, other: Route) -> Bool {
        one.method == other.method && one.template == other.template
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(template)
    }

    /// As in `POST /v1/instances/{instance}/events`.
    public var description: String { "\(method.rawValue) \(template)" }
}

/// The path of a route: words, and parameters that stand for one word each, as in `/v1/instances/{instance}/events`.
public struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    /// As it is written.
    public let description: String
    /// The names of its parameters, in their order.
    public let parameters: [String]
    /// The text around the parameters: one more than there are of these.
    private let texts: [String]

    /// Takes a template as it is written here; each parameter is a whole word.
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

    /// The path with values for its parameters, percent-encoded, so any text is safe to put in.
    public func path(_ values: [String]) -> String {
        // Proof: callers write the values out beside the route that they name.
        precondition(values.count == parameters.count, "'\(self)' has \(parameters.count) parameters")
        var path = texts.first ?? ""
        for (value, text) in zip(values, texts.dropFirst()) { path += PercentEncoding.encode(value) + text }
        return path
    }

    /// The template with the places of its parameters for their names, `/v1/instances/{0}/events`: what a router needs
    /// that knows one name for a place, whatever comes behind it.
    package var numbered: String {
        var path = texts.first ?? ""
        for (place, text) in texts.dropFirst().enumerated() { path += "{\(place)}" + text }
        return path
    }

    /// The value of the only parameter in a path that needs no decoding; nil for any other path, for one with a query,
    /// and for a template with another number of parameters.
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
    /// Keeps unreserved characters, encodes every other byte.
    ///
    /// A segment that is only dots would be taken as a step in the path, so its dots are encoded too.
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
