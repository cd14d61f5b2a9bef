package import WorkflowJSON

/// The actions of a person on an instance, which SCXML does not have.
extension NaiveInterpreter {
    /// An action of a person.
    package enum Repair: Equatable, Sendable {
        case cancel(withActions: Bool)
        case retry
        case skip
        /// Keys of the data to set, and keys to remove.
        case set(JSONObject, unset: [String])
        case suspend
        case resume
        case reset(Reset)

        /// The event of the action's macrostep; for a retry, the event that is taken again.
        package var name: String {
            switch self {
            case .cancel: "cancel"
            case .retry: "retry"
            case .skip: "skip"
            case .set: "set"
            case .suspend: "suspend"
            case .resume: "resume"
            case .reset: "reset"
            }
        }
    }

    /// The event that the instance failed on.
    package var kept: (event: String, data: JSONValue?)? {
        pending.first(where: \.isKept).map { ($0.event, $0.data) }
    }

    /// Carries out an action; `nil` if the instance does not allow it.
    ///
    /// - Parameter data: The data of the macrostep's event.
    package func repair(_ repair: Repair, data: JSONValue? = nil, at time: Int64) -> Observation? {
        if case .reset(let reset) = repair { return self.reset(reset, at: time) }
        guard running else { return nil }
        let event = Event(name: repair.name, data: data, at: time)
        switch repair {
        case .reset: return nil
        case .cancel(let withActions): return cancel(event, withActions: withActions)
        case .retry: return pending.first(where: \.isKept).map { retry($0, at: time) }
        case .skip:
            guard let own = pending.first(where: \.isKept) else { return nil }
            return settled(event) { self.pending.removeAll { $0.number == own.number } }
        case .set(let values, let unset):
            guard hasFailed || isSuspended else { return macrostep(of: event) { self.set(values, unset) } }
            set(values, unset)
            isUnsettled = true
            return idleMacrostep(at: time)
        case .suspend:
            guard !hasFailed, !isSuspended else { return nil }
            isSuspended = true
            return idleMacrostep(at: time)
        case .resume:
            guard isSuspended else { return nil }
            isSuspended = false
            let observation = settled(event) {}
            if case .refused = observation { isSuspended = true }
            return observation
        }
    }

    private func settled(_ event: Event, _ first: () -> Void) -> Observation {
        let observation = macrostep(of: event) { first() }
        if case .accepted = observation {
            isUnsettled = false
            amendMemory()
        }
        return observation
    }

    private func retry(_ own: NaivePending, at time: Int64) -> Observation {
        let event = Event(name: own.event, data: own.data, at: time)
        let observation = macrostep(of: event) { () throws(Observation.Refusal) in
            if isUnsettled {
                try settle()
                // An invocation that ends with its state has ended with it.
                guard running, pending.contains(where: { $0.number == own.number }) else { return }
                takeMacrostepEvent()
            }
            try begin(own, as: event)
        }
        if case .accepted = observation {
            isUnsettled = false
            amendMemory()
        } else {
            keep(own, as: event)
        }
        return observation
    }

    /// Sets keys of the data, including nested keys.
    private func set(_ values: JSONObject, _ unset: [String]) {
        for member in values.members { change(member.key, fitted(member.value, as: member.key)) }
        for path in unset { change(path, nil) }
    }

    private func change(_ path: String, _ value: JSONValue?) {
        let steps = path.split(separator: ".").map(String.init)
        func changed(_ old: JSONValue?, _ rest: ArraySlice<String>) -> JSONValue? {
            guard let step = rest.first else { return value }
            var object = old?.object ?? JSONObject()
            object[step] = changed(object[step], rest.dropFirst())
            return .object(object)
        }
        datamodel[steps[0]] = changed(datamodel[steps[0]], steps.dropFirst())
    }
}
