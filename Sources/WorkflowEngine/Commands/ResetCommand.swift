package import Statechart
import WorkflowJSON
package import WorkflowStore

/// Resets an instance to its state after one of its macrosteps.
package struct ResetCommand: Sendable {
    /// The state to return to.
    package enum Goal: Sendable, Equatable {
        /// The state after a seq.
        case seq(Seq)
        /// The state before the last row of the instance, which must be a migration or a bulk run's change.
        case beforeLast

        /// The event of the row.
        var event: String {
            switch self {
            case .seq: "reset"
            case .beforeLast: Reset.undoEvent
            }
        }
    }

    package var instance: InstanceName
    package var goal: Goal
    package var timers: Reset.Timers
    /// The fate of invocations that were live then and are not live now; `nil` if there must be none.
    package var invocations: Reset.Invocations?
    /// The caller's reason.
    package var reason: String?
    /// The seq that the instance must have; `nil` for any.
    package var expectedSeq: Seq?
    /// True to report the effect of the command without changing anything.
    package var isDryRun: Bool
    /// True if the answer includes the context.
    package var wantsContext: Bool
    /// The caller's key; the same request with the same key is carried out once.
    package var key: RequestKey?
    package var caller: Caller
    /// The bulk run that the command is a part of.
    var run: String?
    /// The past state read from the history, or the reason why the history has none.
    var past: Result<FoldedPast, Rejection>?

    package init(
        instance: InstanceName, to goal: Goal, timers: Reset.Timers = .left, invocations: Reset.Invocations? = nil,
        reason: String? = nil, expectedSeq: Seq? = nil, isDryRun: Bool = false, wantsContext: Bool = true,
        key: RequestKey? = nil, by caller: Caller
    ) {
        self.instance = instance
        self.goal = goal
        self.timers = timers
        self.invocations = invocations
        self.reason = reason
        self.expectedSeq = expectedSeq
        self.isDryRun = isDryRun
        self.wantsContext = wantsContext
        self.key = key
        self.caller = caller
    }
}

/// An instance as it was, read from its history.
struct FoldedPast: Sendable {
    /// The seq of the state.
    let seq: Seq
    let then: PastSnapshot
    let loaded: LoadedMachine
    /// The age of the state at that time.
    let age: FormerAge
    /// The seq that the instance had when its history was read.
    let read: Seq
}

extension ResetCommand: InstanceVerb {
    /// The answer to a reset.
    enum Answer: Sendable {
        case first(SendResult)
        /// The row of the journal from which the first answer is built again.
        case repeated(Position)
        /// The instance has continued since its history was read.
        case moved
    }

    var size: Int { 512 + ((try? past?.get())?.size ?? 0) }
    var summary: String { "\(goal.event) \(instance)" }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        let (instance, repeated) = try begin(in: &batch)
        if let repeated { return .repeated(repeated) }
        try instance.state.refuse(unless: expectedSeq)
        guard let past = try past?.get(), past.read == instance.state.record.seq else { return .moved }
        // Everything that can fail comes first: afterwards the row is recorded.
        let before = instance.state.snapshot.status
        var waiting = before == .running ? [] : try batch.effects(of: instance)
        let time = instance.state.time(at: batch.now)
        let reset = try reset(instance.state, to: past, at: time)
        let (chain, answer) = try step(instance.state, reset, past, at: time, spending: &batch.cost)
        let row = batch.numbers.nextPosition
        batch.remember(key, in: .instance(instance.state.record.id), at: row)
        let new = past.loaded.record.id == instance.state.record.machineID ? nil : past.loaded
        batch.record(
            chain, of: instance,
            from: RowOrigin(
                caller, key: key, reason: reason, run: run, machine: new, age: goal == .beforeLast ? past.age : nil))
        waiting += batch.answer(reset, begunBy: chain.first.macrostep, at: row)
        if instance.state.snapshot.status != .suspended { batch.goOn(waiting, of: instance) }
        batch.lookForHeld(of: instance, waiting, after: before)
        return .first(answer)
    }

    private func reset(
        _ state: borrowing InstanceState, to past: FoldedPast, at time: LogicalTime
    ) throws(Rejection) -> Reset {
        do throws(UndecidedInvocations) {
            return try Reset(
                seq: past.seq.rawValue, past.then, from: state.snapshot, at: time, timers: timers,
                invocations: invocations)
        } catch {
            throw .undecided(error, to: past.seq, asked: invocations, state.facts)
        }
    }

    private func step(
        _ state: borrowing InstanceState, _ reset: Reset, _ past: FoldedPast, at time: LogicalTime,
        spending cost: inout Int
    ) throws(Rejection) -> (Chain, SendResult) {
        let machine = past.loaded.machine
        let event = Event(name: goal.event, data: reset.data(of: machine), at: time)
        let outcome = machine.chain(
            .reset(event), from: state.snapshot, as: state.identity(in: past.loaded), isTracing: isDryRun,
            spending: &cost)
        switch outcome {
        case .success(let chain):
            let answer = SendResult(
                chain, from: state, isDryRun: isDryRun, wantsContext: wantsContext, isExplained: isDryRun,
                into: past.loaded)
            return (chain, answer)
        case .failure(let refusal):
            throw .inconsistent(
                "what '\(self.instance)' was after seq \(past.seq.rawValue) cannot be made again: "
                    + refusal.message(for: goal.event, in: machine))
        }
    }
}

extension FoldedPast {
    /// The approximate number of bytes that the past takes.
    var size: Int { JSONValue.object(then.snapshot.context).size + 256 * then.snapshot.armed.count }
}

extension ResetCommand: KeyedRepair {
    func isRecorded(by row: JournalRecord, after before: Snapshot) -> Bool {
        guard row.kind == .reset, row.event == goal.event, RowNote(row.note).reason == reason,
            let data = row.data.flatMap(RecordedFailure.object)
        else { return false }
        if case .seq(let seq) = goal, data["to"] != .int(seq.rawValue) { return false }
        return (data["timers"]?.string ?? Reset.Timers.left.rawValue) == timers.rawValue
            && data["invocations"]?.string == invocations?.rawValue
    }
}

extension BatchBuilder {
    /// Gives the effects of a reset their former results, where the reset keeps these. The instance takes the results
    /// in their former order, and before each the timers that were due earlier.
    fileprivate mutating func answer(
        _ reset: Reset, begunBy macrostep: Macrostep, at row: Position
    ) -> [EffectRecord] {
        var answered: [EffectRecord] = []
        for (effect, begun) in zip(macrostep.effects(after: row), reset.begun) {
            // An event that the instance sends to itself may have ended the effect.
            guard let event = begun.answer?.event, var record = changes.effects[effect.id]?.record else { continue }
            record.state = .answered
            record.due = Timestamp(rawValue: event.at.milliseconds)
            record.answer = JSONWriter.string(
                JSONValue.object(["data": event.data ?? .null, "event": .string(event.name)]))
            change(record)
            answered.append(record)
        }
        return answered
    }
}

extension Rejection {
    fileprivate static func undecided(
        _ undecided: UndecidedInvocations, to seq: Seq, asked: Reset.Invocations?, _ facts: InstanceFacts
    ) -> Rejection {
        let list = undecided.list.prefix(10).map { "'\($0.id)'\($0.isAnswered ? "" : " (no result came)")" }
        let names = list.joined(separator: ", ") + (undecided.list.count > 10 ? ", …" : "")
        let advice =
            asked == nil
            ? "say with '--invocations' whether these begin again, or have the answer that came"
            : "what has no result can only begin again"
        return Rejection(
            .invocationsUndecided,
            "\(facts.place.text), does not wait any more for what it waited for after seq \(seq.rawValue): \(names); "
                + advice, facts: facts)
    }

    static func notUndoable(_ record: InstanceRecord, _ last: JournalRecord) -> Rejection {
        let before = last.seq.rawValue - 1
        let advice = before < 1 ? "" : "; 'wfctl reset \(record.name) --to \(before)' goes back before it"
        return Rejection(
            .notUndoable,
            "The last that happened to '\(record.name)' is '\(last.event)' (seq \(last.seq.rawValue), \(last.kind)), "
                + "and no migration: only that can be undone\(advice)", subject: .instance(record.name))
    }

    static func movedDuringReset(_ name: InstanceName) -> Rejection {
        Rejection(
            .preconditionFailed,
            "'\(name)' went on each time while its history was read; suspended it can be reset",
            subject: .instance(name))
    }
}
