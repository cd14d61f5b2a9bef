/// What can be asked of the daemon by one method at one path.
///
/// `Route.all` is the table of them. Server, client and documentation read it, so that they cannot disagree.
public struct Route: Sendable {
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
    }

    /// What a caller must be allowed. Whoever may open the socket is allowed everything.
    public enum Permission: String, Sendable, CaseIterable {
        /// To ask whether the daemon lives.
        case health
        /// To read machines, instances and their history.
        case read
        /// To start instances and send events.
        case send
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
        case object(String)
        /// A JSON object of such a form in each line.
        case lines(String)
        /// A definition, as YAML or as JSON.
        case definition

        /// The media types that are taken, for messages; nil where no body is read.
        public var mediaTypes: String? {
            switch self {
            case .none: nil
            case .object: "application/json"
            case .lines: LineStream.mediaType
            case .definition: DefinitionMediaType.allCases.map(\.rawValue).joined(separator: " or ")
            }
        }
    }

    /// What a success is answered with.
    public enum Answer: Hashable, Sendable {
        /// A JSON object of such a form.
        case object(String)
        /// A JSON object of such a form in each line.
        case lines(String)
        /// Bytes of such a kind.
        case bytes(String)
    }

    init(
        _ method: Method, _ path: String, for permission: Permission, body: Body = .none, query: [String]? = [],
        answer: Answer, problems: [ProblemType] = []
    ) {
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
