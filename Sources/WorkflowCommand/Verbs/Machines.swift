import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl machines`.
struct Machines: Verb {
    static let configuration = CommandConfiguration(
        commandName: "machines", abstract: "List the machines with their latest versions.",
        discussion: """
            $ wfctl machines

            --outdated counts the unfinished instances of versions that have earlier semantics than a definition \
            applied now. 'wfctl migrate' moves them.
            """)

    @Flag(help: "Count the unfinished instances of versions with earlier semantics.")
    var outdated = false

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        if outdated { return try await countOutdated(in: session) }
        try await session.printList(limit: nil, columns: Self.columns) { client, size, page in
            try await client.machines(.init(limit: size, page: page))
        }
    }

    private func countOutdated(in session: Session) async throws {
        var versions: [OutdatedVersion] = []
        try await session.withClient { client in
            try await PageWalk(limit: nil).run(address: client.address) { size, page in
                try await client.tally(.init(outdated: true, limit: size, page: page))
            } print: { (items: [TallyItem]) in
                for item in items { OutdatedVersion.count(item, in: &versions) }
            }
        }
        var printer = ListPrinter(session, columns: OutdatedVersion.columns)
        try printer.add(versions.sorted { ($0.machine, $0.version) < ($1.machine, $1.version) })
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

/// A version with earlier semantics, and the number of its instances that have not ended.
private struct OutdatedVersion: JSONWritable {
    let machine: String
    let version: Int64
    let semantics: Int64
    private(set) var instances: Int64

    static func count(_ item: TallyItem, in versions: inout [OutdatedVersion]) {
        guard ![.done, .cancelled].contains(item.status) else { return }
        if let place = versions.firstIndex(where: { $0.machine == item.machine && $0.version == item.version }) {
            versions[place].instances += item.count
        } else {
            versions.append(
                OutdatedVersion(
                    machine: item.machine, version: item.version, semantics: item.semantics, instances: item.count))
        }
    }

    static let columns: [Table<OutdatedVersion>.Column] = [
        .init("MACHINE") { $0.machine },
        .init("VERSION") { String($0.version) },
        .init("SEMANTICS") { String($0.semantics) },
        .init("INSTANCES") { String($0.instances) },
    ]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("machine", machine)
            writer.field("version", version)
            writer.field("semantics", semantics)
            writer.field("instances", instances)
        }
    }
}
