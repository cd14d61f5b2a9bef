/// The answer of `/livez` and `/readyz` when all is well; otherwise they answer a `Problem`.
public struct Health: Hashable, WireRecord {
    /// `ok` when the process answers, `ready` when it takes requests.
    public enum Status: String, WireWord {
        case live = "ok"
        case ready
    }

    public var status: Status
    /// The daemon's version.
    public var version: String?
    /// True when no effect starts until somebody releases them.
    public var held: Bool?
    /// The reason why they are held, and since when, in words; nil for a hold that began after the daemon's start.
    public var holdReason: String?

    /// Takes the parts as they are.
    public init(status: Status, version: String? = nil, held: Bool? = nil, holdReason: String? = nil) {
        self.status = status
        self.version = version
        self.held = held
        self.holdReason = holdReason
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        status = try fields.required("status", \.status)
        version = try fields.optional("version", \.version)
        held = try fields.optional("held", \.held)
        holdReason = try fields.optional("holdReason", \.holdReason)
    }
}
