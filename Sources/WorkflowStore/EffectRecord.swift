/// The state of an effect.
package enum EffectState: String, Sendable, CaseIterable {
    /// The effect can be taken when it is due.
    case ready
    /// A worker or executor works on the effect.
    case leased
    /// An instance that the effect began is running.
    case open
    /// Something that the effect needs is missing.
    case held
    /// The attempts are used up; somebody must decide how the effect ends.
    case failed
    /// The result is there, but the failed instance cannot take it yet.
    case answered
}

/// A request of an instance to the outside that has not ended, as stored.
package struct EffectRecord: Sendable, Equatable {
    /// The id: the effects that begin with the journal row at `p` have `p + 1`, `p + 2`, and so on.
    package var id: Position
    package var instanceID: InstanceID
    /// The seq of the macrostep that began the effect.
    package var seq: Seq
    /// The effect's number in `armed`, together with `seq`; `nil` for a `call`, whose result nobody awaits.
    package var number: Int64?
    /// The id of the invocation.
    package var name: String
    /// The queue that serves the effect: `task:NAME`, `http:HOST:PORT` or `exec:NAME`. Never empty.
    package var queue: String
    package var state: EffectState
    /// One of `priorities`; 1 is served first.
    package var priority: Int64
    /// The earliest start of a ready effect, or the end of a lease.
    package var due: Timestamp
    /// The number of begun attempts, never reset, whatever the round.
    package var attempts: Int64
    /// The number of attempts before the last manual retry; the retry policy does not count them.
    package var earlier: Int64
    /// A counter that is incremented when the effect must get another key.
    package var round: Int64
    /// The token of the lease; present if and only if the effect is leased.
    package var lease: [UInt8]?
    /// The holder of the lease, as the worker names itself.
    package var worker: String?
    /// JSON: the progress that the worker has reported so far.
    package var progress: String?
    /// JSON: the reason of the last failed attempt.
    package var error: String?
    /// JSON: a result that waits because the instance has failed.
    package var answer: String?
    /// JSON: the request, with its templates evaluated.
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
    /// The range of priorities.
    package static let priorities: ClosedRange<Int64> = 1...5
}

/// An attempt at an effect that failed or came late, as stored.
package struct AttemptRecord: Sendable, Equatable {
    /// The number of first attempts of an effect that are kept.
    package static let firstKept: Int64 = 10
    /// The number of last attempts of an effect that are kept.
    package static let lastKept: Int64 = 90

    package var instanceID: InstanceID
    /// The id that the effect has or had.
    package var effect: Position
    /// The id of the invocation; `nil` if the invocation had ended when a worker reported the attempt.
    package var name: String?
    /// The number of the attempt among those of its effect, from 1.
    package var attempt: Int64
    package var begun: Timestamp
    package var ended: Timestamp
    /// The outcome in one word.
    package var outcome: String
    /// JSON: the reason of the failure.
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
