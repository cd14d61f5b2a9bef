import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl timers`.
struct Timers: Verb {
    static let configuration = CommandConfiguration(
        commandName: "timers", abstract: "List timers and delayed events, next due first.",
        discussion: """
            $ wfctl timers order-1042

            The list is of one instance or of all. Timers of running instances come first, then those that wait in \
            failed and suspended instances.
            """)

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many timers.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--limit", limit) }

    func run(in session: Session) async throws {
        let columns = Self.columns(isShort: !global.wide)
        var printer = ListPrinter(session, columns: instance == nil ? columns : columns + Self.ownColumns)
        try await session.withClient { client in
            if let instance {
                let items = try await client.timers(ofInstance: instance).items
                return try printer.add(Array(items.prefix(limit ?? .max)))
            }
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                try await client.timers(.init(limit: size, page: page))
            } print: {
                try printer.add($0)
            }
        }
        try printer.end()
    }

    private static func columns(isShort: Bool) -> [Table<TimerItem>.Column] {
        [
            .time("DUE") { $0.due },
            .init("IN", style: { $0.waits == true ? .bad : $0.dueInMilliseconds < 0 ? .warning : nil }) { timer in
                if timer.waits == true { return timer.suspended == true ? "waits: suspended" : "waits: failed" }
                let milliseconds = timer.dueInMilliseconds
                if milliseconds >= 0 { return DurationText.text(milliseconds: milliseconds) }
                return "late by " + DurationText.text(milliseconds: -milliseconds)
            },
            .init("INSTANCE") { $0.instance },
            .init("EVENT", cut: .last) { timer in
                isShort ? EventText.short(timer.event, states: timer.state.map { [$0] } ?? []) : timer.event
            },
        ]
    }

    private static let ownColumns: [Table<TimerItem>.Column] = [
        .init("ENDS WITH", cut: .second) { timer in
            if let state = timer.state { return "leaving \(state.isEmpty ? "the machine" : state)" }
            return timer.id.map { "cancel \($0)" } ?? "-"
        },
        .init("MISFIRE") { timer in
            let verb = timer.rearms == true ? "next" : "skip"
            return timer.skipMilliseconds.map { "\(verb) after \(DurationText.text(milliseconds: $0))" } ?? "fire"
        },
    ]
}
