import WorkflowStore

/// Commands that wait until a machine version is compiled, in order. Later commands for the same instance or machine
/// wait behind them and never overtake. A value without threads.
struct AwaitingCommands {
    /// All waiting commands.
    private(set) var line: QueuedCommands = []
    /// The instances and machines that the waiting commands name.
    private(set) var targets: Set<CommandTarget> = []

    var isEmpty: Bool { line.isEmpty }

    /// Adds commands behind the others. Each was rejected with `Rejection.wait`.
    mutating func add(_ entries: [any QueuedCommand]) {
        for entry in entries { targets.formUnion(entry.command.targets) }
        line += entries
    }

    /// Removes and returns the commands that may be applied again, now that versions are compiled.
    mutating func release(_ compiled: Set<MachineID>) -> QueuedCommands {
        if line.isEmpty || compiled.isEmpty { return [] }
        var released: QueuedCommands = []
        var staying: QueuedCommands = []
        var behind: Set<CommandTarget> = []
        for entry in line {
            let names = entry.command.targets
            if entry.rejection?.wait?.ends(with: compiled) ?? true, !names.contains(where: behind.contains) {
                released.append(entry)
            } else {
                behind.formUnion(names)
                staying.append(entry)
            }
        }
        line = staying
        targets = behind
        return released
    }

    /// Removes and returns all commands.
    mutating func takeAll() -> QueuedCommands {
        defer { self = AwaitingCommands() }
        return line
    }
}
