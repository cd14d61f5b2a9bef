import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowJSON
import WorkflowSpelling

/// `wfctl simulate`.
struct Simulate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Run a definition in memory, without a daemon.",
        discussion: """
            $ wfctl simulate order.yaml --event submit --event legal.ok

            Time is virtual: it passes where the script says so, and timers fire on the way. wfctl prints the start \
            and each event, with the state and the context afterwards and the actions. Events of --event precede those \
            of the script. A refused event changes nothing, and the simulation continues; the exit code is then 5.

            Nobody carries out invocations here. '--answer' gives an invocation its result whenever it runs. Its id is \
            the path of its state, unless the definition sets one. Lines of a script end one: {\"done\": \"ID\", \
            \"data\": …} or {\"fail\": \"ID\", \"error\": {\"type\": …, \"message\": …}}. In the end wfctl names the \
            invocations that still run.
            """)

    @Argument(
        help: ArgumentHelp("A definition in YAML or JSON; - is standard input.", valueName: "file"), completion: .file()
    )
    var file: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Replace keys of the machine's context: a JSON object, @FILE, or - for standard input.",
            valueName: "json|@file|-"))
    var data: String?

    @Option(name: .customLong("event"), help: ArgumentHelp("An event to send; may be repeated.", valueName: "event"))
    var events: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send these events, one per line: {\"event\": …, \"data\": …, \"after\": \"5s\"}; - is standard input.",
            valueName: "file|-"), completion: .file())
    var script: String?

    @Option(
        name: .customLong("answer"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The result of an invocation whenever it runs; may be repeated.", valueName: "id=json"))
    var answers: [String] = []

    @Flag(help: "In the end, fire timer after timer until none is left.")
    var untilIdle = false

    @Flag(help: "Show the microsteps: transitions, exited and entered states, actions.")
    var trace = false

    @Option(help: ArgumentHelp("The time of the virtual clock at the start.", valueName: "time"))
    var clock = "2000-01-01T00:00:00.000Z"

    @OptionGroup var global: GlobalOptions

    var needsItsOutputRead: Bool { true }

    func validate() throws {
        guard [file, data, script].count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("Standard input can be read only once: '-' is given twice")
        }
    }

    func run(in session: Session) async throws {
        let definition = try DefinitionFile(path: file, in: session)
        for line in definition.diagnosticLines { try session.say(DiagnosticText.styled(line)) }
        guard let machine = definition.machine else {
            throw CommandFailure(.badData, "Cannot simulate '\(file)': the definition has mistakes")
        }
        let data = try data.map { try DataArgument.object(of: $0, in: session) } ?? JSONObject()
        let scripted = try script.map { try SimulationScript.lines(at: $0, in: session) } ?? []
        guard let start = WireTime(text: clock) else {
            throw CommandFailure(.usage, "'\(clock)' is no time; write 2000-01-01T00:00:00.000Z")
        }
        if let reason = Simulation.misfit(of: data, in: machine) {
            throw CommandFailure(.badData, "Cannot start '\(machine.name)': \(reason)")
        }
        let lines = events.map { ScriptLine(.event($0)) } + scripted
        let answers = try Dictionary(answers.map { try Self.answer($0, of: machine) }) { $1 }
        let beginning = Simulation(machine, at: LogicalTime(milliseconds: start.milliseconds))
        // The first run prints nothing: of an endless run only the beginning is worth printing.
        let (end, rested, unplayed) = play(lines, answers, in: beginning, with: data) { _ in }
        let isEndless = end.isEndless
        var printer = SimulationPrinter(session, isTracing: trace, endlessAfter: isEndless ? rested : nil)
        var reason: String?
        _ = try play(lines, answers, in: beginning, with: data) { steps in
            if steps.first?.kind == "started" { reason = steps.first?.reason }
            try printer.add(steps)
        }
        try printer.end()
        if let first = end.waitsFor.first, !isEndless {
            let all = end.waitsFor.map { "'\($0)'" }.joined(separator: ", ")
            try session.say("It waits for \(all); give a result with --answer \(first)=JSON")
        }
        if let reason { throw CommandFailure(.refused, "The machine does not start: \(reason)") }
        if isEndless {
            throw CommandFailure(
                .other, "The machine does not come to rest: \(Simulation.longestRun) events came by themselves",
                notes: ["the first \(Simulation.shownOfEndlessRun) of them are shown"]
                    + (unplayed == 0 ? [] : ["the script ends there: \(unplayed) of its lines are not played"]))
        }
        if printer.refused > 0 {
            let count = printer.refused
            throw CommandFailure(.refused, count == 1 ? "1 event was refused" : "\(count) events were refused")
        }
    }

    /// Runs a script in a new simulation, up to the first event after which the machine never rests. Passes on each
    /// result.
    ///
    /// - Returns: The end, the number of macrosteps before the endless part, and the number of lines of the script that
    ///   were not run.
    private func play(
        _ lines: [ScriptLine], _ answers: [String: JSONValue], in beginning: Simulation, with data: JSONObject,
        _ give: ([SimulatedStep]) throws -> Void
    ) rethrows -> (end: Simulation, rested: Int, unplayed: Int) {
        var simulation = beginning
        var (told, rested, played) = (0, 0, 0)
        func tell(_ steps: [SimulatedStep]) throws {
            told += steps.count
            try give(steps)
        }
        func answer() throws {
            while !simulation.isEndless, let id = simulation.waitsFor.first(where: { answers[$0] != nil }) {
                try tell(simulation.end(id, EventName.done + id, answers[id]))
            }
        }
        let started = simulation.start(with: data)
        try tell(started)
        guard started.first?.reason == nil else { return (simulation, 0, 0) }
        try answer()
        for line in lines where !simulation.isEndless {
            (rested, played) = (told, played + 1)
            try tell(simulation.play(line))
            try answer()
        }
        if untilIdle, !simulation.isEndless { rested = told }
        while untilIdle, !simulation.isIdle, !simulation.isEndless {
            try tell(simulation.fireNext())
            try answer()
        }
        return (simulation, rested, lines.count - played)
    }

    /// Parses `ID=JSON`.
    private static func answer(_ text: String, of machine: Machine) throws -> (String, JSONValue) {
        guard let separator = text.firstIndex(of: "=") else {
            throw CommandFailure(.usage, "'--answer \(text)' has no '='; write --answer ID=JSON")
        }
        let id = String(text[..<separator])
        let known = machine.states.flatMap { $0.invocations.map(\.id) }
        guard known.contains(id) else {
            let list = known.prefix(10).map { "'\($0)'" }.joined(separator: ", ") + (known.count > 10 ? ", …" : "")
            let hint =
                Spelling.closest(to: id, among: known).map { "; did you mean '\($0)'?" }
                ?? (known.isEmpty ? "; it has none" : "; it has \(list)")
            throw CommandFailure(.badData, "'\(machine.name)' has no invocation '\(id)'\(hint)")
        }
        do throws(JSONError) {
            return (id, try JSONReader.value(from: String(text[text.index(after: separator)...])))
        } catch {
            throw CommandFailure(.badData, "The answer for '\(id)' is not JSON: \(error)")
        }
    }
}

/// Prints the steps of a simulation: a table, or with a trace a paragraph for each macrostep.
struct SimulationPrinter {
    private let session: Session
    private let isTracing: Bool
    /// True if event names contain no expressions.
    private let isShort: Bool
    private var table: ListPrinter<SimulatedStep>
    /// The number of refused and failed events.
    private(set) var refused = 0
    /// The number of further macrosteps that are printed in any case.
    private var whole: Int
    /// The number of further macrosteps without an event of the script that are printed; afterwards nothing is printed.
    private var left = Simulation.shownOfEndlessRun

    /// - Parameter count: The number of macrosteps before the part in which the machine never rests; `nil` if it rests.
    init(_ session: Session, isTracing: Bool, endlessAfter count: Int?) {
        self.session = session
        self.isTracing = isTracing
        whole = count ?? .max
        isShort = !session.options.wide
        table = ListPrinter(session, columns: Self.columns(isShort: isShort))
    }

    /// Prints some macrosteps.
    mutating func add(_ steps: [SimulatedStep]) throws {
        refused += steps.count { $0.reason != nil }
        let steps = steps.filter { step in
            guard whole == 0 else {
                whole -= 1
                return true
            }
            if !["started", "event"].contains(step.kind) { left -= 1 }
            return left >= 0
        }
        guard isTracing, session.format == .table else {
            try table.add(steps)
            return
        }
        for step in steps {
            let event = Self.event(step, isShort: isShort)
            let state: StyledText = "\(StateText.styled(step.from)) -> \(Self.state(step), Self.style(step))"
            let head: StyledText = "\(step.seq)  \(Self.time(step))  \(event): \(state)   "
            let context = JSONWriter.string(step.context)
            let microsteps = step.microsteps.map { $0.lines(isShort: isShort) }.joined()
            try session.print("\(head)\(context)\n\(microsteps)")
        }
    }

    /// Prints the rest.
    mutating func end() throws {
        if !isTracing || session.format != .table { try table.end() }
    }

    private static func columns(isShort: Bool) -> [Table<SimulatedStep>.Column] {
        [
            .init("SEQ") { String($0.seq) },
            .init("TIME") { time($0) },
            .init("EVENT", cut: .last) { event($0, isShort: isShort) },
            .init("STATE", cut: .second, style: { style($0) }) { state($0) },
            .init("CONTEXT", cut: .first) { $0.reason == nil ? JSONWriter.string($0.context) : "" },
            .init("ACTIONS", cut: .first) { $0.actions.joined(separator: "; ") },
        ]
    }

    private static func event(_ step: SimulatedStep, isShort: Bool) -> String {
        isShort ? EventText.short(step.event, states: step.from) : step.event
    }

    private static func style(_ step: SimulatedStep) -> Style { step.reason == nil ? .state : .bad }

    /// Returns the time since the start: `+5s`.
    private static func time(_ step: SimulatedStep) -> String { "+" + DurationText.text(milliseconds: step.after) }

    private static func state(_ step: SimulatedStep) -> String {
        if let reason = step.reason { return "\(step.kind == "failed" ? "failed" : "refused"): \(reason)" }
        let output = step.output.map { " \(JSONWriter.string($0))" } ?? ""
        return StateText.leaves(step.to) + (step.status == "done" ? " (done\(output))" : "")
    }
}
