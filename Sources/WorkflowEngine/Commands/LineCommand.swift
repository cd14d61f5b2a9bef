import WorkflowStore

/// One line of a body with many lines: an event for an instance, or a new instance.
package enum LineCommand: Sendable {
    /// An event.
    case send(SendCommand)
    /// A new instance.
    case start(StartLine)
}

/// Starts an instance, with an answer in the form of its first event's.
package struct StartLine: Sendable {
    package var command: StartCommand
    /// True if the answer includes the context.
    package var wantsContext: Bool

    package init(_ command: StartCommand, wantsContext: Bool = true) {
        self.command = command
        self.wantsContext = wantsContext
    }
}

extension StartLine: PlacedCommand {
    var size: Int { command.size }
    var isLong: Bool { command.isLong }
    var payers: [CommandTarget] { command.payers }
    var targets: [CommandTarget] { command.targets }
    var place: CommandPlace { command.place }
    var summary: String { command.summary }

    func want(_ rows: inout WantedRows) { command.want(&rows) }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> KeyedAnswer<SendResult> {
        try command.start(in: &batch) { started, chain in
            SendResult(startedBy: chain, started.state, wantsContext: wantsContext)
        }
    }
}

extension LineCommand: PlacedCommand {
    private var asked: any PlacedCommand {
        switch self {
        case .send(let send): send
        case .start(let line): line
        }
    }

    var size: Int {
        switch self {
        case .send(let send): send.size
        case .start(let line): line.size
        }
    }

    /// The key of the line; `nil` if it has none.
    var key: RequestKey? {
        switch self {
        case .send(let send): send.key
        case .start(let line): line.command.key
        }
    }

    var caller: Caller {
        switch self {
        case .send(let send): send.caller
        case .start(let line): line.command.caller
        }
    }

    var isLong: Bool { asked.isLong }
    var payers: [CommandTarget] { asked.payers }
    var targets: [CommandTarget] { asked.targets }
    var place: CommandPlace { asked.place }
    var summary: String { asked.summary }

    func want(_ rows: inout WantedRows) { asked.want(&rows) }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> KeyedAnswer<SendResult> {
        switch self {
        case .send(let send): try send.apply(to: &batch)
        case .start(let line): try line.apply(to: &batch)
        }
    }

    /// Queues the command of the line: an event waits as a single event does.
    consuming func queued(_ destination: AnswerDestination<KeyedAnswer<SendResult>>) -> any QueuedCommand {
        switch consume self {
        case .send(let send): send.queued(destination)
        case .start(let line): line.queued(destination)
        }
    }

    /// Throws if no caller may send the command, whatever the instance.
    func check() throws(Rejection) {
        if case .send(let send) = self { try send.check() }
    }
}
