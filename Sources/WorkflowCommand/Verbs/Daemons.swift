import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl daemons`.
struct Daemons: Verb {
    static let configuration = CommandConfiguration(
        commandName: "daemons", abstract: "Show the daemons of a database, and which one owns it.",
        discussion: """
            $ wfctl daemons

            A database in a file has one daemon. In PostgreSQL one daemon owns the data, and the others stand by: they hand requests to it, and one takes its place when \
            it ends. LEASE is the time after which a daemon that is not heard of counts as dead; a living one renews it \
            every second. A daemon that is gone stays in the list for a while. CLOCK is its clock less that of the database's server. A * marks the daemon that answers.
            """)

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.columns)
        let page = try await session.withClient { client in try await client.daemons() }
        try printer.add(page.items)
        try printer.end()
    }

    private static func isGone(_ item: DaemonItem) -> Bool {
        item.isConnected == false || item.leaseMilliseconds == 0
    }

    private static let columns: [Table<DaemonItem>.Column] = [
        .init("DAEMON") { ($0.isAnswering == true ? "*" : "") + String($0.daemon.suffix(4)) },
        .init("PEER", style: { $0.peer == nil ? .warning : nil }) { $0.peer ?? "-" },
        .init("PARTITIONS", style: { isGone($0) ? .bad : nil }) { item in
            if item.partitions > 0 { return "\(item.partitions) of \(item.allPartitions)" }
            return isGone(item) ? "gone" : "standby"
        },
        .init("LEASE", style: { $0.leaseMilliseconds ?? .max < 3_000 ? .bad : nil }) { item in
            guard let lease = item.leaseMilliseconds else { return "-" }
            guard lease > 0 else { return "over" }
            let tenths = lease / 100
            return "\(tenths / 10).\(tenths % 10) s"
        },
        .init("CLOCK", style: { 1_000 < $0.clockMilliseconds?.magnitude ?? 0 ? .warning : nil }) { item in
            guard let clock = item.clockMilliseconds else { return "-" }
            return (clock > 0 ? "+" : "") + "\(clock) ms"
        },
        .init("VERSION") { $0.version },
    ]
}
