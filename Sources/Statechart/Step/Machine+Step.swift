import CEL
package import JSON

extension Machine {
    /// Starts an instance and lets it settle.
    ///
    /// - Parameters:
    ///   - data: Replaces top-level keys of the machine's context; a key that the context lacks, or a value that does
    ///     not fit its key's type, is refused.
    ///   - identity: Who starts; its `startedAt` is the logical time of the macrostep.
    ///   - isTracing: Whether the macrostep tells its microsteps.
    package func start(
        with data: JSONObject = JSONObject(), as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Outcome {
        var spent = 0
        return start(with: data, as: identity, isTracing: isTracing, spending: &spent)
    }

    /// The same; `spent` grows by the units of `Budget` that a refused start used.
    package func start(
        with data: JSONObject, as identity: InstanceIdentity, isTracing: Bool = false, spending spent: inout Int
    ) -> Outcome {
        var context = self.context
        for member in data.members {
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
        let event = Event(
            name: "init", data: data.isEmpty ? nil : .object(data), at: identity.startedAt, origin: .external)
        let interpreter = Interpreter(
            machine: self, snapshot: begun, identity: identity, event: event, isTracing: isTracing)
        return interpreter.run(isStart: true, spending: &spent)
    }

    /// Takes one event and lets the machine settle: SCXML's main event loop for one event, as a pure function.
    ///
    /// A refusal of an event that no caller waits for (`Event.Origin`) means that the instance has failed.
    ///
    /// - Complexity: Bounded by `StepLimits.work` microsteps and one `Budget` of evaluation.
    package func step(
        _ snapshot: Snapshot, _ event: Event, as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Outcome {
        var spent = 0
        return step(snapshot, event, as: identity, isTracing: isTracing, spending: &spent)
    }

    /// The same; `spent` grows by the units of `Budget` that a refused event used. An accepted one says so itself.
    package func step(
        _ snapshot: Snapshot, _ event: Event, as identity: InstanceIdentity, isTracing: Bool = false,
        spending spent: inout Int
    ) -> Outcome {
        switch snapshot.status {
        case .running: break
        case .done: return .refused(.finished)
        case .failed: return .refused(.failed)
        }
        if case .timer(let number) = event.origin,
            let skipped = skipped(event, number, of: snapshot, isTracing: isTracing)
        {
            return .accepted(skipped)
        }
        // Most machines declare nothing about their events' data.
        if event.origin != .external || event.firedAt == nil && eventData.isEmpty {
            return step(snapshot, whole: event, as: identity, isTracing: isTracing, spending: &spent)
        }
        do throws(JSONMismatch) {
            let data = try converted(event.data, of: event.name)
            let whole = Event(name: event.name, data: data, at: event.at)
            return step(snapshot, whole: whole, as: identity, isTracing: isTracing, spending: &spent)
        } catch {
            return .refused(.invalidData("The data of '\(event.name)' does not fit: \(error.message)"))
        }
    }

    private func step(
        _ snapshot: Snapshot, whole event: Event, as identity: InstanceIdentity, isTracing: Bool,
        spending spent: inout Int
    ) -> Outcome {
        let interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: event, isTracing: isTracing)
        return interpreter.run(spending: &spent)
    }

    /// What a timer that is too late comes to: it is gone, and nothing else changes.
    private func skipped(_ event: Event, _ number: Int, of snapshot: Snapshot, isTracing: Bool) -> Macrostep? {
        guard let index = snapshot.armed.firstIndex(where: { $0.number == number }),
            snapshot.armed[index].isSkipped(by: event)
        else { return nil }
        var after = snapshot
        after.armed.remove(at: index)
        var microsteps: [Microstep] = []
        if isTracing {
            let late = (event.firedAt ?? event.at).milliseconds - snapshot.armed[index].due.milliseconds
            var microstep = Microstep(event: event.name, transitions: [])
            microstep.deeds = [.init(state: .root, line: self[.root].line, text: "skipped: \(late) ms late")]
            microsteps = [microstep]
        }
        return Macrostep(snapshot: after, exited: [], entered: [], microsteps: microsteps, cost: 1)
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
