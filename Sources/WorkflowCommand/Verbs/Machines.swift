import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl machines`.
struct Machines: Verb {
    static let configuration = CommandConfiguration(
        commandName: "machines", abstract: "List the machines with their latest versions.",
        discussion: "$ wfctl machines")

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.columns)
        try await session.withClient { client in
            try await PageWalk(limit: nil).run(address: client.address) { size, page in
                try await client.machines(.init(limit: size, page: page))
            } print: {
                try printer.add($0)
            }
        }
        try printer.end()
    }

    private static let columns: [Table<MachineSummary>.Column] = [
        .init("MACHINE") { $0.machine },
        .init("VERSION") { String($0.version) },
        .init("ACTIVE") { ($0.active.map(String.init) ?? "latest") + ($0.suspended == nil ? "" : ", suspended") },
        .time("CREATED") { $0.createdAt },
        .init("DIGEST") { String($0.digest.prefix(12)) },
    ]
}
