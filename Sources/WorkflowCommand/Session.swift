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

    /// Returns the command line with further arguments, quoted for a shell.
    func line(with more: [String]) -> String {
        (["wfctl"] + arguments + more).map(ShellText.quoted).joined(separator: " ")
    }

    var format: OutputFormat { options.format }
    /// True if answers are printed with the context; a line for people has none.
    var showsContext: Bool { options.format != .table }

    /// The settings for tables on the output.
    var screen: Screen {
        Screen(
            columns: options.wide ? nil : environment.columns(of: environment.output),
            isColoured: environment.hasColours(environment.output))
    }

    /// Calls a function with a client of the chosen daemon, and closes the client's connections afterwards.
    func withClient<Result>(_ body: (WorkflowClient) async throws -> Result) async throws -> Result {
        try await using(try DaemonChoice(options, in: environment).client(in: environment), body)
    }

    /// Calls a function with a client, and closes the client's connections afterwards.
    func using<Result>(
        _ client: WorkflowClient, _ body: (WorkflowClient) async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body(client)
            await client.shutdown()
            return result
        } catch {
            await client.shutdown()
            throw error
        }
    }

    /// Throws if one of several machines does not exist, so that the others stay unchanged.
    func check(machines: [String]) async throws {
        guard machines.count > 1 else { return }
        try await withClient { client in
            for machine in machines { _ = try await client.machine(machine) }
        }
    }

    /// Prints one value: the text of `table` for people, else the value's fields.
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

    /// Prints JSON text; on a terminal, unsafe characters are escaped.
    func write(json: String) throws {
        try environment.output.write(environment.output.isTerminal ? Printable.json(json) : json)
    }

    /// Prints the YAML text of `YAMLText`, which has no characters that are unsafe for a terminal.
    func write(yaml: String) throws {
        try environment.output.write(yaml)
    }

    /// Prints a document byte for byte; on a terminal, made safe.
    func write(document: String) throws {
        try environment.output.write(environment.output.isTerminal ? Printable.document(document) : document)
    }

    /// Prints a message that is not data.
    func say(_ line: String) throws {
        try say(StyledText(line))
    }

    /// Prints a message that is not data, with colours.
    func say(_ line: StyledText) throws {
        try environment.errors.write(line.text(isColoured: environment.hasColours(environment.errors)) + "\n")
    }
}

extension CommandEnvironment {
    /// Returns true if a stream gets colours: terminals only, unless `NO_COLOR` is set (no-color.org).
    func hasColours(_ sink: any TextSink) -> Bool {
        sink.isTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
    }

    /// Returns the width of a terminal from `COLUMNS` or else from the terminal, or `nil` if there is no terminal.
    func columns(of sink: any TextSink) -> Int? {
        guard sink.isTerminal else { return nil }
        let plausible = 1...10_000
        if let columns = variables["COLUMNS"].flatMap({ Int($0) }), plausible.contains(columns) { return columns }
        return sink.columns.flatMap { plausible.contains($0) ? $0 : nil }
    }
}

/// The text of a failure on the error stream.
struct ErrorText {
    let environment: CommandEnvironment

    /// Returns the lines of a failure; empty if there is nothing to print.
    func text(of failure: CommandFailure) -> String {
        guard let message = failure.message else { return "" }
        var text: StyledText = "\("error:", .error) \(message)\n"
        for note in failure.notes { text = text + "  \(note)\n" }
        return text.text(isColoured: environment.hasColours(environment.errors))
    }
}
