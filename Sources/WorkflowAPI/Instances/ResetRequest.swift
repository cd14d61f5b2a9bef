public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/reset`.
public struct ResetRequest: Equatable, WireObject {
    /// When that is due which was to come by itself.
    public enum Timers: String, CaseIterable, Sendable, WireReadable {
        /// What was left of it then counts from now.
        case left
        /// When it was due then.
        case due
    }

    /// What becomes of the invocations that lived then and do not live now.
    public enum Invocations: String, CaseIterable, Sendable, WireReadable {
        /// They begin anew: what they ask for is done twice.
        case again
        /// They have the result that came.
        case answer
    }

    /// The seq whose state the instance is to have.
    public var to: Int64
    /// For the history.
    public var reason: String
    /// Nil for `left`.
    public var timers: Timers?
    /// Nil where there must be none.
    public var invocations: Invocations?
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(
        to: Int64, reason: String, timers: Timers? = nil, invocations: Invocations? = nil, seq: Int64? = nil,
        dryRun: Bool? = nil
    ) {
        self.to = to
        self.reason = reason
        self.timers = timers
        self.invocations = invocations
        self.seq = seq
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        to = try fields.required("to")
        reason = try fields.required("reason", bytes: APILimits.reasonBytes)
        timers = try fields.optional("timers")
        invocations = try fields.optional("invocations")
        seq = try fields.optional("seq")
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("to", to)
            writer.field("reason", reason)
            writer.field("timers", ifPresent: timers?.rawValue)
            writer.field("invocations", ifPresent: invocations?.rawValue)
            writer.field("seq", ifPresent: seq)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}

/// The body of `POST /v1/instances/NAME/undo`.
public struct UndoRequest: Equatable, WireObject {
    /// For the history.
    public var reason: String
    /// Nil where no invocation was cancelled.
    public var invocations: ResetRequest.Invocations?
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(
        reason: String, invocations: ResetRequest.Invocations? = nil, seq: Int64? = nil, dryRun: Bool? = nil
    ) {
        self.reason = reason
        self.invocations = invocations
        self.seq = seq
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        reason = try fields.required("reason", bytes: APILimits.reasonBytes)
        invocations = try fields.optional("invocations")
        seq = try fields.optional("seq")
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("reason", reason)
            writer.field("invocations", ifPresent: invocations?.rawValue)
            writer.field("seq", ifPresent: seq)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}
