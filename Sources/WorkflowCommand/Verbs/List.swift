import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl list`.
struct List: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List instances.",
        discussion: """
            $ wfctl list --machine order --state review --older-than 2d --sort age
            $ wfctl list --machine order --where "context.customer == 'c-17' && inState > duration('24h')"

            '--where' is an expression in CEL, the language of guards, over context, name, machine, version, status, \
            state, createdAt, updatedAt, inState and failure. It is evaluated for each instance that the other options \
            select.

            Sorting reads every selected instance. So a sorted list shows \(Self.sortedAtMost) instances unless \
            --limit sets another number.
            """)

    /// The number of instances in a sorted list without `--limit`.
    private static let sortedAtMost = 1_000

    @Option(help: ArgumentHelp("List only instances whose names begin with this text.", valueName: "text"))
    var prefix: String?

    @Option(help: "List only instances of this machine; may be repeated.", completion: Completion.machines.kind)
    var machine: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("List only instances of this version of the machine; may be repeated.", valueName: "v"))
    var version: [Int64] = []

    @Option(help: "List only instances in this state or below it; may be repeated.")
    var state: [String] = []

    @Option(
        help: ArgumentHelp(
            "List only instances with this status; may be repeated.",
            valueName: "running|done|failed|suspended|cancelled"
        ),
        completion: .list(Instance.Status.allCases.map(\.rawValue)), transform: List.status)
    var status: [Instance.Status] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "List only instances that have been in their state for at least this long, such as 2d.", valueName: "delay")
    )
    var olderThan: String?

    @Flag(help: "List only instances whose last event has a timestamp in the future.")
    var ahead = false

    @Option(
        help: ArgumentHelp(
            "List only failed or suspended instances whose reason contains this text; may be repeated.",
            valueName: "text"))
    var failure: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("List only instances for which this expression is true.", valueName: "expression"))
    var `where`: String?

    @Option(
        help: ArgumentHelp(
            "Sort by time in the state, longest first; by last change, newest first; or by name.",
            valueName: "age|updated|name"),
        completion: .list(InstanceListParameters.Sort.allCases.map(\.rawValue)),
        transform: { try OptionWord.read($0, as: InstanceListParameters.Sort.self) })
    var sort: InstanceListParameters.Sort?

    @Option(parsing: .unconditional, help: ArgumentHelp("List at most this many instances.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try Least.check("--limit", limit)
        try Span.check("--older-than", olderThan)
        try OptionWord.refuseEmpty([("--prefix", prefix), ("--where", self.where)] + failure.map { ("--failure", $0) })
        for version in version { try Least.check("--version", version) }
        if !version.isEmpty, machine.count != 1 {
            throw ValidationError("'--version' needs one '--machine': each machine numbers its own versions")
        }
        if self.where != nil, let sort, sort != .name {
            throw ValidationError("'--where' goes through the instances in parts, so '--sort' can only be 'name'")
        }
    }

    func run(in session: Session) async throws {
        let isByAge = olderThan != nil || sort == .age
        var printer = ListPrinter(
            session, columns: isByAge ? Self.ages(withMachine: machine.count != 1) : Self.columns, spare: Self.reason)
        let limit = self.limit ?? (sort == nil ? nil : Self.sortedAtMost)
        var count = 0
        var hint: String?
        var search = InstanceSearch()
        let isOnTerminal = session.environment.errors.isTerminal
        var progress = Progress(session, unit: .things("instances"))
        try await session.withClient { client in
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                let page = try await client.instances(
                    .init(
                        prefix: prefix, machines: machine, versions: version, statuses: status, states: state,
                        olderThan: olderThan, ahead: ahead, failures: failure, condition: self.where, sort: sort,
                        limit: size, page: page))
                if let more = page.search {
                    search.add(more)
                    if isOnTerminal { try progress.show("searched", done: search.examined, total: 0) }
                }
                return Page(items: page.items, nextPage: page.nextPage)
            } print: {
                count += $0.count
                if !$0.isEmpty { try progress.end() }
                try printer.add($0)
            }
            if let state = state.first, count == 0 {
                // A missing hint is ignored: the list is correct with or without it.
                hint = try? await StateHint(state: state, machines: machine).text(from: client)
            }
        }
        try progress.end()
        try printer.end()
        if let failed = SearchText.note(for: search) { try session.say(failed) }
        if let hint { try session.say(hint) }
        if self.limit == nil, count == limit {
            try session.say("note: these are the first \(count); --limit sets the number")
        }
    }

    static func status(_ word: String) throws -> Instance.Status {
        try OptionWord.read(word, as: Instance.Status.self)
    }

    /// Returns the columns of a list by age.
    private static func ages(withMachine: Bool) -> [Table<Instance>.Column] {
        let machine: [Table<Instance>.Column] = [.init("MACHINE") { $0.machine }]
        return [.init("INSTANCE") { $0.instance }] + (withMachine ? machine : []) + [
            .init("STATE", cut: .second, style: .state) { StateText.leaves($0.configuration) },
            .init("IN STATE") { DurationText.rough(milliseconds: $0.inState ?? 0) },
            .init("SEQ") { String($0.seq) },
            .init("STATUS", style: { StateText.style(of: $0.status) }) { $0.status.rawValue },
        ]
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

/// Checks numeric options. Numeric options are parsed unconditionally: otherwise the parser would take a value with a
/// minus for an option and report a missing value.
enum Least {
    /// Refuses an impossible count, seq or version.
    static func check(_ option: String, _ value: (some BinaryInteger)?, least: Int = 1) throws {
        if let value, value < least { throw ValidationError("'\(option)' must be at least \(least), not \(value)") }
    }
}

/// Checks options whose values are delays with a unit.
enum Span {
    /// Refuses a text that is not a delay.
    static func check(_ option: String, _ text: String?) throws {
        guard let text else { return }
        do throws(DelayError) {
            _ = try DelayText.lengthWithUnit(of: text)
        } catch {
            throw ValidationError("'\(option)': \(error.message)")
        }
    }
}
