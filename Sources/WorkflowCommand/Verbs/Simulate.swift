import ArgumentParser
import JSON
import Statechart
import WorkflowAPI

/// `wfctl simulate`.
struct Simulate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run a definition in memory, without a daemon.",
        discussion: """
            Prints the start and what every event came to. A refused event changes nothing, and the run goes on; the \
            exit code is 5 then. Events named here come before those of the script.
            """)

    @Argument(help: ArgumentHelp("A definition in YAML or JSON; - is standard input.", valueName: "file"))
    var file: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Replaces keys of the machine's context: a JSON object, @FILE, or - for standard input.",
            valueName: "json|@file|-"))
    var data: String?

    @Option(name: .customLong("event"), help: ArgumentHelp("An event to send; may be repeated.", valueName: "event"))
    var events: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Events to send: {\"event\": …, \"data\": …}, one a line; - is standard input.", valueName: "file|-"))
    var script: String?

    @Flag(help: "Tell which states were exited and entered.")
    var detail = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard [file, data, script].count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Standard input can be read once only: '-' stands twice")
        }
    }

    func run(in session: Session) async throws {
        let definition = try DefinitionFile(path: file, in: session)
        for line in definition.diagnosticLines { try session.say(Printable.text(line)) }
        guard let machine = definition.machine else {
            throw CommandFailure(.badData, "Cannot simulate '\(file)': the definition has mistakes")
        }
        let data = try data.map { try DataArgument.object(of: $0, in: session) } ?? JSONObject()
        let scripted = try script.map { try SimulationScript.events(at: $0, in: session) } ?? []
        if case .refused(.invalidData(let reason)) = machine.start(with: data) {
            throw CommandFailure(.badData, "Cannot start '\(machine.name)': \(reason)")
        }
        var simulation = Simulation(machine, tellsDetail: detail)
        var printer = ListPrinter(session, columns: Self.columns(detail: detail))
        let started = simulation.start(with: data)
        try printer.add([started])
        var refused = started.reason == nil ? 0 : 1
        if refused == 0 {
            for event in events.map({ Event(name: $0) }) + scripted {
                let step = simulation.send(event)
                try printer.add([step])
                refused += step.reason == nil ? 0 : 1
            }
        }
        try printer.end()
        if refused > 0 { throw CommandFailure(.refused, Self.summary(started: started, refused: refused)) }
    }

    private static func summary(started: SimulatedStep, refused: Int) -> String {
        if let reason = started.reason { return "The machine does not start: \(reason)" }
        return refused == 1 ? "1 event was refused" : "\(refused) events were refused"
    }

    private static func columns(detail: Bool) -> [Table<SimulatedStep>.Column] {
        let columns: [Table<SimulatedStep>.Column] = [
            .init("SEQ") { String($0.seq) },
            .init("EVENT") { $0.event },
            .init("FROM") { StateText.leaves($0.from) },
            .init("TO") { $0.reason == nil ? StateText.leaves($0.to) : "refused: \($0.reason ?? "")" },
        ]
        guard detail else { return columns }
        return columns + [
            .init("EXITED") { StateText.leaves($0.exited ?? []) },
            .init("ENTERED") { StateText.leaves($0.entered ?? []) },
        ]
    }
}
