package import WorkflowJSON

// The data of a `reset` row: the complete instance, so that folding needs no earlier row.

extension Reset {
    /// Returns the canonical data of the reset: equal resets have equal data.
    ///
    /// - Parameter machine: The machine of the instance after the reset.
    package func data(of machine: Machine) -> JSONValue {
        var object: JSONObject = [
            "to": .int(seq), "machine": ["name": .string(machine.name), "version": .int(version)],
            "snapshot": machine.json(of: snapshot),
        ]
        if timers != .left { object["timers"] = .string(timers.rawValue) }
        object["invocations"] = invocations.map { .string($0.rawValue) }
        if !begun.isEmpty { object["begun"] = .array(begun.map(\.json)) }
        object["failure"] = failure
        object["clock"] = clock.map(JSONValue.int)
        return .object(object)
    }

    /// Returns the milliseconds by which a row sets back its instance's time; `nil` if the data contain none.
    package static func clock(in data: JSONValue?) -> Int64? {
        data?.object?.number("clock", in: 1...StepLimits.latestDue)
    }

    /// Reads the data of a row.
    ///
    /// - Parameter now: The seq of the row.
    init(_ data: JSONValue?, seq now: Int64, of machine: Machine) throws(ResetMistake) {
        guard let data = data?.object, case .int(let seq)? = data["to"], let state = data["snapshot"]?.object,
            let status = state["status"]?.string.flatMap(Snapshot.Status.init), let home = data["machine"]?.object,
            home["name"]?.string == machine.name, case .int(let version)? = home["version"]
        else { throw ResetMistake("it does not say the instance whole") }
        self.seq = seq
        self.version = version
        timers = data["timers"]?.string.flatMap(Timers.init) ?? .left
        invocations = data["invocations"]?.string.flatMap(Invocations.init)
        failure = data["failure"]
        clock = Reset.clock(in: .object(data))
        do throws(SnapshotTextError) {
            snapshot = try machine.snapshot(of: SnapshotText(state), status: status, seq: now)
        } catch {
            throw ResetMistake(error.message)
        }
        var begun: [Begun] = []
        if case .array(let elements)? = data["begun"] {
            for element in elements {
                guard let next = Begun(element, in: snapshot) else { throw ResetMistake("what begins is not whole") }
                begun.append(next)
            }
        }
        self.begun = begun
    }
}

extension Reset.Begun {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "number": .int(Int64(number)), "priority": .int(request.priority), "queue": .string(request.queue),
            "request": .object(request.object),
        ]
        if let event = answer?.event {
            var told: JSONObject = ["at": .int(event.at.milliseconds), "event": .string(event.name)]
            told["data"] = event.data
            object["answer"] = .object(told)
        }
        return .object(object)
    }

    fileprivate init?(_ json: JSONValue, in snapshot: Snapshot) {
        guard let object = json.object, case .int(let number)? = object["number"],
            case .int(let priority)? = object["priority"], let queue = object["queue"]?.string,
            let request = object["request"]?.object,
            let name = snapshot.armed.first(where: {
                $0.id == Pending.ID(seq: snapshot.seq, number: Int(number)) && $0.kind == .invocation
            })?.invocation
        else { return nil }
        self.number = Int(number)
        self.request = EffectRequest(name, queue: queue, priority: priority, request)
        guard let told = object["answer"]?.object else {
            answer = nil
            return
        }
        guard let at = told.number("at", in: 0...StepLimits.latestDue), let event = told["event"]?.string else {
            return nil
        }
        answer = PastInvocation.Answer(
            Event(name: event, data: told["data"], at: LogicalTime(milliseconds: at)))
    }
}

extension Machine {
    fileprivate func json(of snapshot: Snapshot) -> JSONValue {
        var object: JSONObject = [
            "status": .string(snapshot.status.rawValue),
            "configuration": .array(leafPaths(of: snapshot.configuration).map(JSONValue.string)),
            "context": .object(snapshot.context), "memory": .object(json(of: snapshot.memory)),
            "armed": .array(snapshot.armed.map { .object(json(of: $0)) }),
        ]
        object["output"] = snapshot.output
        return .object(object)
    }
}

extension SnapshotText {
    fileprivate init(_ state: JSONObject) {
        var paths: [String] = []
        if case .array(let list)? = state["configuration"] { paths = list.compactMap(\.string) }
        self.init(
            configuration: paths.joined(separator: ","), context: JSONWriter.string(state["context"] ?? .null),
            memory: JSONWriter.string(state["memory"] ?? .null), armed: JSONWriter.string(state["armed"] ?? .null),
            output: state["output"].map(JSONWriter.string))
    }
}

/// The error for `reset` data that a reset cannot have produced.
struct ResetMistake: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
