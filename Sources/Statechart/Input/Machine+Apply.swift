package import WorkflowCEL
package import WorkflowJSON

extension Machine {
    /// Applies an input to an instance and lets the machine settle: SCXML's main event loop for one event, as a pure
    /// function. There is no other way from one snapshot to the next.
    ///
    /// - Parameters:
    ///   - snapshot: The instance before the input; `nil` only for `started`.
    ///   - identity: The identity of the instance; `startedAt` is the logical time of its start.
    ///   - isTracing: True to record the microsteps.
    /// - Precondition: A taken item is armed. The kind is one that a row can have: see `JournalRecord.input(after:)`.
    /// - Complexity: Bounded by `StepLimits.work` microsteps and one `Budget` of evaluation.
    package func apply(
        _ input: Input, to snapshot: Snapshot?, as identity: InstanceIdentity, isTracing: Bool = false,
        within bounds: StepBounds = .live
    ) -> Outcome {
        var spent = 0
        return apply(input, to: snapshot, as: identity, isTracing: isTracing, within: bounds, spending: &spent)
    }

    /// Applies an input. `spent` increases by the units of `Budget` that a refused input used; a macrostep has its own
    /// cost.
    package func apply(
        _ input: Input, to snapshot: Snapshot?, as identity: InstanceIdentity, isTracing: Bool = false,
        within bounds: StepBounds = .live, spending spent: inout Int
    ) -> Outcome {
        if let snapshot {
            return apply(input, to: snapshot, as: identity, isTracing: isTracing, within: bounds, spending: &spent)
        }
        guard case .started(let event) = input else { preconditionFailure("an instance begins with its start") }
        return start(event, as: identity, StepMode(isTracing: isTracing, bounds), spending: &spent)
    }

    /// Applies an input to an instance that has started.
    package func apply(
        _ input: Input, to snapshot: Snapshot, as identity: InstanceIdentity, isTracing: Bool = false,
        within bounds: StepBounds = .live
    ) -> Outcome {
        var spent = 0
        return apply(input, to: snapshot, as: identity, isTracing: isTracing, within: bounds, spending: &spent)
    }

    /// Applies an input to an instance that has started. `spent` increases by the units that a refused input used.
    package func apply(
        _ input: Input, to snapshot: Snapshot, as identity: InstanceIdentity, isTracing: Bool = false,
        within bounds: StepBounds = .live, spending spent: inout Int
    ) -> Outcome {
        let mode = StepMode(isTracing: isTracing, bounds)
        switch input {
        case .started: preconditionFailure("an instance begins once")
        case .event(let event): return take(event, in: snapshot, as: identity, mode, spending: &spent)
        case .sent(let taken), .timer(let taken), .result(let taken):
            return snapshot.refusal.map(Outcome.refused) ?? take(taken, in: snapshot, as: identity, mode)
        case .failed(let taken):
            return snapshot.status == .failed
                ? retry(taken, in: snapshot, as: identity, mode)
                : take(taken, in: snapshot, as: identity, mode)
        case .retried(let taken): return retry(taken, in: snapshot, as: identity, mode)
        case .effect(let event): return note(event, in: snapshot, as: identity, mode, spending: &spent)
        case .skipped(let event): return skip(event, in: snapshot, as: identity, mode, spending: &spent)
        case .suspended(let event): return suspend(event, in: snapshot, mode)
        case .resumed(let event): return resume(event, in: snapshot, as: identity, mode, spending: &spent)
        case .cancelled(let event): return cancel(event, in: snapshot, as: identity, mode, spending: &spent)
        case .set(let event): return set(event, in: snapshot, as: identity, mode, spending: &spent)
        case .reset(let event): return reset(event, in: snapshot, as: identity, mode)
        case .redacted(let event): return redact(event, in: snapshot, mode)
        case .migrated(let event, let earlier):
            return migrate(event, from: earlier, snapshot, as: identity, mode, spending: &spent)
        }
    }

    private func start(
        _ event: Event, as identity: InstanceIdentity, _ mode: StepMode, spending spent: inout Int
    ) -> Outcome {
        var context = self.context
        for member in event.data?.object?.members ?? [] {
            guard let initial = context[member.key] else {
                let known = context.isEmpty ? "it has no keys" : "its keys are \(context.keys.joined(separator: ", "))"
                return .refused(.invalidData("The context of '\(name)' has no key '\(member.key)'; \(known)"))
            }
            do throws(JSONMismatch) {
                context[member.key] = try kept(member.value, forKey: member.key, initial: initial)
            } catch {
                return .refused(.invalidData("The data does not fit the context of '\(name)': \(error.message)"))
            }
        }
        let begun = Snapshot(status: .running, configuration: [], context: context, memory: [])
        let interpreter = Interpreter(
            machine: self, snapshot: begun, identity: identity, event: event, mode: mode)
        return interpreter.run(isStart: true, spending: &spent)
    }

    /// Takes a caller's event.
    private func take(
        _ event: Event, in snapshot: Snapshot, as identity: InstanceIdentity, _ mode: StepMode,
        spending spent: inout Int
    ) -> Outcome {
        if let refusal = snapshot.refusal { return .refused(refusal) }
        var event = event
        // Most machines declare no types for event data.
        if !eventData.isEmpty {
            do throws(JSONMismatch) {
                event = Event(name: event.name, data: try converted(event.data, of: event.name), at: event.at)
            } catch {
                return .refused(.invalidData("The data of '\(event.name)' does not fit: \(error.message)"))
            }
        }
        let interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: event, mode: mode)
        return interpreter.run(spending: &spent)
    }

    /// Takes a pending item. An item that is too late for every transition is removed without further effect.
    private func take(
        _ taken: Taken, in snapshot: Snapshot, as identity: InstanceIdentity, _ mode: StepMode
    ) -> Outcome {
        let place = snapshot.place(of: taken)
        let late = snapshot.armed[place].lateness(at: taken.firedAt)
        guard snapshot.armed[place].misfire.isTooLate(late) else {
            return run(taken, at: place, Lateness(late, firedAt: taken.firedAt), in: snapshot, as: identity, mode)
        }
        let skipped = SkippedTimer(lateMilliseconds: late, isRearmed: false)
        var after = snapshot
        after.seq += 1
        after.armed.remove(at: place)
        let trace = trace(of: taken.event, [skipped.text], mode)
        return .accepted(Macrostep(snapshot: after, trace: trace, cost: 1, skipped: skipped))
    }

    /// Takes the item that the instance failed on. The retry does not count as late, because the item first came in
    /// time.
    private func retry(
        _ taken: Taken, in snapshot: Snapshot, as identity: InstanceIdentity, _ mode: StepMode
    ) -> Outcome {
        var running = snapshot
        running.status = .running
        return run(taken, at: snapshot.place(of: taken), nil, in: running, as: identity, mode)
    }

    /// Records a person's decision on an effect. If the instance failed on this invocation, the invocation is active
    /// again, without its timeout, and the instance runs. The consequence of the decision follows in a later input.
    private func note(
        _ event: Event, in snapshot: Snapshot, as identity: InstanceIdentity, _ mode: StepMode,
        spending spent: inout Int
    ) -> Outcome {
        var after = snapshot
        if let id = Pending.ID(ofWord: event.data),
            let place = after.armed.firstIndex(where: { $0.id == id && $0.isKept && $0.kind == .invocation })
        {
            let isUnsettled = after.armed[place].isUnsettled
            after.armed[place] = after.armed[place].revived
            after.status = .running
            if isUnsettled { return settle(event, in: after, as: identity, mode, spending: &spent) }
        }
        after.seq += 1
        return .accepted(Macrostep(snapshot: after, cost: 1))
    }

    /// Takes the item at a place of `Snapshot.armed`. If the machine refuses the item, the instance has failed on it.
    ///
    /// - Parameter lateness: The lateness of the timer; `nil` if the timer is not late.
    private func run(
        _ taken: Taken, at place: Int, _ lateness: Lateness?, in snapshot: Snapshot, as identity: InstanceIdentity,
        _ mode: StepMode
    ) -> Outcome {
        let isUnsettled = snapshot.armed[place].isUnsettled
        var interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: taken.event,
            taking: isUnsettled ? nil : place, mode: mode)
        interpreter.lateness = lateness
        var spent = 0
        let outcome =
            if isUnsettled {
                interpreter.runSettled(before: taken.id, spending: &spent)
            } else {
                interpreter.run(spending: &spent)
            }
        guard case .refused(let refusal) = outcome else { return outcome }
        var failed = snapshot
        failed.seq += 1
        failed.status = .failed
        let requests = failed.keep(taken, at: place)
        return .failed(Macrostep(snapshot: failed, requests: requests, cost: spent), refusal)
    }

    /// Returns a value converted to the type of its context key.
    private func kept(
        _ value: JSONValue, forKey key: String, initial: JSONValue
    ) throws(JSONMismatch) -> JSONValue {
        guard let type = contextTypes[key], type != .dyn else { return value.converted(toMatch: initial) }
        return try type.converted(value, at: key, in: semantics.language)
    }

    /// Returns an event's data converted to its declared type, with doubles for integers where doubles are declared.
    package func converted(_ data: JSONValue?, of event: String) throws(JSONMismatch) -> JSONValue? {
        guard let type = eventData[event] else { return data }
        return try type.converted(data ?? .null, at: "data", in: semantics.language)
    }
}

extension Snapshot {
    /// The reason why the instance takes no events; `nil` while the instance runs.
    var refusal: Refusal? {
        switch status {
        case .running: nil
        case .done, .cancelled: .finished
        case .failed: .failed
        case .suspended: .suspended
        }
    }

    /// Keeps the item that the instance failed on. For an invocation or its timeout, the invocation is kept with the
    /// event that ended it, because a person can still act on the invocation. Its timeout is dropped.
    fileprivate mutating func keep(_ taken: Taken, at place: Int) -> [Macrostep.Request] {
        guard let id = armed[place].invocation, let invocation = armed.invocation(id) else {
            armed[place] = armed[place].kept(as: taken)
            return []
        }
        let partner = armed.first { $0.invocation == id && $0.kind == .timer }
        armed.removeAll { $0.id == partner?.id }
        armed[armed.firstIndex { $0.id == invocation.id } ?? 0] = invocation.kept(as: taken)
        return partner.map { $0.id == taken.id ? [] : [.cancel($0.id)] } ?? []
    }

    fileprivate func place(of taken: Taken) -> Int {
        guard let place = armed.firstIndex(where: { $0.id == taken.id }) else {
            preconditionFailure("only what is armed is taken")
        }
        return place
    }
}

/// An input and the events that the instance sent to itself as a result. These events precede all other inputs.
package struct Chain: Sendable {
    /// One input and its macrostep: a row of the journal.
    ///
    /// `Link` is a class, because it is large, immutable and passed through many functions.
    package final class Link: Sendable {
        /// The input as its row records it: `failed` if the machine could not take it.
        package let input: Input
        /// The input's event, stored because extracting it from the input copies all of its data.
        package let event: Event
        package let macrostep: Macrostep
        /// The reason why the instance has failed; `nil` if the machine took the input.
        package let refusal: Refusal?

        fileprivate init(_ input: Input, _ macrostep: Macrostep) {
            self.input = input
            event = input.event
            self.macrostep = macrostep
            refusal = nil
        }

        fileprivate init(_ input: Input, failing macrostep: Macrostep, because refusal: Refusal) {
            guard let taken = input.taken else { preconditionFailure("a caller is told why it is refused") }
            self.input = .failed(taken)
            event = taken.event
            self.macrostep = macrostep
            self.refusal = refusal
        }
    }

    /// The input and its macrostep.
    package let first: Link
    /// The events that the instance sent to itself. The instance may have failed on the last one.
    package let rest: [Link]

    /// All links, in order.
    package var links: [Link] { [first] + rest }

    /// The number of links.
    package var count: Int { 1 + rest.count }

    /// The reason why the instance has failed; `nil` if the instance has not failed.
    package var refusal: Refusal? { (rest.last ?? first).refusal }

    /// The instance after the last link.
    package var snapshot: Snapshot { (rest.last ?? first).macrostep.snapshot }
}

extension Machine {
    /// Applies an input and then the events that the instance sent to itself, up to `StepLimits.chain` events and about
    /// one `Budget`. The remaining events stay in `Snapshot.armed`. The preconditions are those of `apply`.
    package func chain(
        _ input: Input, from snapshot: Snapshot?, as identity: InstanceIdentity, isTracing: Bool = false,
        within bounds: StepBounds = .live
    ) -> Result<Chain, Refusal> {
        var spent = 0
        return chain(input, from: snapshot, as: identity, isTracing: isTracing, within: bounds, spending: &spent)
    }

    /// Applies an input and the events that follow. `spent` increases by the units of `Budget` that a refused input
    /// used; a macrostep has its own cost.
    package func chain(
        _ input: Input, from snapshot: Snapshot?, as identity: InstanceIdentity, isTracing: Bool = false,
        within bounds: StepBounds = .live, spending spent: inout Int
    ) -> Result<Chain, Refusal> {
        switch apply(input, to: snapshot, as: identity, isTracing: isTracing, within: bounds, spending: &spent) {
        case .refused(let refusal): return .failure(refusal)
        case .failed(let macrostep, let refusal):
            return .success(Chain(first: .init(input, failing: macrostep, because: refusal), rest: []))
        case .accepted(let macrostep):
            let link = Chain.Link(input, macrostep)
            return .success(
                Chain(first: link, rest: rest(after: link, as: identity, StepMode(isTracing: isTracing, bounds))))
        }
    }

    /// Returns a migration to this machine, followed by the events that the instance sent to itself.
    package func chain(
        _ migrated: Migrated, from earlier: EarlierMachine, as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Chain {
        let link = Chain.Link(.migrated(migrated.event, from: earlier), migrated.macrostep)
        return Chain(first: link, rest: rest(after: link, as: identity, StepMode(isTracing: isTracing)))
    }

    private func rest(after first: Chain.Link, as identity: InstanceIdentity, _ mode: StepMode) -> [Chain.Link] {
        var last = first
        var rest: [Chain.Link] = []
        var cost = first.macrostep.cost
        while last.macrostep.snapshot.status == .running, let next = last.macrostep.snapshot.armed.nextSent,
            rest.count < StepLimits.chain, cost < CELLimits.evaluation
        {
            let input = Input.coming(next, at: next.time(notBefore: last.event.at))
            switch apply(
                input, to: last.macrostep.snapshot, as: identity, isTracing: mode.isTracing, within: mode.bounds)
            {
            case .accepted(let macrostep):
                last = Chain.Link(input, macrostep)
                cost += macrostep.cost
            case .failed(let macrostep, let refusal):
                last = Chain.Link(input, failing: macrostep, because: refusal)
            case .refused: preconditionFailure("what is armed is taken while the instance runs, or fails")
            }
            rest.append(last)
        }
        return rest
    }
}
