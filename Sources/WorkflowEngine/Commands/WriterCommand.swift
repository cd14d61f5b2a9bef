import WorkflowStore

/// What commands name: whom they are about.
enum CommandTarget: Hashable, Sendable {
    case instance(InstanceKey)
    case machine(MachineKey)
}

/// Something that is asked of the writer: applied in memory with others, and answered when their batch is on disk.
///
/// A new one is a file here: its fields, how a batch applies it, and the function of `Engine` that asks for it.
protocol WriterCommand: Sendable {
    /// What it is answered with. Small, because it waits with many others.
    associatedtype Answer: Sendable

    /// Roughly the bytes that it holds in memory while it waits.
    var size: Int { get }

    /// Whether applying it may take longer than a batch.
    var isLong: Bool { get }

    /// Those that are charged for what it costs: instances, or a machine.
    var payers: [CommandTarget] { get }

    /// The payers, and whatever else it shares with commands that it may not overtake.
    var targets: [CommandTarget] { get }

    /// What it asks for, in a few words for the log; without payloads.
    var summary: String { get }

    /// Says what applying it looks up in the store, so that it can be read at once with what others look up. What only
    /// a rejection looks up may be missing.
    func want(_ rows: inout WantedRows)

    /// Applies it, or throws why not. One that is rejected leaves no trace in the batch. It may be applied again to
    /// another batch, when the first was not written.
    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer

    /// The command as it waits in the queue.
    consuming func queued(_ destination: AnswerDestination<Answer>) -> any QueuedCommand
}

extension WriterCommand {
    consuming func queued(_ destination: AnswerDestination<Answer>) -> any QueuedCommand { Queued(self, destination) }
}

/// The answer to a command that may have a key: its own, or where that of an earlier one is found.
enum KeyedAnswer<Value: Sendable>: Sendable {
    case first(Value)
    /// The row of the journal from which the first answer is made again.
    case repeated(Position)
}
