package import JSON

extension Machine {
    /// Starts an instance and lets it settle.
    ///
    /// - Parameter data: Replaces top-level keys of the machine's context; a key that the context lacks is refused.
    package func start(with data: JSONObject = JSONObject()) -> Outcome {
        var context = self.context
        for member in data.members {
            guard let initial = context[member.key] else {
                let known = context.isEmpty ? "it has no keys" : "its keys are \(context.keys.joined(separator: ", "))"
                return .refused(.invalidData("The context of '\(name)' has no key '\(member.key)'; \(known)"))
            }
            context[member.key] = member.value.converted(toMatch: initial)
        }
        let begun = Snapshot(status: .running, configuration: [], context: context, memory: [])
        var interpreter = Interpreter(machine: self, snapshot: begun)
        return interpreter.run { interpreter throws(Refusal) in
            try interpreter.begin()
        }
    }

    /// Takes one external event and lets the machine settle: SCXML's main event loop for one event, as a pure function.
    ///
    /// - Complexity: Bounded by `StepLimits.work` microsteps.
    package func step(_ snapshot: Snapshot, _ event: Event) -> Outcome {
        guard snapshot.status == .running else { return .refused(.finished) }
        var interpreter = Interpreter(machine: self, snapshot: snapshot)
        return interpreter.run { interpreter throws(Refusal) in
            try interpreter.take(external: event)
        }
    }

    /// What the instance would say to each event of the machine now; nil where it depends on the event's data.
    package func acceptance(in snapshot: Snapshot) -> [(descriptor: String, isAccepted: Bool?)] {
        descriptors.map { descriptor in (descriptor, isTaken(descriptor, in: snapshot)) }
    }

    /// The descriptors of events that the instance takes now, sorted.
    package func accepted(in snapshot: Snapshot) -> [String] {
        descriptors.filter { isTaken($0, in: snapshot) }
    }

    private func isTaken(_ descriptor: String, in snapshot: Snapshot) -> Bool {
        guard snapshot.status == .running else { return false }
        return snapshot.configuration.contains { index in
            let table = self[index].candidates
            if descriptor == "*" { return !table.any.isEmpty }
            if descriptor.hasSuffix(".*") {
                let name = String(descriptor.dropLast(2))
                return !table.any.isEmpty || table.prefixes.contains { $0.matches(name) }
            }
            return table.first(for: descriptor) != nil
        }
    }
}

extension CandidateTable {
    /// The transition that takes an event in this state; nil when none does.
    package func first(for event: String) -> TransitionIndex? {
        if let named = exact[event]?.first { return named }
        if let prefixed = prefixes.first(where: { $0.matches(event) }) { return prefixed.transitions.first }
        return any.first
    }

    /// The transition that handles an error in strict mode: only descriptors that begin with `error` do.
    func firstHandler(for error: String) -> TransitionIndex? {
        if let named = exact[error]?.first { return named }
        return prefixes.first { $0.name.hasPrefix("error") && $0.matches(error) }?.transitions.first
    }
}

extension JSONValue {
    /// An integer becomes a double where the value that it replaces is one; everything else stays.
    package func converted(toMatch old: JSONValue) -> JSONValue {
        if case (.int(let int), .double) = (self, old) { .double(Double(int)) } else { self }
    }
}
