internal import Statechart

// JSON is stored as text, because a coder may write `1.0` as `1`. A stored value can be read while the definition still
// has its states.

extension MachineValue: Codable {
    private enum CodingKeys: String, CodingKey {
        case machine, name, configuration, context, memory, armed, output, seq, status, startedAt, time, failure
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
        try container.encodeIfPresent(failure, forKey: .failure)
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
        let identity = InstanceIdentity(
            name: try container.decode(String.self, forKey: .name), version: 1,
            startedAt: LogicalTime(milliseconds: try container.decode(Int64.self, forKey: .startedAt)))
        let time = LogicalTime(milliseconds: try container.decode(Int64.self, forKey: .time))
        let seq = try container.decode(Int64.self, forKey: .seq)
        let failure = try container.decodeIfPresent(String.self, forKey: .failure)
        do throws(MachineMismatch) {
            let snapshot = try typed.snapshot(of: text, status, seq: seq)
            try self.init(
                typed,
                UntypedInstance(
                    typed.machine, identity, at: UntypedMove(to: snapshot, at: time, failure: failure)))
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
}
