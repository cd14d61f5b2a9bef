/// A run over many instances, and its progress.
public struct BulkRun: Equatable, WireRecord {
    /// The state of a run.
    public enum State: String, WireWord {
        case running
        /// The run waits until somebody resumes it.
        case stopped
        case done
    }

    /// The name of the run.
    public var run: String
    public var action: BulkAction
    /// The selection; `nil` if the run names its instances.
    public var select: BulkSelect?
    /// The number of instances that the run names; `nil` if it selects them.
    public var names: Int64?
    /// The expected digest of the selection, as in the request.
    public var expect: String?
    /// The reason for the history, as in the request.
    public var reason: String?
    /// The caller who requested the run, if known.
    public var actor: String?
    public var state: State
    /// The reason why a running run pauses; `nil` if it does not.
    public var paused: String?
    /// The name of the run that undid this one, or is undoing it. `nil` if there is none, and in lists.
    public var undoneBy: String?
    /// The number of selected instances, counted before the run began.
    public var selected: Int64
    /// The number of instances that were left out when the run began, because the condition has no value for them;
    /// `nil` if there are none.
    public var unevaluated: Int64?
    /// The numbers of instances that have been processed, by outcome.
    public var counts: BulkCounts
    /// The first 20 instances of each outcome; `nil` in lists.
    public var told: [BulkTold]?
    /// The time when the run began.
    public var begunAt: WireTime
    /// The time of the last progress, or of the last change by a person.
    public var updatedAt: WireTime
    /// The time when the run ended.
    public var endedAt: WireTime?

    /// Creates a value from its parts.
    public init(
        run: String, action: BulkAction, select: BulkSelect? = nil, names: Int64? = nil, expect: String? = nil,
        reason: String? = nil, actor: String? = nil, state: State, paused: String? = nil,
        undoneBy: String? = nil, selected: Int64, unevaluated: Int64? = nil, counts: BulkCounts,
        told: [BulkTold]? = nil, begunAt: WireTime, updatedAt: WireTime, endedAt: WireTime? = nil
    ) {
        self.unevaluated = unevaluated
        self.run = run
        self.action = action
        self.select = select
        self.names = names
        self.expect = expect
        self.reason = reason
        self.actor = actor
        self.state = state
        self.paused = paused
        self.undoneBy = undoneBy
        self.selected = selected
        self.counts = counts
        self.told = told
        self.begunAt = begunAt
        self.updatedAt = updatedAt
        self.endedAt = endedAt
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        run = try fields.required("run", \.run)
        action = try fields.required("action", \.action)
        select = try fields.optional("select", \.select)
        names = try fields.optional("names", \.names)
        expect = try fields.optional("expect", \.expect)
        reason = try fields.optional("reason", \.reason)
        actor = try fields.optional("actor", \.actor)
        state = try fields.required("state", \.state)
        paused = try fields.optional("paused", \.paused)
        undoneBy = try fields.optional("undoneBy", \.undoneBy)
        selected = try fields.required("selected", \.selected)
        unevaluated = try fields.optional("unevaluated", \.unevaluated)
        counts = try fields.required("counts", \.counts)
        told = try fields.optional("told", \.told)
        begunAt = try fields.required("begunAt", \.begunAt)
        updatedAt = try fields.required("updatedAt", \.updatedAt)
        endedAt = try fields.optional("endedAt", \.endedAt)
    }
}

/// The numbers of instances by outcome, or by expected outcome.
public struct BulkCounts: Equatable, WireRecord {
    /// The instances for which the action was done.
    public var done: Int64
    /// The instances that do not fit the request.
    public var misfit: Int64
    /// The instances that refused, or whose machine refused.
    public var refused: Int64
    /// The instances that changed after they were selected. The run left them alone.
    public var changed: Int64
    /// The instances for which the action was done, but which failed on its consequences.
    public var failed: Int64
    /// The instances whose status the verb does not apply to.
    public var passedOver: Int64

    /// Creates a value from its parts.
    public init(
        done: Int64 = 0, misfit: Int64 = 0, refused: Int64 = 0, changed: Int64 = 0, failed: Int64 = 0,
        passedOver: Int64 = 0
    ) {
        self.passedOver = passedOver
        self.done = done
        self.misfit = misfit
        self.refused = refused
        self.changed = changed
        self.failed = failed
    }

    /// The number of instances that have been processed.
    public var total: Int64 { done + misfit + refused + changed + failed + passedOver }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        done = try fields.required("done", \.done)
        misfit = try fields.required("misfit", \.misfit)
        refused = try fields.required("refused", \.refused)
        changed = try fields.required("changed", \.changed)
        failed = try fields.required("failed", \.failed)
        passedOver = try fields.optional("passedOver") { $0.passedOver } ?? 0
    }
}

/// The query of `GET /v1/bulk/RUN/instances`.
public struct LeftOutParameters: Hashable, Sendable {
    /// An outcome that is not stored. The daemon finds its instances again.
    public enum Outcome: String, WireWord {
        case misfit, refused, passedOver
        /// An outcome of `undo` only.
        case changed
    }

    /// The outcome, whose instances the answer lists.
    public var outcome: Outcome

    /// Creates the query from the outcome.
    public init(outcome: Outcome) {
        self.outcome = outcome
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        let outcome = try fields.word("outcome", as: Outcome.self)
        try fields.refuseUnknown()
        guard let outcome else {
            throw WireError(.invalidParameter, path: "outcome", message: "Parameter 'outcome' is missing")
        }
        self.outcome = outcome
    }

    /// The encoded query with its question mark.
    public var queryText: String {
        var query = QueryText()
        query.add("outcome", outcome.rawValue)
        return query.text
    }
}

/// An instance of a run, and its outcome.
public struct BulkTold: Equatable, WireRecord {
    /// The name of a field of `BulkCounts`.
    public var outcome: String
    public var instance: String
    /// The reason for the outcome; `nil` for `done`.
    public var message: String?

    /// Creates a value from its parts.
    public init(outcome: String, instance: String, message: String? = nil) {
        self.outcome = outcome
        self.instance = instance
        self.message = message
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        outcome = try fields.required("outcome", \.outcome)
        instance = try fields.required("instance", \.instance)
        message = try fields.optional("message", \.message)
    }
}
