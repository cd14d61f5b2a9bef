import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl machine source`.
struct MachineSource: Verb {
    static let configuration = CommandConfiguration(
        commandName: "source", abstract: "Print a machine's definition exactly as it was applied.",
        discussion: "$ wfctl machine source order --version 2")

    @Argument(help: "The machine's name.", completion: Completion.machines.kind)
    var name: String

    @Option(parsing: .unconditional, help: "The machine's version. (default: the latest)")
    var version: Int64?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--version", version) }

    func run(in session: Session) async throws {
        let machine = try await session.withClient { try await $0.machine(name, version: version) }
        // Printed byte for byte: applying the printed text changes nothing.
        guard session.format == .table else { return try session.print(machine) { "" } }
        try session.write(document: machine.source ?? "")
    }
}
