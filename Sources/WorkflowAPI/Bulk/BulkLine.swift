public import WorkflowJSON

/// A line of the answer of `POST /v1/bulk`: how far it is, what would become of the instances, or where the run is.
public enum BulkLine: Equatable, WireObject {
    /// Of a dry run, in instances.
    case progress(WorkProgress)
    case rehearsal(BulkRehearsal)
    /// The last one is of a run that is done, or was stopped.
    case run(BulkRun)

    public init(fields: inout WireFields) throws(WireError) {
        let progress: WorkProgress? = try fields.optional("progress")
        let rehearsal: BulkRehearsal? = try fields.optional("rehearsal")
        if let progress {
            self = .progress(progress)
        } else if let rehearsal {
            self = .rehearsal(rehearsal)
        } else {
            self = .run(try fields.required("run"))
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .progress(let progress): writer.field("progress", progress)
            case .rehearsal(let rehearsal): writer.field("rehearsal", rehearsal)
            case .run(let run): writer.field("run", run)
            }
        }
    }
}

/// What a run would do; nothing was changed.
public struct BulkRehearsal: Equatable, WireObject {
    /// How many of those that would be done stand where afterwards.
    public struct Group: Equatable, WireObject {
        /// Paths of the active leaves; nil for all other places.
        public var configuration: [String]?
        public var count: Int64

        /// Takes the parts as they are.
        public init(configuration: [String]?, count: Int64) {
            self.configuration = configuration
            self.count = count
        }

        public init(fields: inout WireFields) throws(WireError) {
            configuration = try fields.optional("configuration")
            count = try fields.required("count")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("configuration", ifPresent: configuration)
                writer.field("count", count)
            }
        }
    }

    /// Of each selected instance and its seq, as `expect` takes it.
    public var digest: String
    public var selected: Int64
    public var counts: BulkCounts
    /// The largest first.
    public var groups: [Group]
    /// The first 20 of each outcome but `done`.
    public var told: [BulkTold]

    /// Takes the parts as they are.
    public init(digest: String, selected: Int64, counts: BulkCounts, groups: [Group] = [], told: [BulkTold] = []) {
        self.digest = digest
        self.selected = selected
        self.counts = counts
        self.groups = groups
        self.told = told
    }

    public init(fields: inout WireFields) throws(WireError) {
        digest = try fields.required("digest")
        selected = try fields.required("selected")
        counts = try fields.required("counts")
        groups = try fields.required("groups")
        told = try fields.required("told")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("digest", digest)
            writer.field("selected", selected)
            writer.field("counts", counts)
            writer.field("groups", groups)
            writer.field("told", told)
        }
    }
}
