import WorkflowAPI
import WorkflowClient
import WorkflowJSON
import WorkflowTerminal

/// One run of a verb: its options and the outside world.
struct Session {
    let environment: CommandEnvironment
    let options: GlobalOptions
    /// The command line, without the program's name.
    var arguments: [String] = []

    /// The command line with more at its end, as a shell takes it.
    func line(with more: [String]) -> String {
        (["wfctl"] + arguments + more).map(ShellText.quoted).joined(separator: " ")
    }

    var format: OutputFormat { options.format }
    /// Whether what answers say is printed with the context; a line for people has none.
    var showsContext: Bool { options.format != .table }

    /// How tables are shown on the output.
    var screen: Screen {
        Screen(
            columns: options.wide ? nil : environment.columns(of: environment.output),
            isColoured: environment.hasColours(environment.output))
    }

    /// Runs something with a client of the chosen daemon, and gives its connections up afterwards.
    func withClient<Result>(_ body: (WorkflowClient) async throws -> Result) async throws -> Result {
        let client = environment.connect(try DefaultAddress.resolve(options.address, in: environment))
        do {
            let result = try await body(client)
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }

    /// Throws when one of several machines is not there: then nothing is done to the others.
    func check(machines: [String]) async throws {
        guard machines.count > 1 else { return }
        try await withClient { client in
            for machine in machines { _ = try await client.machine(machine) }
        }
    }

    /// Prints one thing: as `table` says for people, else its fields.
    func print(_ value: some JSONWritable, table: () -> StyledText) throws {
        switch format {
        case .table: try print(table())
        case .json: try write(json: IndentedJSON.text(of: value) + "\n")
        case .jsonl, .batch: try write(json: JSONWriter.string(value) + "\n")
        case .yaml: try write(yaml: try YAMLText.of(value))
        }
    }

    /// Prints text for people.
    func print(_ text: StyledText) throws {
        try environment.output.write(text.text(isColoured: environment.hasColours(environment.output)))
    }

    /// Prints JSON text. On a terminal, characters that it could take for something else are escaped.
    func write(json: String) throws {
        try environment.output.write(environment.output.isTerminal ? Printable.json(json) : json)
    }

    /// Prints YAML text of `YAMLText`, which has escaped what is unsafe for a terminal.
    func write(yaml: String) throws {
        try environment.output.write(yaml)
    }

    /// Prints a document to the byte; on a terminal, made safe for it.
    func write(document: String) throws {
        try environment.output.write(environment.output.isTerminal ? Printable.document(document) : document)
    }

    /// Says something that is not data.
    func say(_ line: String) throws {
        try say(StyledText(line))
    }

    /// Says something that is not data, with colours.
    func say(_ line: StyledText) throws {
        try environment.errors.write(line.text(isColoured: environment.hasColours(environment.errors)) + "\n")
    }
}

extension CommandEnvironment {
    /// Colour is for terminals, and for nobody who sets `NO_COLOR` (no-color.org).
    func hasColours(_ sink: any TextSink) -> Bool {
        sink.isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
    }

    /// The width of a terminal: what `COLUMNS` says, else what the terminal says; nil where there is no terminal.
    func columns(of sink: any TextSink) -> Int? {
        guard sink.isTerminal else { return nil }
        let plausible = 1...10_000
        if let columns = variables["COLUMNS"].flatMap({ Int($0) }), plausible.contains(columns) { return columns }
        return sink.columns.flatMap { plausible.contains($0) ? $0 : nil }
    }
}

/// What is said on the error stream about a failure.
struct ErrorText {
    let environment: CommandEnvironment

    /// The lines of a failure; empty when there is nothing to say.
    func text(of failure: CommandFailure) -> String {
        guard let message = failure.message else { return "" }
        var text: StyledText = "\("error:", .error) \(message)\n"
        for note in failure.notes { text = text + "  \(note)\n" }
        return text.text(isColoured: environment.hasColours(environment.errors))
    }
}
