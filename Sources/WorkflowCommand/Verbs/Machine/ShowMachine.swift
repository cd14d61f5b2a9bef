import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl machine show`.
struct ShowMachine: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Count a machine's instances by version and status.",
        discussion: "$ wfctl machine show order")

    @Argument(help: "The machine's name.", completion: Completion.machines.kind)
    var name: String

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        var rows: [VersionRow] = []
        let machine = try await session.withClient { client in
            let machine = try await client.machine(name)
            try await PageWalk(limit: nil).run(address: client.address) { size, page in
                try await client.tally(.init(machines: [name], limit: size, page: page))
            } print: { (items: [TallyItem]) in
                for item in items { VersionRow.count(item, in: &rows) }
            }
            return machine
        }
        for version in 1...machine.version where !rows.contains(where: { $0.version == version }) {
            rows.append(VersionRow(version: version))
        }
        let taken = machine.active ?? machine.version
        for place in rows.indices where rows[place].version == taken {
            rows[place].taken = machine.suspended == nil ? "yes" : "suspended"
        }
        var printer = ListPrinter(session, columns: VersionRow.columns)
        try printer.add(rows.sorted { $0.version < $1.version })
        try printer.end()
        if let suspension = machine.suspended {
            let since = SuspensionText.text(suspension)
            try session.say("\(name) is suspended\(since): 'wfctl resume --machine \(name)' lets it go on")
        }
        if let retention = machine.retentionInMilliseconds {
            let age = DurationText.text(milliseconds: retention)
            try session.say("finished instances are deleted \(age) after the last that came to them")
        }
    }
}

/// The instances of one version.
private struct VersionRow: JSONWritable {
    let version: Int64
    /// `yes`, or `suspended` for a suspended machine, if new instances take the version; `nil` if they take another.
    var taken: String?
    private var counts: [Instance.Status: Int64] = [:]

    init(version: Int64) { self.version = version }

    static func count(_ item: TallyItem, in rows: inout [VersionRow]) {
        let place = rows.firstIndex { $0.version == item.version } ?? rows.count
        if place == rows.count { rows.append(VersionRow(version: item.version)) }
        rows[place].counts[item.status, default: 0] += item.count
    }

    private func text(_ status: Instance.Status) -> String { String(counts[status] ?? 0) }

    static let columns: [Table<VersionRow>.Column] = [
        .init("VERSION") { String($0.version) },
        .init("NEW INSTANCES") { $0.taken ?? "-" },
        .init("RUNNING") { $0.text(.running) },
        .init("FAILED") { $0.text(.failed) },
        .init("SUSPENDED") { $0.text(.suspended) },
        .init("DONE") { $0.text(.done) },
        .init("CANCELLED") { $0.text(.cancelled) },
    ]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("version", version)
            writer.field("newInstances", taken == "yes")
            for status in [Instance.Status.running, .failed, .suspended, .done, .cancelled] {
                writer.field(status.rawValue, counts[status] ?? 0)
            }
        }
    }
}
