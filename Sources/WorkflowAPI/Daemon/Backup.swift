public import WorkflowJSON

/// A backup that is stored next to the database and can be fetched for a while (`GET /v1/backups/BACKUP`).
public struct Backup: Hashable, WireRecord {
    /// The media type of a backup.
    public static let mediaType = "application/vnd.sqlite3"

    /// The backup's name in the route.
    public var backup: String
    /// The size in bytes.
    public var bytes: Int64
    /// The SHA-256 digest of the bytes, in hexadecimal.
    public var digest: String
    /// The generation of the copied store.
    public var generation: Int64
    /// The number of instances.
    public var instances: Int64
    /// The number of rows of history.
    public var events: Int64
    /// The highest logical time in the backup.
    public var lastAt: WireTime

    /// Creates a value from its parts.
    public init(
        backup: String, bytes: Int64, digest: String, generation: Int64, instances: Int64, events: Int64,
        lastAt: WireTime
    ) {
        self.backup = backup
        self.bytes = bytes
        self.digest = digest
        self.generation = generation
        self.instances = instances
        self.events = events
        self.lastAt = lastAt
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        backup = try fields.required("backup", \.backup)
        bytes = try fields.required("bytes", \.bytes)
        digest = try fields.required("digest", \.digest)
        generation = try fields.required("generation", \.generation)
        instances = try fields.required("instances", \.instances)
        events = try fields.required("events", \.events)
        lastAt = try fields.required("lastAt", \.lastAt)
    }
}

/// A line of the answer to `POST /v1/backups`: the progress, and at the end the backup.
public enum BackupLine: Hashable, WireObject {
    /// A phase of making a backup.
    public enum Phase: String, WireWord {
        case copying, checking, verifying
    }

    /// The progress in bytes; in events while verifying. The total may grow.
    case progress(Phase, done: Int64, total: Int64)
    case ready(Backup)

    public init(fields: inout WireFields) throws(WireError) {
        guard let phase = try fields.optional("phase", as: Phase.self) else {
            self = .ready(try Backup(fields: &fields))
            return
        }
        self = .progress(phase, done: try fields.required("done"), total: try fields.required("total"))
    }

    public func write(to writer: inout JSONWriter) {
        switch self {
        case .progress(let phase, let done, let total):
            writer.object { writer in
                writer.field("phase", phase.rawValue)
                writer.field("done", done)
                writer.field("total", total)
            }
        case .ready(let backup): backup.write(to: &writer)
        }
    }
}
