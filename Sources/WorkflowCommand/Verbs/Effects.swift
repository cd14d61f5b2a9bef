import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl effects`.
struct Effects: Verb {
    static let configuration = CommandConfiguration(
        commandName: "effects", abstract: "Show effects of instances, or retry, skip or cancel them.",
        discussion: """
            $ wfctl effects order-1042
            $ wfctl effects retry order-1042 paying --reason 'the bank is back'
            $ wfctl effects skip order-1042 paying --result '{"receipt": "r-7"}'
            $ wfctl effects cancel --all --queue stock --dry-run
            $ wfctl effects retry --failure 402 --reason 'the cards were renewed'

            An effect is a call, a program or a task that an instance has requested. Without an action, wfctl lists \
            the unfinished effects of all instances, or those of one instance with their failed attempts. A queue of \
            tasks is named alone or as task:NAME. While a worker has a task, DUE is the time at which other workers \
            get it.

            'retry' tries an effect now and counts its attempts from zero. 'skip' gives the instance a result, \
            'cancel' an error of type cancelled. For a call, both only end the call.

            '--dry-run' changes nothing, and shows the states that the instance would leave and enter.

            --all, --failure and --names-from apply the action to many effects: the failed ones, or those in --state. \
            --all selects the effects of --queue. --failure selects effects whose last error has the text in its type \
            or message, or as its status. --names-from selects the effects of the named instances.
            """)

    @Argument(
        help: ArgumentHelp(
            "An instance; or an action, an instance and the effect's id.",
            valueName: "retry|skip|cancel> <instance> <id"),
        completion: Completion.instances.kind)
    var words: [String] = []

    @Option(help: "Select effects of this queue; may be repeated.")
    var queue: [String] = []

    @Option(
        help: ArgumentHelp(
            "Select effects in this state; may be repeated.",
            valueName: EffectItem.State.allCases.map(\.rawValue).joined(separator: "|")),
        completion: .list(EffectItem.State.allCases.map(\.rawValue)),
        transform: { try OptionWord.read($0, as: EffectItem.State.self) })
    var state: [EffectItem.State] = []

    @Option(parsing: .unconditional, help: ArgumentHelp("Select at most this many effects.", valueName: "n"))
    var limit: Int?

    @OptionGroup var decision: EffectDecision

    @OptionGroup var key: KeyOption

    @OptionGroup var global: GlobalOptions

    private var instance: String? { words.first }
    private var action: EffectVerbRequest.Action? { words.first.flatMap(EffectVerbRequest.Action.init(rawValue:)) }

    func validate() throws {
        try Least.check("--limit", limit)
        guard let action else {
            if let first = words.first, words.count > 1 {
                throw ValidationError(
                    "'\(first)' is not retry, skip or cancel; wfctl shows one instance at a time")
            }
            return try decision.refuse()
        }
        try decision.check(action, words: Array(words.dropFirst()), hasQueue: !queue.isEmpty, key: key.key)
        if !decision.isForMany, !queue.isEmpty || !state.isEmpty || limit != nil {
            throw ValidationError(
                "With an action, '--queue', '--state' and '--limit' need '--all', '--failure' or '--names-from'")
        }
    }

    func run(in session: Session) async throws {
        guard let action else { return try await list(in: session) }
        if decision.isForMany {
            let parameters = EffectListParameters(queues: queue, states: state.isEmpty ? [.failed] : state)
            return try await EffectSweep(action, decision, parameters, limit: limit).run(in: session)
        }
        let request = try decision.request(action, in: session)
        let answer = try await key.persist(in: session) { client, key throws(ClientError) in
            try await client.decide(request, effect: words[2], of: words[1], key: key)
        }
        try session.print(answer) { EffectDecision.line(for: answer) }
        if answer.failed == true, answer.dryRun != true {
            try await session.throwFailure(of: answer.instance, "has failed on it")
        }
    }

    private func list(in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.columns, spare: Self.why)
        var failed: [FailedAttempt] = []
        try await session.withClient { client in
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                try await client.effects(
                    .init(instance: instance, queues: queue, states: state, limit: size, page: page))
            } print: { items in
                try printer.add(items)
                failed += items.flatMap { item in (item.failedAttempts ?? []).map { FailedAttempt(item.id, $0) } }
            }
        }
        try printer.end()
        guard session.format == .table, !failed.isEmpty else { return }
        try session.print("\n")
        var attempts = ListPrinter(session, columns: FailedAttempt.columns)
        try attempts.add(failed)
        try attempts.end()
    }

    static let columns: [Table<EffectItem>.Column] = [
        .init("INSTANCE") { $0.instance },
        .init("ID") { $0.id },
        .init("QUEUE") { $0.queue },
        .init("STATE", style: { $0.state == .failed || $0.state == .held ? .bad : nil }) { EffectWords.state($0) },
        .time("DUE") { $0.due },
        .init("ATTEMPTS") { String($0.attempts) },
        .init("WORKER", cut: .second) { $0.worker ?? "-" },
    ]

    static let why = Table<EffectItem>.Column("WHY", cut: .first) { ErrorWords.text(of: $0.error) }
}

/// An attempt as a row of a table.
private struct FailedAttempt: JSONWritable {
    let id: String
    let attempt: EffectItem.Attempt

    init(_ id: String, _ attempt: EffectItem.Attempt) {
        self.id = id
        self.attempt = attempt
    }

    func write(to writer: inout JSONWriter) { attempt.write(to: &writer) }

    static let columns: [Table<FailedAttempt>.Column] =
        [.init("ID") { $0.id }] + AttemptColumns.all(\.attempt) + [AttemptColumns.why(\.attempt)]
}

/// The state of an effect, for people.
enum EffectWords {
    /// Returns the state: `ready`, `running`, `ready, paused`.
    static func state(_ effect: EffectItem) -> String {
        switch effect.turn {
        case .running: "running"
        case .paused, .held: "\(effect.state.rawValue), \(effect.turn?.rawValue ?? "")"
        case nil: effect.state.rawValue
        }
    }

    /// Returns the reason why a due effect does not start.
    static func reason(_ turn: EffectItem.Turn, _ queue: String?) -> String {
        switch turn {
        case .running: "an attempt runs"
        case .paused: "its queue is paused" + (queue.map { ": 'wfctl queue \($0) --resume'" } ?? "")
        case .held: "effects are held: 'wfctl release'"
        }
    }
}

/// The error of an effect, for people.
enum ErrorWords {
    /// Returns the type and the message; empty if there is no error.
    static func text(of error: JSONValue?) -> String {
        guard let type = error?.object?["type"]?.string else { return message(of: error) }
        let message = message(of: error)
        if message.isEmpty { return type }
        return message == type || message.hasPrefix(type + " ") ? message : "\(type): \(message)"
    }

    /// Returns the texts of an effect's last error, as `failures` prints them for an instance that failed on it.
    static func parts(of effect: EffectItem) -> [String] {
        guard let error = effect.error?.object else { return [] }
        let reason = "\(text(of: effect.error)); no transition takes 'error.invoke.\(effect.id)'"
        if case .int(let status)? = error["status"] { return [reason, "\(status)"] }
        return [reason]
    }

    static func message(of error: JSONValue?) -> String {
        InvocationTimeout.shown(error?.object?["message"]?.string ?? "")
    }
}
