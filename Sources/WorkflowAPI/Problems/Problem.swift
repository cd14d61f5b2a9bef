/// An error answer, `application/problem+json` (RFC 9457).
public struct Problem: Error, Hashable, WireRecord {
    /// The media type of such an answer.
    public static let mediaType = "application/problem+json"

    public var type: ProblemType
    /// What failed here, on which thing, why and what to do; no full stop at its end.
    public var detail: String
    /// The instance it is about.
    public var instance: String?
    /// The machine it is about.
    public var machine: String?
    /// The paths of the instance's active leaves.
    public var state: [String]?
    public var seq: Int64?
    /// The line of a body in lines.
    public var line: Int64?
    /// The events that the instance takes now.
    public var accepted: [String]?
    /// The transitions that were tried, and why none was taken.
    public var candidates: [Candidate]?
    /// Every mistake of a definition.
    public var diagnostics: [DefinitionDiagnostic]?
    /// The name that was probably meant.
    public var suggestion: String?
    /// Where this store and that of an older cursor part.
    public var parted: Parting?
    /// What of the instance has no place in another version, and what would help.
    public var misfits: [String]?

    /// Takes the parts as they are; what does not belong to the type stays nil.
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

    /// The problem of a body or a query that could not be read.
    public init(_ error: WireError) {
        self.init(error.problemType, detail: error.message)
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        type = try fields.required("type", \.type)
        // Both follow from the type; whatever stands there adds nothing.
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
    }
}
