import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// The options of a person's decision about an effect.
struct EffectDecision: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The result that 'skip' gives the instance: JSON, @FILE, or - for standard input.",
            valueName: "json|@file|-"))
    var result: String?

    @Option(help: ArgumentHelp("The reason, recorded in the history.", valueName: "text"))
    var reason: String?

    @Flag(help: "With 'retry': send a new idempotency key; the service may do the work twice.")
    var newKey = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Proceed only if this seq began the effect.", valueName: "n"))
    var expectSeq: Int64?

    @Flag(help: "Apply the action to all failed effects of --queue, or to those in --state.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Apply the action to effects whose last error contains this text; may be repeated.", valueName: "text"))
    var failure: [String] = []

    @Option(
        help: ArgumentHelp(
            "Apply the action to effects of the instances that a file names, one per line; - is standard input.",
            valueName: "file|-"),
        completion: .file())
    var namesFrom: String?

    @Flag(help: "Change nothing: show the outcome for one effect, or which effects are selected.")
    var dryRun = false

    @Flag(help: "Allow the action on more than 100 effects.")
    var yes = false

    /// True if the decision applies to many effects.
    var isForMany: Bool { all || !failure.isEmpty || namesFrom != nil }

    /// Refuses the options if effects are only shown.
    func refuse() throws {
        let isGiven = result != nil || reason != nil || newKey || expectSeq != nil || isForMany || dryRun || yes
        if isGiven { throw ValidationError("These options need an action: retry, skip or cancel") }
    }

    func check(_ action: EffectVerbRequest.Action, words: [String], hasQueue: Bool, key: String?) throws {
        try Least.check("--expect-seq", expectSeq)
        if isForMany {
            guard words.isEmpty else {
                throw ValidationError("Name an instance and an effect or select some effects, not both")
            }
            guard hasQueue || !failure.isEmpty || namesFrom != nil else {
                throw ValidationError("'--all' needs '--queue'")
            }
            guard key == nil, expectSeq == nil else {
                throw ValidationError("'--key' and '--expect-seq' are for one effect only")
            }
        } else {
            guard words.count == 2 else {
                throw ValidationError(
                    "'\(action.rawValue)' needs an instance and the effect's id; '--all', '--failure' and "
                        + "'--names-from' select many")
            }
            if yes { throw ValidationError("'--yes' needs '--all', '--failure' or '--names-from'") }
        }
        if action == .skip, result == nil { throw ValidationError("'skip' needs '--result'; null is a result") }
        if action != .skip, result != nil { throw ValidationError("'--result' goes with 'skip'") }
        if action != .retry, newKey { throw ValidationError("'--new-key' goes with 'retry'") }
    }

    func request(_ action: EffectVerbRequest.Action, in session: Session) throws -> EffectVerbRequest {
        EffectVerbRequest(
            action: action, seq: expectSeq,
            result: try result.map { try DataArgument.value(of: $0, option: "--result", in: session) },
            newKey: newKey ? true : nil, reason: reason, dryRun: dryRun ? true : nil)
    }

    /// Returns the outcome of one decision, for people.
    static func line(for answer: EffectVerbAnswer) -> StyledText {
        let done =
            switch answer.action {
            case .retry:
                (answer.dryRun == true ? "would be tried again" : "is tried again")
                    + (answer.turn.map { ", but \(EffectWords.reason($0, nil))" } ?? "")
            case .skip: answer.dryRun == true ? "would be skipped" : "skipped"
            case .cancel: answer.dryRun == true ? "would be cancelled" : "cancelled"
            }
        let moved: StyledText =
            answer.from == answer.to
            ? "" : ", \(StateText.styled(answer.from)) -> \(StateText.styled(answer.to))"
        let fails: StyledText = answer.dryRun == true && answer.failed == true ? ", and the instance would fail" : ""
        return "\(answer.instance): \(answer.id) \(done)" + moved + fails
            + "   (\(answer.dryRun == true ? "dry run, " : "")seq \(answer.seq))\n"
    }
}

/// Applies one decision to many effects, in their order, some at a time.
struct EffectSweep {
    /// The number of concurrent requests; together they form a batch of the daemon.
    private static let atOnce = 16
    /// The number of effects that options may select without a confirmation.
    private static let unasked = 100

    private let action: EffectVerbRequest.Action
    private let decision: EffectDecision
    private let parameters: EffectListParameters
    private let limit: Int?

    init(
        _ action: EffectVerbRequest.Action, _ decision: EffectDecision, _ parameters: EffectListParameters, limit: Int?
    ) {
        self.action = action
        self.decision = decision
        self.parameters = parameters
        self.limit = limit
    }

    func run(in session: Session) async throws {
        let request = try decision.request(action, in: session)
        let names = try decision.namesFrom.map { try BulkOptions.names(in: $0, session) }
        if let names, names.isEmpty { throw CommandFailure(.badData, "The file names no instance") }
        if decision.dryRun { return try await show(names, in: session) }
        if names == nil, !decision.yes, limit ?? .max > Self.unasked { try await refuseMany(in: session) }
        var progress = Progress(session, unit: .things("effects"))
        var (done, refused) = (0, 0)
        try await session.withClient { client in
            let missing = try await forEachPage(names, of: client) { page in
                for group in stride(from: 0, to: page.count, by: Self.atOnce) {
                    let items = Array(page[group..<min(group + Self.atOnce, page.count)])
                    for (item, problem) in try await decide(items, request, client, session) {
                        done += problem == nil ? 1 : 0
                        guard let problem else { continue }
                        refused += 1
                        try progress.end()
                        try session.say("\("\(item.instance) \(item.id):", .bad) \(problem.detail)")
                    }
                    try progress.show(action.rawValue, done: Int64(done), total: 0)
                }
            }
            try progress.end()
            try say(missing, in: session)
            refused += missing.count
        }
        if done + refused == 0 {
            let names = parameters.queues.map { "'\($0)'" }.joined(separator: " or ")
            let owner = names.isEmpty ? "" : " of queue \(names)"
            let states = parameters.states.map(\.rawValue).joined(separator: " or ")
            let error = decision.failure.isEmpty ? "" : " with such an error"
            try session.say("note: no effect\(owner) is \(states)\(error)")
        }
        try session.print(EffectSweepCount(done: done, refused: refused)) {
            "\(done) done\(refused == 0 ? "" : ", \(refused) refused")\n"
        }
        if refused > 0 { throw CommandFailure(.other, "\(refused) effects were not changed") }
    }

    /// Refuses to decide about many effects that nobody has reviewed. Names in a list need no confirmation.
    private func refuseMany(in session: Session) async throws {
        var count = 0
        var rest: Int? = Self.unasked + 1
        try await session.withClient { client in
            try await forEachPage(of: nil, client, &rest) { count += $0.count }
        }
        guard count > Self.unasked else { return }
        throw CommandFailure(
            .usage, "More than \(Self.unasked) effects are selected; nothing was done",
            notes: ["'--dry-run' shows them, and '--yes' allows the action"])
    }

    private func show(_ names: [String]?, in session: Session) async throws {
        var printer = ListPrinter(session, columns: Effects.columns, spare: Effects.why)
        let missing = try await session.withClient { client in
            try await forEachPage(names, of: client) { page in try printer.add(page) }
        }
        try printer.end()
        try say(missing, in: session)
    }

    private func say(_ missing: [Problem], in session: Session) throws {
        for problem in missing { try session.say(StyledText(problem.detail)) }
    }

    /// Calls a function with each page of the selected effects. An effect that is retried and fails meanwhile is placed
    /// before the next page, so it is not met twice.
    ///
    /// - Parameter names: The instances whose effects are selected; `nil` for all instances.
    /// - Returns: A problem for each missing instance.
    private func forEachPage(
        _ names: [String]?, of client: WorkflowClient, _ body: ([EffectItem]) async throws -> Void
    ) async throws -> [Problem] {
        var rest = limit
        guard let names else {
            try await forEachPage(of: nil, client, &rest, body)
            return []
        }
        var missing: [Problem] = []
        for name in names where rest ?? 1 > 0 {
            do {
                try await forEachPage(of: name, client, &rest, body)
            } catch let error as ClientError {
                guard let problem = error.problem, problem.type == .instanceNotFound else { throw error }
                missing.append(problem)
            }
        }
        return missing
    }

    private func forEachPage(
        of instance: String?, _ client: WorkflowClient, _ rest: inout Int?,
        _ body: ([EffectItem]) async throws -> Void
    ) async throws {
        var token: String?
        repeat {
            var parameters = parameters
            parameters.instance = instance
            parameters.limit =
                decision.failure.isEmpty
                ? min(rest ?? .max, APILimits.largestPageItems) : APILimits.largestPageItems
            parameters.page = token
            let page = try await client.effects(parameters)
            var items = page.items.filter(isMeant)
            if let left = rest { items = Array(items.prefix(left)) }
            try await body(items)
            rest = rest.map { $0 - items.count }
            guard page.nextPage == nil || page.nextPage != token else {
                throw ClientError.protocolViolation(client.address, reason: "a page names itself as its next one")
            }
            token = page.nextPage
        } while token != nil && rest ?? 1 > 0
    }

    /// Returns true if an effect is selected. A retry of many does not retry effects that somebody has cancelled.
    private func isMeant(_ effect: EffectItem) -> Bool {
        if action == .retry, effect.error?.object?["type"] == "cancelled" { return false }
        let parts = ErrorWords.parts(of: effect)
        return decision.failure.isEmpty
            || decision.failure.contains { failure in parts.contains { $0.contains(failure) } }
    }

    /// Decides about several effects concurrently, and returns each with the problem that it met.
    private func decide(
        _ items: [EffectItem], _ request: EffectVerbRequest, _ client: WorkflowClient, _ session: Session
    ) async throws -> [(item: EffectItem, problem: Problem?)] {
        try await withThrowingTaskGroup(of: (Int, Problem?).self) { group in
            for (place, item) in items.enumerated() {
                let key = session.environment.makeKey()
                var request = request
                // An effect that has begun since with the same name stays unchanged.
                request.seq = item.seq
                group.addTask { [request] in
                    do throws(ClientError) {
                        _ = try await client.untilKnown { () async throws(ClientError) in
                            try await client.decide(request, effect: item.id, of: item.instance, key: key)
                        }
                        return (place, nil)
                    } catch {
                        guard let problem = error.problem, problem.type.status < 500 else { throw error }
                        return (place, problem)
                    }
                }
            }
            var problems: [Int: Problem] = [:]
            for try await (place, problem) in group { problems[place] = problem }
            return items.enumerated().map { ($0.element, problems[$0.offset]) }
        }
    }
}

/// The counts of changed and refused effects.
private struct EffectSweepCount: JSONWritable {
    let done: Int
    let refused: Int

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("done", done)
            writer.field("refused", refused)
        }
    }
}
