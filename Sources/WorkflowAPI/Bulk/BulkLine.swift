public import WorkflowJSON

/// A line of the answer of `POST /v1/bulk`: the progress of a dry run, its result, or the state of a run.
public enum BulkLine: Equatable, WireObject {
    /// The progress of a dry run, counted in instances.
    case progress(WorkProgress)
    case rehearsal(BulkRehearsal)
    /// The state of the run. The last line has a run that is done or was stopped.
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
