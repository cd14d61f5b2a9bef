import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl list`.
struct List: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List instances.",
        discussion: "$ wfctl list --machine order --state review --limit 20")

    @Option(help: "Only instances of this machine.", completion: Completion.machines.kind)
    var machine: String?

    @Option(help: "Only instances in this state or below it.")
    var state: String?

    @Option(
        help: ArgumentHelp("Only instances with this status.", valueName: "running|done|failed|suspended|cancelled"),
        completion: .list(Instance.Status.allCases.map(\.rawValue)), transform: List.status)
    var status: Instance.Status?

    @Option(parsing: .unconditional, help: ArgumentHelp("This many at most.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--limit", limit) }

    func run(in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.columns, spare: Self.reason)
        var isEmpty = true
        var hint: String?
        try await session.withClient { client in
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                try await client.instances(
                    .init(machine: machine, status: status, state: state, limit: size, page: page))
            } print: {
                if !$0.isEmpty { isEmpty = false }
                try printer.add($0)
            }
            if let state, isEmpty {
                // A courtesy: the list is what was asked for, with or without it.
                hint = try? await StateHint(state: state, machine: machine).text(from: client)
            }
        }
        try printer.end()
        if let hint { try session.say(hint) }
    }

    private static func status(_ word: String) throws -> Instance.Status {
        if let status = Instance.Status(rawValue: word) { return status }
        let words = Instance.Status.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw ValidationError("it must be one of \(words)")
    }

    private static let columns: [Table<Instance>.Column] = [
        .init("INSTANCE") { $0.instance },
        .init("MACHINE") { $0.machine },
        .init("VERSION") { String($0.version) },
        .init("STATUS", style: { StateText.style(of: $0.status) }) { $0.status.rawValue },
        .init("STATE", cut: .second, style: .state) { StateText.leaves($0.configuration) },
        .init("SEQ") { String($0.seq) },
        .time("UPDATED") { $0.updatedAt },
    ]

    private static let reason = Table<Instance>.Column("WHY", cut: .first) { $0.failure?.detail ?? "" }
}

/// Options whose values are numbers. They are parsed unconditionally: a minus would make an option of the value, and
/// the parser would say that it is missing.
enum Least {
    /// Refuses a number of things, a seq or a version that cannot be.
    static func check(_ option: String, _ value: (some BinaryInteger)?, least: Int = 1) throws {
        if let value, value < least { throw ValidationError("'\(option)' must be at least \(least), not \(value)") }
    }
}
