/// The answer of `/livez` and `/readyz` if all is well; otherwise they answer a `Problem`.
public struct Health: Hashable, WireRecord {
    /// `ok` if the process answers, `ready` if it accepts requests, `standby` if it hands them to the daemon that owns
    /// the data.
    public enum Status: String, WireWord {
        case live = "ok"
        case ready, standby
    }

    public var status: Status
    /// The daemon's version.
    public var version: String?
    /// True if no effect starts until somebody releases effects; otherwise `nil`.
    public var held: Bool?
    /// The reason and the start of the hold, in words; `nil` for a hold that began after the daemon's start.
    public var holdReason: String?

    /// Creates a value from its parts.
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
