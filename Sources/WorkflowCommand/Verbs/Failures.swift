import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl failures`.
struct Failures: Verb {
    static let configuration = CommandConfiguration(
        commandName: "failures", abstract: "Count failed instances by the reason of their failure.",
        discussion: """
            $ wfctl failures

            'wfctl list --status failed --failure TEXT' lists the instances whose reason contains a text. The reason \
            of a failed invocation is the last error, as the service, program or worker reported it.
            """)

    @Option(help: "Count only instances of this machine; may be repeated.", completion: Completion.machines.kind)
    var machine: [String] = []

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let found = try await session.withClient { try await $0.failures(.init(machines: machine)) }
        var printer = ListPrinter(session, columns: Self.columns)
        try printer.add(found.items)
        try printer.end()
        if let others = found.others { try session.say("note: \(others) more have failed for still other reasons") }
        if let redacted = found.redacted {
            try session.say(
                "note: \(redacted) more have failed for a redacted reason; 'wfctl list --status failed' has them")
        }
    }

    private static let columns: [Table<FailureItem>.Column] = [
        .init("MACHINE") { $0.machine },
        .init("V") { String($0.version) },
        .init("COUNT", style: .bad) { String($0.count) },
        .init("SINCE") { DurationText.rough(milliseconds: $0.sinceInMilliseconds) },
        .init("EVENT", cut: .last) { $0.event },
        .init("AT", cut: .second) { item in
            let version = item.failedVersion.map { " of version \($0)" } ?? ""
            return [item.state.map { $0.isEmpty ? "machine" : $0 }, item.line.map { "line \($0)\(version)" }]
                .compactMap(\.self).joined(separator: ", ")
        },
        .init("WHY", cut: .first) { $0.message },
    ]
}
