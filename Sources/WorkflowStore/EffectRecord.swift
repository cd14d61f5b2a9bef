/// Where an effect stands.
package enum EffectState: String, Sendable, CaseIterable {
    /// It can be taken once it is due.
    case ready
    /// Somebody works on it.
    case leased
    /// An instance that it began runs.
    case open
    /// What it needs is missing.
    case held
    /// Its attempts are used up, and somebody has to say what becomes of it.
    case failed
    /// Its result is there, but its instance has failed and cannot take it yet.
    case answered
}

/// Something that an instance asks of the world and that has not ended, as stored.
package struct EffectRecord: Sendable, Equatable {
    /// Of the effects that begin with the journal row at `p`, the first has `p + 1`, the next `p + 2`.
    package var id: Position
    package var instanceID: InstanceID
    /// Of the macrostep that began it.
    package var seq: Seq
    /// Its number in `armed`, with `seq`; nil for a `call`, whose result nobody waits for.
    package var number: Int64?
    /// The id of the invocation.
    package var name: String
    /// Who serves it: `task:NAME`, `http:HOST:PORT`, `exec:NAME`. Never empty.
    package var queue: String
    package var state: EffectState
    /// One of `priorities`; 1 is served first.
    package var priority: Int64
    /// While ready, not before; while leased, until then.
    package var due: Timestamp
    /// How many have begun. Never counted anew, whatever the round.
    package var attempts: Int64
    /// How many of these were before somebody let it be tried anew: its policy does not count them.
    package var earlier: Int64
    /// Raised when its key is to be another one.
    package var round: Int64
    /// What names the lease; there if and only if it is leased.
    package var lease: [UInt8]?
    /// Who has the lease, as the worker says.
    package var worker: String?
    /// JSON: what the worker has told so far.
    package var progress: String?
    /// JSON: why the last attempt failed that did.
    package var error: String?
    /// JSON: a result that waits, because the instance has failed.
    package var answer: String?
    /// JSON: what is asked, with its templates evaluated.
    package var request: String

    package init(
        id: Position, instanceID: InstanceID, seq: Seq, number: Int64?, name: String, queue: String,
        state: EffectState = .ready, priority: Int64, due: Timestamp, attempts: Int64 = 0, earlier: Int64 = 0,
        round: Int64 = 0, lease: [UInt8]? = nil, worker: String? = nil, progress: String? = nil, error: String? = nil,
        answer: String? = nil, request: String
    ) {
        self.id = id
        self.instanceID = instanceID
        self.seq = seq
        self.number = number
        self.name = name
        self.queue = queue
        self.state = state
        self.priority = priority
        self.due = due
        self.attempts = attempts
        self.earlier = earlier
        self.round = round
        self.lease = lease
        self.worker = worker
        self.progress = progress
        self.error = error
        self.answer = answer
        self.request = request
    }
}

extension EffectRecord {
    /// What a priority may be.
    package static let priorities: ClosedRange<Int64> = 1...5
}

/// An attempt at an effect that failed or came late, as stored.
package struct AttemptRecord: Sendable, Equatable {
    /// Of the attempts of an effect, the first so many are kept,
    package static let firstKept: Int64 = 10
    /// and the last so many.
    package static let lastKept: Int64 = 90

    package var instanceID: InstanceID
    /// The id that the effect has or had.
    package var effect: Position
    /// The id of the invocation; nil where that had ended when a worker told of the attempt.
    package var name: String?
    /// 1, 2, … of the effect.
    package var attempt: Int64
    package var begun: Timestamp
    package var ended: Timestamp
    /// How it ended, in a word.
    package var outcome: String
    /// JSON: why it failed.
    package var error: String?

    package init(
        instanceID: InstanceID, effect: Position, name: String?, attempt: Int64, begun: Timestamp, ended: Timestamp,
        outcome: String, error: String? = nil
    ) {
        self.instanceID = instanceID
        self.effect = effect
        self.name = name
        self.attempt = attempt
        self.begun = begun
        self.ended = ended
        self.outcome = outcome
        self.error = error
    }
}
