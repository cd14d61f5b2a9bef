import JSON
import WorkflowAPI
import WorkflowClient

/// One run of a verb: its options and the outside world.
struct Session {
    let environment: CommandEnvironment
    let options: GlobalOptions

    var format: OutputFormat { options.format }
    /// Whether what answers say is printed with the context; a line for people has none.
    var showsContext: Bool { options.format != .table }

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

    /// Prints one thing: as `table` says for people, else its fields.
    func print(_ value: some JSONWritable, table: () -> String) throws {
        switch format {
        case .table: try environment.output.write(table())
        case .json: try environment.output.write(IndentedJSON.text(of: value) + "\n")
        case .jsonl: try environment.output.write(JSONWriter.string(value) + "\n")
        case .yaml: try environment.output.write(try YAMLText.of(value))
        }
    }

    /// Says something that is not data.
    func say(_ line: String) throws {
        try environment.errors.write(line + "\n")
    }
}

/// What is said on the error stream about a failure.
struct ErrorText {
    let environment: CommandEnvironment

    /// Colour is for terminals, and for nobody who sets `NO_COLOR` (no-color.org).
    private var isColoured: Bool {
        environment.errors.isTerminal && (environment.variables["NO_COLOR"] ?? "").isEmpty
            && environment.variables["TERM"] != "dumb"
    }

    /// The lines of a failure; empty when there is nothing to say.
    func text(of failure: CommandFailure) -> String {
        guard let message = failure.message else { return "" }
        let label = isColoured ? "\u{1B}[1;31merror:\u{1B}[0m" : "error:"
        return ([label + " " + Printable.text(message)] + failure.notes.map { "  " + Printable.text($0) })
            .map { $0 + "\n" }.joined()
    }
}
