import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl replay`.
struct Replay: Verb {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Show an instance as it was, or replay its history with another definition.",
        discussion: """
            $ wfctl replay order-1042 --trace

            Nothing is written. --with applies each recorded event to another definition. wfctl prints the first event \
            with a different result; the exit code is then 1. --machine replays every instance of a machine.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Show the instance as it was after this seq.", valueName: "seq"))
    var to: Int64?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Show the events from this seq on, with --trace.", valueName: "seq")
    )
    var from: Int64?

    @Flag(help: "Show every event with its microsteps: transitions, exited and entered states, actions.")
    var trace = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Replay with this definition, in YAML or JSON; - is standard input.", valueName: "file"),
        completion: .file())
    var with: String?

    @Option(
        help: ArgumentHelp("Replay every instance of this machine instead of one.", valueName: "name"),
        completion: Completion.machines.kind)
    var machine: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Replay only instances of this version of the machine; may be repeated.", valueName: "version"))
    var version: [Int64] = []

    @OptionGroup var global: GlobalOptions

    var needsItsOutputRead: Bool { with != nil }

    func validate() throws {
        if (instance == nil) == (machine == nil) {
            throw ValidationError("Name an instance, or a machine with '--machine'")
        }
        if machine != nil, with == nil { throw ValidationError("'--machine' goes with '--with'") }
        if machine == nil, !version.isEmpty { throw ValidationError("'--version' goes with '--machine'") }
        if from != nil, !trace { throw ValidationError("'--from' goes with '--trace'") }
        if let from, let to, from > to { throw ValidationError("'--from' is \(from), and '--to' is only \(to)") }
        if with != nil, to != nil || trace { throw ValidationError("'--with' does not go with '--to' and '--trace'") }
        try Least.check("--to", to)
        try Least.check("--from", from)
        for version in version { try Least.check("--version", version) }
    }

    func run(in session: Session) async throws {
        if let with {
            try await backtest(with: with, in: session)
        } else if let instance, trace {
            try await printSteps(of: instance, in: session)
        } else if let instance {
            let shown = try await session.withClient { client in
                // The instance is computed from its history, also without '--to'.
                let seq = if let to { to } else { try await client.instance(instance).seq }
                return try await client.instance(instance, seq: seq)
            }
            try Show.print(shown, in: session)
        }
    }

    private func printSteps(of instance: String, in session: Session) async throws {
        var printer = ListPrinter<ReplayStep>(session, columns: [])
        try await session.withClient { client in
            for try await step in try await client.replay(instance, .init(from: from, to: to, trace: true)) {
                guard session.format == .table else {
                    try printer.add([step])
                    continue
                }
                try session.print(step.lines(isShort: !global.wide))
            }
        }
        if session.format != .table { try printer.end() }
    }

    private func backtest(with path: String, in session: Session) async throws {
        let definition = try DefinitionFile(path: path, in: session)
        for line in definition.diagnosticLines { try session.say(DiagnosticText.styled(line)) }
        guard definition.machine != nil else {
            throw CommandFailure(.badData, "Cannot replay with '\(path)': the definition has mistakes")
        }
        var report = BacktestReport(session)
        try await session.withClient { client in
            let lines =
                if let machine {
                    try await client.backtest(
                        machine: machine, with: definition.bytes, as: definition.mediaType, .init(versions: version))
                } else {
                    try await client.backtest(
                        instance: instance ?? "", with: definition.bytes, as: definition.mediaType)
                }
            for try await line in lines { try report.add(line) }
        }
        try report.end()
        guard report.isSame else { throw CommandFailure(.other, nil) }
    }
}

extension ReplayStep {
    /// Returns a line for people, with the microsteps below it.
    fileprivate func lines(isShort: Bool) -> StyledText {
        let told = StateText.data(data, note: note)
        let output = output.map { " \(JSONWriter.string($0))" } ?? ""
        let style = StateText.style(of: status)
        let ending: StyledText = status == .running ? "" : " (\(status.rawValue, style)\(output))"
        let left = microsteps?.first?.transitions.map(\.source) ?? []
        let event = isShort ? EventText.short(event, states: left) : event
        let what: StyledText = "\(kind, StateText.style(ofKind: kind))  \(event)\(told.isEmpty ? "" : " " + told)"
        let head: StyledText = "\(seq)  \(at.text)  \(what): \(StateText.styled(configuration))\(ending)"
        return head + "   \(redacted == true ? StateText.redacted : JSONWriter.string(context))\n"
            + (microsteps ?? []).map { $0.lines(isShort: isShort) }.joined()
    }
}
