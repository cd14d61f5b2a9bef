public import WorkflowJSON

/// The answer of `/livez` and `/readyz` when all is well; otherwise they answer a `Problem`.
public struct Health: Hashable, WireObject {
    /// `ok` when the process answers, `ready` when it takes requests.
    public enum Status: String, CaseIterable, Sendable, WireReadable {
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

    public init(fields: inout WireFields) throws(WireError) {
        status = try fields.required("status")
        version = try fields.optional("version")
        held = try fields.optional("held")
        holdReason = try fields.optional("holdReason")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("status", status.rawValue)
            writer.field("version", ifPresent: version)
            writer.field("held", ifPresent: held)
            writer.field("holdReason", ifPresent: holdReason)
        }
    }
}
