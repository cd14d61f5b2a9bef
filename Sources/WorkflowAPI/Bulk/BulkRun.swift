/// A run over many instances, and how far it is.
public struct BulkRun: Equatable, WireRecord {
    /// What becomes of it.
    public enum State: String, WireWord {
        case running
        /// Until somebody resumes it.
        case stopped
        case done
    }

    /// The name.
    public var run: String
    public var action: BulkAction
    /// Nil when it names its instances.
    public var select: BulkSelect?
    /// How many instances it names; nil when it selects them.
    public var names: Int64?
    public var expect: String?
    public var reason: String?
    /// Who asked for it, where that is known.
    public var actor: String?
    public var state: State
    /// Why it rests for now, although it is running.
    public var paused: String?
    /// The run that has undone this one; nil for one that is not done, and in a list.
    public var undoneBy: String?
    /// How many instances were selected when it began.
    public var selected: Int64
    public var counts: BulkCounts
    /// The first 20 of each outcome; nil in a list.
    public var told: [BulkTold]?
    public var begunAt: WireTime
    /// When it was further, or somebody changed it.
    public var updatedAt: WireTime
    public var endedAt: WireTime?

    /// Takes the parts as they are.
    public init(
        run: String, action: BulkAction, select: BulkSelect? = nil, names: Int64? = nil, expect: String? = nil,
        reason: String? = nil, actor: String? = nil, state: State, paused: String? = nil,
        undoneBy: String? = nil, selected: Int64, counts: BulkCounts, told: [BulkTold]? = nil, begunAt: WireTime,
        updatedAt: WireTime, endedAt: WireTime? = nil
    ) {
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
        counts = try fields.required("counts", \.counts)
        told = try fields.optional("told", \.told)
        begunAt = try fields.required("begunAt", \.begunAt)
        updatedAt = try fields.required("updatedAt", \.updatedAt)
        endedAt = try fields.optional("endedAt", \.endedAt)
    }
}

/// How many instances of a run came out how, or would.
public struct BulkCounts: Equatable, WireRecord {
    public var done: Int64
    /// They do not fit what was asked for.
    public var misfit: Int64
    /// They or their machine said no.
    public var refused: Int64
    /// They went on after they were selected, and were left alone.
    public var changed: Int64
    /// It was done, and they have failed on what followed.
    public var failed: Int64
    /// The verb is not for instances in their status.
    public var passedOver: Int64

    /// Takes the parts as they are.
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

    /// All that had their turn.
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
    /// An outcome of which nothing was written, so that its instances can be found again.
    public enum Outcome: String, WireWord {
        case misfit, refused, passedOver
        /// This outcome is of an undo alone.
        case changed
    }

    public var outcome: Outcome

    /// Takes the outcome as it is.
    public init(outcome: Outcome) {
        self.outcome = outcome
    }

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
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
    /// A field of `BulkCounts`.
    public var outcome: String
    public var instance: String
    /// Why; nil of what was done.
    public var message: String?

    /// Takes the parts as they are.
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
