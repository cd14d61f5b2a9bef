public import WorkflowJSON

/// An error answer, `application/problem+json` (RFC 9457).
public struct Problem: Error, Hashable, WireObject {
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

    public init(fields: inout WireFields) throws(WireError) {
        type = try fields.required("type")
        // Both follow from the type; whatever stands there adds nothing.
        _ = try fields.optional("title", as: String.self)
        _ = try fields.optional("status", as: Int.self)
        detail = try fields.optional("detail") ?? type.title
        instance = try fields.optional("instance")
        machine = try fields.optional("machine")
        state = try fields.optional("state")
        seq = try fields.optional("seq")
        line = try fields.optional("line")
        accepted = try fields.optional("accepted")
        candidates = try fields.optional("candidates")
        diagnostics = try fields.optional("diagnostics")
        suggestion = try fields.optional("suggestion")
        parted = try fields.optional("parted")
        misfits = try fields.optional("misfits")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("type", type.rawValue)
            writer.field("title", type.title)
            writer.field("status", type.status)
            writer.field("detail", detail)
            writer.field("instance", ifPresent: instance)
            writer.field("machine", ifPresent: machine)
            writer.field("state", ifPresent: state)
            writer.field("seq", ifPresent: seq)
            writer.field("line", ifPresent: line)
            writer.field("accepted", ifPresent: accepted)
            writer.field("candidates", ifPresent: candidates)
            writer.field("diagnostics", ifPresent: diagnostics)
            writer.field("suggestion", ifPresent: suggestion)
            writer.field("parted", ifPresent: parted)
            writer.field("misfits", ifPresent: misfits)
        }
    }
}
