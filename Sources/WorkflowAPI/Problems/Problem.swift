/// An error answer, `application/problem+json` (RFC 9457).
public struct Problem: Error, Hashable, WireRecord {
    /// The media type of an error answer.
    public static let mediaType = "application/problem+json"

    public var type: ProblemType
    /// The failure, the thing that it concerns, the reason and the remedy; no full stop at the end.
    public var detail: String
    /// The instance that the problem concerns.
    public var instance: String?
    /// The machine that the problem concerns.
    public var machine: String?
    /// The paths of the instance's active leaves.
    public var state: [String]?
    /// The seq of the instance.
    public var seq: Int64?
    /// The number of the line, in a body of lines.
    public var line: Int64?
    /// The events that the instance accepts now.
    public var accepted: [String]?
    /// The transitions that were tried, and why none was taken.
    public var candidates: [Candidate]?
    /// All mistakes of a definition.
    public var diagnostics: [DefinitionDiagnostic]?
    /// The name that the caller probably meant.
    public var suggestion: String?
    /// The point where this store and the store of an older cursor diverge.
    public var parted: Parting?
    /// The parts of the instance that have no place in another version, each with a remedy.
    public var misfits: [String]?
    /// The permission that the request needs.
    public var permission: Route.Permission?
    /// The roles that have this permission.
    public var roles: [Role]?

    /// Creates a problem from its parts; parts that the type does not have stay `nil`.
    public init(
        _ type: ProblemType, detail: String, instance: String? = nil, machine: String? = nil, state: [String]? = nil,
        seq: Int64? = nil, accepted: [String]? = nil, candidates: [Candidate]? = nil,
        diagnostics: [DefinitionDiagnostic]? = nil,
        suggestion: String? = nil, parted: Parting? = nil
    ) {
        self.type = type
        self.detail = detail
        self.instance = instance
        self.machine = machine
        self.state = state
        self.seq = seq
        self.accepted = accepted
        self.candidates = candidates
        self.diagnostics = diagnostics
        self.suggestion = suggestion
        self.parted = parted
    }

    /// Creates the problem for a body or a query that could not be read.
    public init(_ error: WireError) {
        self.init(error.problemType, detail: error.message)
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        type = try fields.required("type", \.type)
        // Both follow from the type, so their values are ignored.
        _ = try fields.optional("title") { $0.type.title }
        _ = try fields.optional("status") { $0.type.status }
        detail = try fields.optional("detail") { $0.detail } ?? type.title
        instance = try fields.optional("instance", \.instance)
        machine = try fields.optional("machine", \.machine)
        state = try fields.optional("state", \.state)
        seq = try fields.optional("seq", \.seq)
        line = try fields.optional("line", \.line)
        accepted = try fields.optional("accepted", \.accepted)
        candidates = try fields.optional("candidates", \.candidates)
        diagnostics = try fields.optional("diagnostics", \.diagnostics)
        suggestion = try fields.optional("suggestion", \.suggestion)
        parted = try fields.optional("parted", \.parted)
        misfits = try fields.optional("misfits", \.misfits)
        permission = try fields.optional("permission", \.permission)
        roles = try fields.optional("roles", \.roles)
    }
}

extension ProblemType: WireWord {}
