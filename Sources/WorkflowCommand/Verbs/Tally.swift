import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl tally`.
struct Tally: Verb {
    static let configuration = CommandConfiguration(
        commandName: "tally", abstract: "Count instances by version, status and state.",
        discussion: "$ wfctl tally order")

    @Argument(help: "Count only instances of these machines.", completion: Completion.machines.kind)
    var machine: [String] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many lines.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--limit", limit) }

    func run(in session: Session) async throws {
        try await session.printList(limit: limit, columns: Self.columns) { client, size, page in
            try await client.tally(.init(machines: machine, limit: size, page: page))
        }
    }

    private static let columns: [Table<TallyItem>.Column] = [
        .init("MACHINE") { $0.machine },
        .init("VERSION") { String($0.version) },
        .init("STATUS", style: { StateText.style(of: $0.status) }) { $0.status.rawValue },
        .init("STATE", cut: .second, style: .state) { StateText.leaves($0.configuration) },
        .init("COUNT") { String($0.count) },
    ]
}
