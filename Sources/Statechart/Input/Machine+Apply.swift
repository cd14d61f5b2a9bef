import WorkflowCEL
import WorkflowJSON

extension Machine {
    /// Gives an instance what happens to it, and lets the machine settle: SCXML's main event loop for one event, as a
    /// pure function. There is no other way to go from one snapshot to the next.
    ///
    /// - Parameters:
    ///   - snapshot: Nil for `started`, and only for that.
    ///   - identity: Who it is; `startedAt` is the logical time of its start.
    ///   - isTracing: Whether the macrostep tells its microsteps.
    /// - Precondition: What is taken is armed. The kind is one that some row has: see `JournalRecord.input(after:)`.
    /// - Complexity: Bounded by `StepLimits.work` microsteps and one `Budget` of evaluation.
    package func apply(
        _ input: Input, to snapshot: Snapshot?, as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Outcome {
        var spent = 0
        return apply(input, to: snapshot, as: identity, isTracing: isTracing, spending: &spent)
    }

    /// The same; `spent` grows by the units of `Budget` that a refused input used. A macrostep says so itself.
    package func apply(
        _ input: Input, to snapshot: Snapshot?, as identity: InstanceIdentity, isTracing: Bool = false,
        spending spent: inout Int
    ) -> Outcome {
        guard let snapshot else {
            guard case .started(let event) = input else { preconditionFailure("an instance begins with its start") }
            return start(event, as: identity, isTracing: isTracing, spending: &spent)
        }
        switch input {
        case .started: preconditionFailure("an instance begins once")
        case .event(let event): return take(event, in: snapshot, as: identity, isTracing, spending: &spent)
        case .sent(let taken), .timer(let taken):
            return snapshot.refusal.map(Outcome.refused) ?? take(taken, in: snapshot, as: identity, isTracing)
        case .failed(let taken):
            return snapshot.status == .failed
                ? retry(taken, in: snapshot, as: identity, isTracing)
                : take(taken, in: snapshot, as: identity, isTracing)
        case .retried(let taken): return retry(taken, in: snapshot, as: identity, isTracing)
        case .result, .skipped, .suspended, .resumed, .cancelled, .reset, .set, .migrated, .effect, .redacted:
            preconditionFailure("no row of this kind is written")
        }
    }

    private func start(
        _ event: Event, as identity: InstanceIdentity, isTracing: Bool, spending spent: inout Int
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
            machine: self, snapshot: begun, identity: identity, event: event, isTracing: isTracing)
        return interpreter.run(isStart: true, spending: &spent)
    }

    /// Takes a caller's event.
    private func take(
        _ event: Event, in snapshot: Snapshot, as identity: InstanceIdentity, _ isTracing: Bool,
        spending spent: inout Int
    ) -> Outcome {
        if let refusal = snapshot.refusal { return .refused(refusal) }
        var event = event
        // Most machines declare nothing about their events' data.
        if !eventData.isEmpty {
            do throws(JSONMismatch) {
                event = Event(name: event.name, data: try converted(event.data, of: event.name), at: event.at)
            } catch {
                return .refused(.invalidData("The data of '\(event.name)' does not fit: \(error.message)"))
            }
        }
        let interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: event, isTracing: isTracing)
        return interpreter.run(spending: &spent)
    }

    /// Takes what is armed; what is too late is gone, and nothing else changes.
    private func take(
        _ taken: Taken, in snapshot: Snapshot, as identity: InstanceIdentity, _ isTracing: Bool
    ) -> Outcome {
        let place = snapshot.place(of: taken)
        guard let late = snapshot.armed[place].lateness(at: taken.firedAt) else {
            return run(taken, at: place, in: snapshot, as: identity, isTracing)
        }
        var after = snapshot
        after.seq += 1
        after.armed.remove(at: place)
        var microstep = Microstep(event: taken.event.name, transitions: [])
        microstep.deeds = [.init(state: .root, line: self[.root].line, text: "skipped: \(late) ms late")]
        return .accepted(Macrostep(snapshot: after, microsteps: isTracing ? [microstep] : [], cost: 1))
    }

    /// Takes what the instance failed on. It came in time; that it failed does not make it late.
    private func retry(
        _ taken: Taken, in snapshot: Snapshot, as identity: InstanceIdentity, _ isTracing: Bool
    ) -> Outcome {
        var running = snapshot
        running.status = .running
        return run(taken, at: snapshot.place(of: taken), in: running, as: identity, isTracing)
    }

    /// Takes what stands at a place of `Snapshot.armed`; when that is refused the instance has failed on it.
    private func run(
        _ taken: Taken, at place: Int, in snapshot: Snapshot, as identity: InstanceIdentity, _ isTracing: Bool
    ) -> Outcome {
        let interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: taken.event, taking: place,
            isTracing: isTracing)
        var spent = 0
        let outcome = interpreter.run(spending: &spent)
        guard case .refused(let refusal) = outcome else { return outcome }
        var failed = snapshot
        failed.seq += 1
        failed.status = .failed
        failed.armed[place].isKept = true
        return .failed(Macrostep(snapshot: failed, cost: spent), refusal)
    }

    /// A value as the type of its key of the context has it.
    private func kept(
        _ value: JSONValue, forKey key: String, initial: JSONValue
    ) throws(JSONMismatch) -> JSONValue {
        guard let type = contextTypes[key], type != .dyn else { return value.converted(toMatch: initial) }
        return try type.converted(value, at: key)
    }

    /// An event's data as its declared type has it, with doubles for integers where doubles are declared.
    func converted(_ data: JSONValue?, of event: String) throws(JSONMismatch) -> JSONValue? {
        guard let type = eventData[event] else { return data }
        return try type.converted(data ?? .null, at: "data")
    }
}

extension Snapshot {
    /// Why nothing can be taken; nil while the instance runs.
    fileprivate var refusal: Refusal? {
        switch status {
        case .running: nil
        case .done: .finished
        case .failed: .failed
        }
    }

    fileprivate func place(of taken: Taken) -> Int {
        guard let place = armed.firstIndex(where: { $0.id == taken.id }) else {
            preconditionFailure("only what is armed is taken")
        }
        return place
    }
}
