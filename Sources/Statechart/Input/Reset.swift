package import WorkflowJSON

/// The return of an instance to its state after an earlier macrostep: the content of a row of kind `reset`.
package struct Reset: Sendable, Equatable {
    /// The rule for the due times of restored timers.
    package enum Timers: String, Sendable, CaseIterable {
        /// The time that remained then counts from now.
        case left
        /// The timers keep their due times.
        case due
    }

    /// The rule for invocations that were running then and no longer run.
    package enum Invocations: String, Sendable, CaseIterable {
        /// The invocations start again.
        case again
        /// The invocations end with the results that arrived.
        case answer
    }

    /// An invocation that starts with the row.
    package struct Begun: Sendable, Equatable {
        /// The number of its `Pending.ID`.
        package let number: Int
        package let request: EffectRequest
        /// The result that is delivered at once; `nil` for an invocation that runs again.
        package let answer: PastInvocation.Answer?
    }

    /// The seq of the macrostep whose state the instance returns to.
    package let seq: Int64
    package let timers: Timers
    /// The rule that the caller chose; `nil` if the caller chose none.
    package let invocations: Invocations?
    /// The version of the instance's machine.
    package let version: Int64
    /// The instance after the reset.
    package let snapshot: Snapshot
    /// The invocations that start, by number.
    package let begun: [Begun]
    /// The reason why the instance has failed, as its history records it; `nil` if the instance has not failed.
    package let failure: JSONValue?
    /// The milliseconds by which the row is earlier than the previous row, because a clock was ahead; `nil` for every
    /// other reset.
    package let clock: Int64?
}

/// An instance after one of its earlier macrosteps, with the facts that only its history contains.
package struct PastSnapshot: Sendable {
    package let version: Int64
    package let snapshot: Snapshot
    /// The logical time of the macrostep.
    package let at: LogicalTime
    /// The reason why the instance had failed; `nil` if it had not.
    package let failure: JSONValue?
    /// The later history of invocations that were running then and no longer run.
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

/// The start and the end of an invocation.
package struct PastInvocation: Sendable, Equatable {
    /// A result that arrived.
    package struct Answer: Sendable, Equatable {
        package let event: Event

        package init(_ event: Event) { self.event = event }
    }

    package let request: EffectRequest
    /// The logical time of the macrostep that started the invocation.
    package let begunAt: LogicalTime
    /// The timer that ends the invocation if no result arrives in time; `nil` for no timeout.
    package let timeout: Pending?
    /// The result; `nil` if the invocation was cancelled.
    package let answer: Answer?

    /// - Parameter begin: The macrostep that started the invocation.
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

/// The error for a reset that does not decide about invocations that were running then and no longer run. A reset with
/// `answer` also fails if some result never arrived.
package struct UndecidedInvocations: Error, Sendable, Equatable {
    /// The ids of the invocations; `isAnswered` is true if a result arrived.
    package let list: [(id: String, isAnswered: Bool)]

    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.list.elementsEqual(rhs.list) { $0.id == $1.id && $0.isAnswered == $1.isAnswered }
    }
}

// MARK: Making one

extension Reset {
    /// - Parameters:
    ///   - now: The instance before the row.
    ///   - time: The logical time of the row.
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

    /// The event name of a row that corrects times after a wrong clock; no other reset has this event.
    package static let clockEvent = "clock"

    /// Corrects due times after a clock that was ahead. The state stays; items that the wrong clock armed are due
    /// earlier.
    ///
    /// - Parameters:
    ///   - difference: The milliseconds between the row and the previous row; above 0.
    ///   - version: The machine version of the instance.
    ///   - failure: The reason why the instance has failed; `nil` if the instance has not failed.
    ///   - isAhead: Returns true for an item that was armed by the clock that was ahead.
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

/// Builds the pending items after a reset.
private struct ResetMaking {
    let then: PastSnapshot
    let now: Snapshot
    let time: LogicalTime
    let timers: Reset.Timers
    private var armed: [Pending] = []
    private(set) var begun: [Reset.Begun] = []
    private var lastNumber = 0
    /// True if eventless transitions must be tried before the instance may run.
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
            // The timeout of an invocation is handled with the invocation.
            case .timer where pending.invocation != nil: break
            case .sent, .timer: armed.append(moved(pending))
            }
        }
        for pending in lost { begin(pending, isAnswered: asked == .answer) }
        armed.sort { $0.id < $1.id }
    }

    /// Returns the invocation as it is now; `nil` if it no longer runs. An invocation no longer runs if the instance
    /// has since failed on its end.
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

    /// Keeps a running invocation with its timeout.
    private mutating func keep(_ living: Pending, of past: Pending) {
        armed.append(
            living.isKept
                ? past.with(id: past.id, due: min(past.due, time), owner: past.owner)
                : living.with(id: living.id, due: living.due, owner: past.owner))
        if past.isKept, !living.isKept, past.isUnsettled { isUnsettled = true }
        guard !living.isKept, let timeout = now.armed.timeout(of: living) else { return }
        armed.append(timeout.with(id: timeout.id, due: timeout.due, owner: past.owner))
    }

    /// Returns an item with a new number: the item with the old number may have come already.
    private mutating func moved(_ pending: Pending) -> Pending {
        let shift = timers == .left ? time.milliseconds - then.at.milliseconds : 0
        // After the correction of a clock that was ahead, this row may be earlier than the row that it returns to. An
        // item that was due then is due now.
        let latest = pending.kind == .sent || pending.isKept ? time.milliseconds : StepLimits.latestDue
        let due = min(max(0, pending.due.milliseconds + shift), latest)
        return pending.with(id: nextID(), due: LogicalTime(milliseconds: due), owner: pending.owner)
    }

    /// - Precondition: `decide(_:_:)` has accepted the rule for the invocation.
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

    /// The status of the earlier snapshot. A suspended instance stays suspended, even if it was running then.
    private var status: Snapshot.Status {
        switch then.snapshot.status {
        case .done, .cancelled, .suspended: then.snapshot.status
        case .failed where armed.kept != nil: .failed
        case .failed, .running: now.status == .suspended || isUnsettled ? .suspended : .running
        }
    }
}

extension Pending {
    /// Returns a copy that is due earlier by a number of milliseconds.
    func lowered(by difference: Int64) -> Pending {
        with(id: id, due: LogicalTime(milliseconds: max(0, due.milliseconds - difference)), owner: owner)
    }

    /// Returns a copy with another id, due time and owner.
    fileprivate func with(id: ID, due: LogicalTime, owner: Owner) -> Pending {
        Pending(
            id: id, kind: kind, event: event, data: data, due: due, owner: owner, misfire: misfire, isKept: isKept,
            isUnsettled: isUnsettled)
    }
}

extension [Pending] {
    /// Returns the timer that ends an invocation if no result arrives in time; `nil` for no timeout.
    fileprivate func timeout(of invocation: Pending) -> Pending? {
        first { $0.kind == .timer && $0.invocation == invocation.invocation }
    }
}
