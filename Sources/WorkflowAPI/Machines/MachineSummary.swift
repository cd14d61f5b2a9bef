/// A version of a machine, as `POST /v1/machines`, the list and `GET /v1/machines/NAME` answer it.
public struct MachineSummary: Equatable, WireRecord {
    public var machine: String
    public var version: Int64
    /// The number of the version's semantics, the rules by which its instances take steps; 1 when a daemon of 0.1 does
    /// not tell it.
    public var semantics: Int64
    /// The version that new instances take; nil for the latest.
    public var active: Int64?
    /// Since when and why nothing starts, and its instances take nothing; nil when they do.
    public var suspended: MachineSuspensionItem?
    /// For how many milliseconds finished instances are kept; nil for ever.
    public var retentionInMilliseconds: Int64?
    /// SHA-256 of the source, 64 hexadecimal digits.
    public var digest: String
    public var createdAt: WireTime
    /// What to say about a definition that was accepted; nil outside of the answer to `POST`.
    public var warnings: [DefinitionDiagnostic]?
    /// A sentence for each place where its semantics make it behave otherwise than the previous version. Nil when the
    /// semantics are the same, and in all answers but the one to `POST`.
    public var differences: [String]?
    /// The definition exactly as it was given; nil in lists and in the answer to `POST`.
    public var source: String?

    /// Takes the parts as they are.
    public init(
        machine: String, version: Int64, semantics: Int64, active: Int64? = nil,
        suspended: MachineSuspensionItem? = nil,
        retentionInMilliseconds: Int64? = nil, digest: String, createdAt: WireTime,
        warnings: [DefinitionDiagnostic]? = nil, differences: [String]? = nil, source: String? = nil
    ) {
        self.suspended = suspended
        self.retentionInMilliseconds = retentionInMilliseconds
        self.machine = machine
        self.version = version
        self.semantics = semantics
        self.active = active
        self.digest = digest
        self.createdAt = createdAt
        self.warnings = warnings
        self.differences = differences
        self.source = source
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        machine = try fields.required("machine", \.machine)
        version = try fields.required("version", \.version)
        semantics = try fields.optional("semantics") { $0.semantics } ?? 1
        active = try fields.optional("active", \.active)
        suspended = try fields.optional("suspended", \.suspended)
        retentionInMilliseconds = try fields.optional("retentionInMilliseconds", \.retentionInMilliseconds)
        digest = try fields.required("digest", \.digest)
        createdAt = try fields.required("createdAt", \.createdAt)
        warnings = try fields.optional("warnings", \.warnings)
        differences = try fields.optional("differences", \.differences)
        source = try fields.optional("source", \.source)
    }
}

/// What the body of `POST /v1/machines` may be.
public enum DefinitionMediaType: String, CaseIterable, Sendable {
    case yaml = "application/yaml"
    case json = "application/json"
}
