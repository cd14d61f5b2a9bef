import ArgumentParser
import Statechart
import Synchronization
import WorkflowAPI
import WorkflowClient

/// `wfctl tail`.
struct Tail: Verb {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Show new rows of instances' histories as they are written.",
        discussion: """
            $ wfctl tail --machine order --state review

            The output begins now, or where --since says: after a row, or some time ago, such as 1h. If the connection \
            is cut, wfctl says so and connects again for up to a minute. No row is lost or repeated. When interrupted, \
            wfctl prints the --since that continues the output.
            """)

    @Argument(help: "The instance's name. (default: all instances)", completion: Completion.instances.kind)
    var instance: String?

    @Option(help: "Show only instances of this machine; may be repeated.", completion: Completion.machines.kind)
    var machine: [String] = []

    @Option(
        help: ArgumentHelp("Show only these events: a name, 'name.*' or '*'; may be repeated.", valueName: "descriptor")
    )
    var event: [String] = []

    @Option(help: "Show only rows of this kind, such as failed; may be repeated.")
    var kind: [String] = []

    @Option(help: ArgumentHelp("Show only rows that left or entered this state; may be repeated.", valueName: "path"))
    var state: [String] = []

    @Option(
        help: ArgumentHelp(
            "Begin after the row with this cursor, with the first row, or this long ago.",
            valueName: "cursor|start|delay"))
    var since: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if instance != nil, !machine.isEmpty {
            throw ValidationError("'--machine' cannot be combined with an instance")
        }
        if global.format == .json {
            throw ValidationError("'tail' prints rows as they come, and '-o json' one document; use '-o jsonl'")
        }
    }

    func run(in session: Session) async throws {
        // No cursor is as short as a delay.
        let age = since.flatMap { try? DelayText.lengthWithUnit(of: $0) }
        let reached = ReachedPlace(age == nil ? since : nil)
        let interruptions = session.environment.interruptions()
        // A second signal, as `timeout` sends it, does not end the final output.
        defer { withExtendedLifetime(interruptions) {} }
        try await session.withClient { client in
            // A missing hint is ignored. The state may still appear.
            for state in state {
                let hint = StateHint(state: state, machines: machine)
                if let text = try? await hint.text(from: client) { try session.say(text) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in interruptions { return } }
                group.addTask {
                    do {
                        var earliest: Int64?
                        if let age { earliest = max(0, try await client.clock().now.milliseconds - age) }
                        try await print(from: client, in: session, reached, earliest)
                    } catch let error as ClientError where error.problem?.parted?.cursor != nil {
                        throw Self.parted(error)
                    }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
        let place = reached.cursor.map { "; '--since \($0)' goes on from here" } ?? ""
        try session.say("stopped\(place)")
    }

    /// - Parameter earliest: A time in milliseconds; rows that were recorded before are skipped.
    private func print(
        from client: WorkflowClient, in session: Session, _ reached: ReachedPlace, _ earliest: Int64?
    ) async throws {
        var printer = ListPrinter(session, columns: Self.columns(isShort: !global.wide), isLive: true)
        let place = earliest.map { WireTime(milliseconds: $0).text } ?? since
        let parameters = StreamParameters(
            machines: machine, kinds: kind, events: event, states: state, after: place)
        var isCut = false
        var isPast = earliest != nil
        for try await news in client.followTransitions(ofInstance: instance, parameters) {
            if case .cut(let error) = news {
                isCut = true
                let cut = reached.cursor.map { "behind \($0)" } ?? "before the first row"
                try session.say("cut off \(cut), connecting again: \(error.description)")
                continue
            }
            if isCut { try session.say("connected again") }
            isCut = false
            switch news {
            case .transition(let item):
                // Rows after the first recent one are printed, whatever their clock times.
                isPast = isPast && (item.row.realAt ?? item.row.at).milliseconds < earliest ?? .min
                if !isPast { try printer.add([item]) }
                reached.cursor = item.row.cursor
            case .reached(let cursor): reached.cursor = cursor
            case .cut: break
            }
        }
    }

    /// Returns the failure after a restore that has changed the earlier rows.
    private static func parted(_ error: ClientError) -> CommandFailure {
        let failure = CommandFailure(error)
        let cursor = error.problem?.parted?.cursor ?? ""
        return CommandFailure(
            failure.exitStatus, failure.message,
            notes: failure.notes + ["'--since \(cursor)' goes on behind the last row that both have"])
    }

    private static func columns(isShort: Bool) -> [Table<StreamItem>.Column] {
        let machine: [Table<StreamItem>.Column] = [
            .init("MACHINE", width: 8) { $0.machine }, .init("V", width: 1) { String($0.version) },
        ]
        return [.time("AT") { $0.row.at }, .init("INSTANCE", width: 12, cut: .last) { $0.instance }]
            + (isShort ? [] : machine) + [
                .init("SEQ", width: 4) { String($0.row.seq) },
                .init("KIND", width: 7, style: { StateText.style(ofKind: $0.row.kind) }) { item in
                    item.row.retry == true ? "\(item.row.kind) again" : item.row.kind
                },
                .init("EVENT", width: 12, cut: .last) { item in
                    isShort ? EventText.short(item.row.event, states: item.row.from) : item.row.event
                },
                .init("FROM", width: 16, cut: .second, style: .state) { StateText.leaves($0.row.from) },
                .init("TO", width: 16, cut: .second, style: .state) { StateText.leaves($0.row.to) },
                .init("DATA", cut: .first, style: { $0.row.kind == "failed" ? .bad : nil }) {
                    StateText.data($0.row.data, note: $0.row.note)
                },
            ]
    }
}

/// The cursor up to which everything was printed.
private final class ReachedPlace: Sendable {
    private let state: Mutex<String?>

    init(_ cursor: String?) {
        state = Mutex(cursor)
    }

    var cursor: String? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
