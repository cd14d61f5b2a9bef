package import WorkflowJSON

/// How an instance goes back to what it was after one of its macrosteps: what a row of kind `reset` says.
package struct Reset: Sendable, Equatable {
    /// When that is due which was to come by itself.
    package enum Timers: String, Sendable, CaseIterable {
        /// What was left of it then counts from now.
        case left
        /// When it was due then.
        case due
    }

    /// What becomes of the invocations that lived then and do not live now.
    package enum Invocations: String, Sendable, CaseIterable {
        /// They begin anew.
        case again
        /// They have the result that came.
        case answer
    }

    /// An invocation that begins with the row.
    package struct Begun: Sendable, Equatable {
        /// Of its `Pending.ID`.
        package let number: Int
        package let request: EffectRequest
        /// The result that is given at once; nil of one that is to be done again.
        package let answer: PastInvocation.Answer?
    }

    /// Whose state the instance has: the macrostep of this seq.
    package let seq: Int64
    package let timers: Timers
    /// As it was asked for; nil when nobody said it.
    package let invocations: Invocations?
    /// The version of the instance's machine.
    package let version: Int64
    /// The instance afterwards.
    package let snapshot: Snapshot
    /// The invocations that begin, by their numbers.
    package let begun: [Begun]
    /// Why the instance has failed, as its history says; nil when it has not.
    package let failure: JSONValue?
    /// The milliseconds by which the row is earlier than the previous row, because a clock was ahead; nil for every
    /// other reset.
    package let clock: Int64?
}

/// An instance as it was after one of its macrosteps, with what only its history says of it.
package struct PastSnapshot: Sendable {
    package let version: Int64
    package let snapshot: Snapshot
    /// Of the macrostep.
    package let at: LogicalTime
    /// Why it had failed; nil when it had not.
    package let failure: JSONValue?
    /// What became of the invocations that lived then and do not any more.
    package let invocations: [Pending.ID: PastInvocation]

    package init(
        version: Int64, snapshot: Snapshot, at: LogicalTime, failure: JSONValue?,
        invocations: [Pending.ID: PastInvocation]
    ) {
        self.version = version
        self.snapshot = snapshot
        self.at = at
        self.failure = failure
        self.invocations = invocations
    }
}

/// How an invocation began, and how it ended.
package struct PastInvocation: Sendable, Equatable {
    /// A result that came.
    package struct Answer: Sendable, Equatable {
        package let event: Event

        package init(_ event: Event) { self.event = event }
    }

    package let request: EffectRequest
    /// Of the macrostep that began it.
    package let begunAt: LogicalTime
    /// What ended it when no result came in time; nil when nothing did.
    package let timeout: Pending?
    /// Nil when it was cancelled.
    package let answer: Answer?

    /// - Parameter begin: The macrostep that began it.
    package init?(_ id: Pending.ID, begunBy begin: Macrostep, at: LogicalTime, answer: Answer?) {
        var begun: (pending: Pending, request: EffectRequest)?
        for case .invoke(let pending, let request) in begin.requests where pending.id == id {
            begun = (pending, request)
        }
        guard let begun else { return nil }
        request = begun.request
        begunAt = at
        timeout =
            begin.requests.lazy.compactMap { asked in
                if case .arm(let timer) = asked, timer.kind == .timer, timer.invocation == begun.pending.invocation {
                    timer
                } else {
                    nil
                }
            }.first
        self.answer = answer
    }
}

/// Nobody has said what becomes of invocations that lived then and do not live now.
package struct UndecidedInvocations: Error, Sendable, Equatable {
    /// Their ids, and whether a result came.
    package let list: [(id: String, isAnswered: Bool)]

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.list.elementsEqual(rhs.list) { $0.id == $1.id && $0.isAnswered == $1.isAnswered }
    }
}

// MARK: Making one

extension Reset {
    /// - Parameters:
    ///   - now: The instance before the row.
    ///   - time: Of the row.
    package init(
        seq: Int64, _ then: PastSnapshot, from now: Snapshot, at time: LogicalTime, timers: Timers,
        invocations: Invocations?
    ) throws(UndecidedInvocations) {
        var making = ResetMaking(then: then, now: now, time: time, timers: timers)
        try making.armAll(invocations)
        self.seq = seq
        self.timers = timers
        self.invocations = invocations
        version = then.version
        begun = making.begun
        snapshot = making.snapshot
        failure = snapshot.status == .failed ? then.failure : nil
        clock = nil
    }

    /// The event of a row that corrects times after a wrong clock. No other reset has it.
    package static let clockEvent = "clock"

    /// Corrects the times after a clock that was ahead. The state stays; what that clock armed is due earlier.
    ///
    /// - Parameters:
    ///   - difference: The milliseconds between the row and the previous row; above 0.
    ///   - version: The machine version of the instance.
    ///   - failure: The reason why the instance has failed; nil when it has not.
    ///   - isAhead: Returns true for what the clock that was ahead armed.
    package init(
        of now: Snapshot, clock difference: Int64, version: Int64, failure: JSONValue?, isAhead: (Pending) -> Bool
    ) {
        var lowered = now
        lowered.seq += 1
        lowered.armed = now.armed.map { isAhead($0) ? $0.lowered(by: difference) : $0 }
        seq = now.seq
        timers = .left
        invocations = nil
        self.version = version
        snapshot = lowered
        begun = []
        self.failure = failure
        clock = difference
    }
}

/// What is armed after a reset, as it is put together.
private struct ResetMaking {
    let then: PastSnapshot
    let now: Snapshot
    let time: LogicalTime
    let timers: Reset.Timers
    private var armed: [Pending] = []
    private(set) var begun: [Reset.Begun] = []
    private var lastNumber = 0
    /// Whether eventless transitions have to have their turn before the instance may run.
    private var isUnsettled = false

    init(then: PastSnapshot, now: Snapshot, time: LogicalTime, timers: Reset.Timers) {
        self.then = then
        self.now = now
        self.time = time
        self.timers = timers
    }

    mutating func armAll(_ asked: Reset.Invocations?) throws(UndecidedInvocations) {
        let lost = then.snapshot.armed.filter { $0.kind == .invocation && living($0) == nil }
        try decide(lost, asked)
        for pending in then.snapshot.armed {
            switch pending.kind {
            case .invocation: if let living = living(pending) { keep(living, of: pending) }
            // The timeout of an invocation comes with it.
            case .timer where pending.invocation != nil: break
            case .sent, .timer: armed.append(moved(pending))
            }
        }
        for pending in lost { begin(pending, isAnswered: asked == .answer) }
        armed.sort { $0.id < $1.id }
    }

    /// The invocation as it is now; nil when it does not live. One on whose end the instance has failed since lives no
    /// more.
    private func living(_ pending: Pending) -> Pending? {
        now.armed.first { $0.id == pending.id && $0.kind == .invocation && (!$0.isKept || pending.isKept) }
    }

    private func decide(_ lost: [Pending], _ asked: Reset.Invocations?) throws(UndecidedInvocations) {
        let told = lost.map { pending in
            (id: pending.invocation ?? "", isAnswered: then.invocations[pending.id]?.answer != nil)
        }
        switch asked {
        case .again: break
        case .answer: if told.contains(where: { !$0.isAnswered }) { throw UndecidedInvocations(list: told) }
        case nil: if !told.isEmpty { throw UndecidedInvocations(list: told) }
        }
    }

    /// An invocation runs on as it does, with the timeout that it has.
    private mutating func keep(_ living: Pending, of past: Pending) {
        armed.append(
            living.isKept
                ? past.with(id: past.id, due: min(past.due, time), owner: past.owner)
                : living.with(id: living.id, due: living.due, owner: past.owner))
        if past.isKept, !living.isKept, past.isUnsettled { isUnsettled = true }
        guard !living.isKept, let timeout = now.armed.timeout(of: living) else { return }
        armed.append(timeout.with(id: timeout.id, due: timeout.due, owner: past.owner))
    }

    /// What comes by itself, under a number of its own: what has come by the old one has come.
    private mutating func moved(_ pending: Pending) -> Pending {
        let shift = timers == .left ? time.milliseconds - then.at.milliseconds : 0
        // After a clock that was ahead was corrected, this row may be earlier than the row that it goes back to. What
        // was due then is due now.
        let latest = pending.kind == .sent || pending.isKept ? time.milliseconds : StepLimits.latestDue
        let due = min(max(0, pending.due.milliseconds + shift), latest)
        return pending.with(id: nextID(), due: LogicalTime(milliseconds: due), owner: pending.owner)
    }

    /// - Precondition: It was decided what becomes of the invocation.
    private mutating func begin(_ pending: Pending, isAnswered: Bool) {
        guard let past = then.invocations[pending.id] else { preconditionFailure("its history says how it began") }
        if pending.isUnsettled { isUnsettled = true }
        let begins = pending.revived.with(id: nextID(), due: .zero, owner: pending.owner)
        armed.append(begins)
        var deadline: LogicalTime?
        if !isAnswered, let timeout = past.timeout {
            let due = min(
                timeout.due.milliseconds - past.begunAt.milliseconds + time.milliseconds, StepLimits.latestDue)
            deadline = LogicalTime(milliseconds: due)
            armed.append(timeout.with(id: nextID(), due: LogicalTime(milliseconds: due), owner: pending.owner))
        }
        begun.append(
            Reset.Begun(
                number: begins.id.number, request: past.request.with(deadline: deadline?.milliseconds),
                answer: isAnswered ? past.answer : nil))
    }

    private mutating func nextID() -> Pending.ID {
        lastNumber += 1
        return Pending.ID(seq: now.seq + 1, number: lastNumber)
    }

    var snapshot: Snapshot {
        Snapshot(
            seq: now.seq + 1, status: status, configuration: then.snapshot.configuration,
            context: then.snapshot.context, memory: then.snapshot.memory, armed: armed, output: then.snapshot.output)
    }

    /// That of then. A suspension stays, whatever ran then.
    private var status: Snapshot.Status {
        switch then.snapshot.status {
        case .done, .cancelled, .suspended: then.snapshot.status
        case .failed where armed.kept != nil: .failed
        case .failed, .running: now.status == .suspended || isUnsettled ? .suspended : .running
        }
    }
}

extension Pending {
    /// A copy that is due earlier by a number of milliseconds.
    func lowered(by difference: Int64) -> Pending {
        with(id: id, due: LogicalTime(milliseconds: max(0, due.milliseconds - difference)), owner: owner)
    }

    /// The same, under another name.
    fileprivate func with(id: ID, due: LogicalTime, owner: Owner) -> Pending {
        Pending(
            id: id, kind: kind, event: event, data: data, due: due, owner: owner, misfire: misfire, isKept: isKept,
            isUnsettled: isUnsettled)
    }
}

extension [Pending] {
    /// What ends an invocation when no result comes in time; nil when nothing does.
    fileprivate func timeout(of invocation: Pending) -> Pending? {
        first { $0.kind == .timer && $0.invocation == invocation.invocation }
    }
}
