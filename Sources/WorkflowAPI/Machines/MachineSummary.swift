/// A version of a machine, as in the answers of `POST /v1/machines`, `GET /v1/machines` and `GET /v1/machines/NAME`.
public struct MachineSummary: Equatable, WireRecord {
    public var machine: String
    public var version: Int64
    /// The number of the version's semantics, the rules by which its instances take steps; 1 if a daemon of 0.1 omits
    /// it.
    public var semantics: Int64
    /// The version that new instances take; `nil` for the latest.
    public var active: Int64?
    /// The machine's suspension; `nil` if the machine is not suspended.
    public var suspended: MachineSuspensionItem?
    /// The milliseconds for which finished instances are kept; `nil` for ever.
    public var retentionInMilliseconds: Int64?
    /// The SHA-256 digest of the source, 64 hexadecimal digits.
    public var digest: String
    /// The time when the version was applied.
    public var createdAt: WireTime
    /// The warnings about an accepted definition; `nil` except in the answer to `POST`.
    public var warnings: [DefinitionDiagnostic]?
    /// The places where the new semantics make the machine behave differently from the previous version, a sentence for
    /// each. `nil` if the semantics are the same, and except in the answer to `POST`.
    public var differences: [String]?
    /// The definition exactly as given; `nil` in lists and in the answer to `POST`.
    public var source: String?

    /// Creates a value from its parts.
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

/// A media type that the body of `POST /v1/machines` may have.
public enum DefinitionMediaType: String, CaseIterable, Sendable {
    case yaml = "application/yaml"
    case json = "application/json"
}
