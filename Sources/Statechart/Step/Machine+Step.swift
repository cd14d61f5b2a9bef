import CEL
package import JSON

extension Machine {
    /// Starts an instance and lets it settle.
    ///
    /// - Parameters:
    ///   - data: Replaces top-level keys of the machine's context; a key that the context lacks is refused.
    ///   - identity: Who starts; its `startedAt` is the logical time of the macrostep.
    ///   - isTracing: Whether the macrostep tells its microsteps.
    package func start(
        with data: JSONObject = JSONObject(), as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Outcome {
        var context = self.context
        for member in data.members {
            guard let initial = context[member.key] else {
                let known = context.isEmpty ? "it has no keys" : "its keys are \(context.keys.joined(separator: ", "))"
                return .refused(.invalidData("The context of '\(name)' has no key '\(member.key)'; \(known)"))
            }
            context[member.key] = member.value.converted(toMatch: initial)
        }
        let begun = Snapshot(status: .running, configuration: [], context: context, memory: [])
        let event = Event(
            name: "init", data: data.isEmpty ? nil : .object(data), at: identity.startedAt, origin: .external)
        var interpreter = Interpreter(
            machine: self, snapshot: begun, identity: identity, event: event, isTracing: isTracing)
        return interpreter.run { interpreter throws(Refusal) in interpreter.begin() }
    }

    /// Takes one event and lets the machine settle: SCXML's main event loop for one event, as a pure function.
    ///
    /// A refusal of an event that no caller waits for (`Event.Origin`) means that the instance has failed.
    ///
    /// - Complexity: Bounded by `StepLimits.work` microsteps and one `Budget` of evaluation.
    package func step(
        _ snapshot: Snapshot, _ event: Event, as identity: InstanceIdentity, isTracing: Bool = false
    ) -> Outcome {
        switch snapshot.status {
        case .running: break
        case .done: return .refused(.finished)
        case .failed: return .refused(.failed)
        }
        if let skipped = skipped(event, of: snapshot, isTracing: isTracing) { return .accepted(skipped) }
        var event = event
        if event.origin == .external {
            do throws(JSONMismatch) {
                event = Event(name: event.name, data: try converted(event.data, of: event.name), at: event.at)
            } catch {
                return .refused(.invalidData("The data of '\(event.name)' does not fit: \(error.message)"))
            }
        }
        var interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: event, isTracing: isTracing)
        return interpreter.run { interpreter throws(Refusal) in try interpreter.takeEvent() }
    }

    /// What a timer that is too late comes to: it is gone, and nothing else changes.
    private func skipped(_ event: Event, of snapshot: Snapshot, isTracing: Bool) -> Macrostep? {
        guard case .timer(let number) = event.origin,
            let index = snapshot.armed.firstIndex(where: { $0.number == number }),
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

    /// An event's data as its declared type has it, with doubles for integers where doubles are declared.
    func converted(_ data: JSONValue?, of event: String) throws(JSONMismatch) -> JSONValue? {
        guard let type = eventData[event] else { return data }
        return try type.converted(data ?? .null, at: "data")
    }
}
