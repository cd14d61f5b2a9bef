internal import Statechart

// JSON is stored as text, because a coder may write `1.0` as `1`. A stored value can be read while the definition still
// has its states. The digest of the definition tells whether it is still the same.

extension MachineValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case machine, name, configuration, context, memory, armed, output, seq, status, startedAt, time, failure
        case definition, previous
    }

    public func encode(to encoder: any Encoder) throws {
        let text = typed.machine.text(of: instance.snapshot)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(typed.machine.name, forKey: .machine)
        try container.encode(instance.identity.name, forKey: .name)
        try container.encode(text.configuration, forKey: .configuration)
        try container.encode(text.context, forKey: .context)
        try container.encode(text.memory, forKey: .memory)
        try container.encode(text.armed, forKey: .armed)
        try container.encodeIfPresent(text.output, forKey: .output)
        try container.encode(seq, forKey: .seq)
        try container.encode(status, forKey: .status)
        try container.encode(instance.identity.startedAt.milliseconds, forKey: .startedAt)
        try container.encode(instance.last.milliseconds, forKey: .time)
        try container.encodeIfPresent(instance.failure, forKey: .failure)
        try container.encode(M.known.digest, forKey: .definition)
        try container.encode(typed.machine.leafPaths(of: instance.position.before), forKey: .previous)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let typed = try M.known.machineWithoutHost()
        let stored = try container.decode(String.self, forKey: .machine)
        guard stored == typed.machine.name else {
            throw MachineMismatch("Cannot restore '\(typed.machine.name)': what was stored is of '\(stored)'")
        }
        let text = SnapshotText(
            configuration: try container.decode(String.self, forKey: .configuration),
            context: try container.decode(String.self, forKey: .context),
            memory: try container.decode(String.self, forKey: .memory),
            armed: try container.decode(String.self, forKey: .armed),
            output: try container.decodeIfPresent(String.self, forKey: .output))
        let status = try container.decode(Status.self, forKey: .status)
        // A person may have edited the stored value: a number that no machine reaches would overflow later.
        func number(_ key: CodingKeys, in range: ClosedRange<Int64>) throws -> Int64 {
            let number = try container.decode(Int64.self, forKey: key)
            guard range.contains(number) else {
                throw MachineMismatch("Cannot restore '\(stored)': its \(key.rawValue) is \(number)")
            }
            return number
        }
        let identity = InstanceIdentity(
            name: try container.decode(String.self, forKey: .name), version: 1,
            startedAt: LogicalTime(milliseconds: try number(.startedAt, in: 0...StepLimits.latestDue)))
        let time = LogicalTime(milliseconds: try number(.time, in: 0...StepLimits.latestDue))
        let seq = try number(.seq, in: 1...1 << 48)
        let failure = try container.decodeIfPresent(String.self, forKey: .failure)
        // Values of 0.1.0 have neither.
        let definition = try container.decodeIfPresent(String.self, forKey: .definition)
        let previous = try container.decodeIfPresent([String].self, forKey: .previous) ?? []
        let isChanged = definition != nil && definition != M.known.digest
        do throws(MachineMismatch) {
            var snapshot = try typed.snapshot(of: text, status, seq: seq)
            if isChanged { try typed.adjustTimers(of: &snapshot) }
            let before = typed.machine.configuration(ofLeaves: previous)
            try self.init(
                typed,
                UntypedInstance(
                    typed.machine, identity, at: UntypedMove(from: before, to: snapshot, at: time, failure: failure),
                    table: typed.table))
            hasChangedDefinition = isChanged
        } catch {
            throw MachineMismatch("Cannot restore '\(typed.machine.name)': \(error)")
        }
    }
}

extension TypedMachine {
    /// Returns a stored snapshot. Throws if the machine cannot be in that state.
    fileprivate func snapshot(
        of text: SnapshotText, _ status: MachineValue<M>.Status, seq: Int64
    ) throws(MachineMismatch) -> Snapshot {
        for path in SnapshotText.leafPaths(in: text.configuration) where machine.state(atPath: path) == nil {
            throw MachineMismatch("it has no state '\(path)'")
        }
        do {
            return try machine.snapshot(of: text, status: .init(rawValue: status.rawValue) ?? .failed, seq: seq)
        } catch {
            throw MachineMismatch(error.message)
        }
    }
    /// Lets the timers of a stored snapshot follow the delays of a changed definition. A timer counts from the time at
    /// which it was armed, and ends if its state has no timer any more. Throws if a timer cannot follow.
    fileprivate func adjustTimers(of snapshot: inout Snapshot) throws(MachineMismatch) {
        let armed = Set(snapshot.armed.map(\.event))
        for (place, timer) in snapshot.armed.enumerated().reversed() {
            guard case .state(let owner) = timer.owner, timer.kind == .timer, timer.invocation == nil else { continue }
            let timeouts = machine[owner].timeouts
            guard !timeouts.contains(where: { $0.event == timer.event }) else { continue }
            let new = timeouts.filter { !armed.contains($0.event) }
            guard !new.isEmpty else {
                snapshot.armed.remove(at: place)
                continue
            }
            let old = timer.event.dropFirst(Statechart.EventName.timeoutPrefix.count).dropLast(
                machine[owner].id.count + 1)
            guard new.count == 1, case .milliseconds(let delay) = new[0].delay,
                let before = try? DelayText.length(of: String(old))  // A computed delay is no delay's text.
            else {
                throw MachineMismatch("its timer '\(timer.event)' follows no delay of the definition")
            }
            let due = LogicalTime(.milliseconds(timer.due.milliseconds - before + delay))
            snapshot.armed[place] = Pending(
                id: timer.id, kind: .timer, event: new[0].event, data: timer.data, due: due, owner: timer.owner,
                misfire: new[0].misfire, isKept: timer.isKept, isUnsettled: timer.isUnsettled)
        }
    }
}
