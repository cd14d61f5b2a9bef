import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// The options that limit a verb to the instances that a rehearsal counted, or confirm it for many without one.
struct BulkConsent: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Begin only if the digest of the dry run still holds: the same instances, none of them changed.",
            valueName: "digest"),
        transform: { $0.lowercased() })
    var expect: String?

    @Flag(help: "Allow more than 100 instances without '--expect'.")
    var yes = false

    func validate() throws {
        if yes, expect != nil { throw ValidationError("'--yes' and '--expect' exclude each other") }
        if let expect, !BulkRequest.isDigest(expect) {
            throw ValidationError("'--expect' must be 6 to 64 hexadecimal digits, as '--dry-run' prints them")
        }
    }
}

/// The options that apply a verb to many instances instead of one.
struct BulkOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Select instances of this machine; may be repeated.", valueName: "name"),
        completion: Completion.machines.kind)
    var machine: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Select instances of this version of the machine; may be repeated.", valueName: "v"))
    var from: [Int64] = []

    @Option(
        help: ArgumentHelp("Select instances with this status; may be repeated.", valueName: "status"),
        completion: .list(Instance.Status.allCases.map(\.rawValue)), transform: List.status)
    var status: [Instance.Status] = []

    @Option(help: "Select instances in this state or below it; may be repeated.")
    var state: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Select instances that have been in their state for at least this long, such as 2d.", valueName: "delay"))
    var olderThan: String?

    @Option(
        help: ArgumentHelp(
            "Select failed or suspended instances whose reason contains this text; may be repeated.", valueName: "text")
    )
    var failure: [String] = []

    @Option(help: ArgumentHelp("Select instances whose names begin with this text.", valueName: "text"))
    var prefix: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Select instances for which this expression is true, as in 'wfctl list'.", valueName: "expression"))
    var `where`: String?

    @Flag(help: "Select all instances, of all machines or of '--machine'.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Select the instances that a file names, one per line; - is standard input.", valueName: "file|-"),
        completion: .file())
    var namesFrom: String?

    @Option(
        help: ArgumentHelp(
            "The run's name; the same command again reports its progress. (default: a new name)", valueName: "name"))
    var run: String?

    @OptionGroup var consent: BulkConsent

    /// The number of instances that a filter may select without a rehearsal.
    private static let unasked: Int64 = 100

    /// True if the verb applies to many instances.
    var isUsed: Bool { all || namesFrom != nil || hasFilter }

    private var hasFilter: Bool { !machine.isEmpty || hasOtherFilter }

    private var hasOtherFilter: Bool {
        !from.isEmpty || !status.isEmpty || !state.isEmpty || olderThan != nil || !failure.isEmpty
            || prefix != nil || self.where != nil
    }

    /// The machine if nothing else is selected, for verbs that apply to a machine itself.
    var machineItself: String? { isForMachines ? machines.first : nil }

    private var isForMachines: Bool { !all && namesFrom == nil && !hasOtherFilter }

    /// True if the options select instances of one version of one machine.
    var isForOneVersion: Bool { machines.count == 1 && Set(from).count == 1 }

    /// The machines without duplicates.
    private var machines: [String] {
        machine.enumerated().filter { place, name in !machine[..<place].contains(name) }.map(\.element)
    }

    /// Refuses several machines if the verb applies to a machine itself.
    func refuseSeveralMachines(of verb: String) throws {
        guard isForMachines, machines.count > 1 else { return }
        throw ValidationError(
            "'\(verb) --machine' accepts one machine; with '--all' it selects the instances of several")
    }

    /// Refuses options that only apply to a run.
    func refuseRun(of verb: String) throws {
        guard machineItself != nil else { return }
        if run != nil { throw ValidationError("'\(verb) --machine' begins no run, so '--run' needs '--all'") }
    }

    /// Refuses a digest, because a machine itself is not a selection.
    func refuseExpect() throws {
        guard machineItself != nil, consent.expect != nil else { return }
        throw ValidationError("'--expect' goes with a selection, such as '--all' or '--state'")
    }

    func validate() throws {
        for version in from { try Least.check("--from", version) }
        try Span.check("--older-than", olderThan)
        try OptionWord.refuseEmpty([("--prefix", prefix), ("--where", self.where)] + failure.map { ("--failure", $0) })
        if !from.isEmpty, machines.count != 1 {
            throw ValidationError("'--from' needs one '--machine': each machine numbers its own versions")
        }
        if all, hasOtherFilter {
            throw ValidationError("'--all' selects all instances: only '--machine' may accompany it")
        }
        if namesFrom != nil, all || hasFilter {
            throw ValidationError("'--names-from' excludes all other selections")
        }
        if let run, isUsed, let message = BulkRequest.message(forRun: run) { throw ValidationError(message) }
    }

    /// Refuses options that only apply to one instance, or only to many.
    func check(instance: String?, _ options: RepairOptions? = nil) throws {
        guard isUsed else {
            if instance == nil {
                throw ValidationError(
                    "Missing expected argument '<instance>'; '--machine' and other options select many")
            }
            if consent.expect != nil || consent.yes || (run != nil && options != nil) {
                throw ValidationError("'--run', '--expect' and '--yes' go with a selection, such as '--machine'")
            }
            return
        }
        if let instance { throw ValidationError("Name an instance ('\(instance)') or select some, not both") }
        if options?.expectSeq != nil {
            throw ValidationError("'--expect-seq' is for one instance; '--expect' for many")
        }
        if options?.key.key != nil { throw ValidationError("'--key' is for one instance; '--run' for many") }
    }

    private var select: BulkSelect? {
        guard namesFrom == nil else { return nil }
        return BulkSelect(
            machines: machines, versions: from, statuses: status, states: state, olderThan: olderThan,
            failures: failure, prefix: prefix, condition: self.where, all: all && machine.isEmpty ? true : nil)
    }

    /// Requests the run of an operator's verb, or its rehearsal, and prints the result.
    func carryOut(
        _ action: BulkAction, _ options: RepairOptions, allOrNothing: Bool = false, in session: Session
    ) async throws {
        try await carryOut(
            action, reason: options.reason, dryRun: options.dryRun, allOrNothing: allOrNothing, in: session)
    }

    /// Requests the run or its rehearsal and prints the result.
    ///
    /// - Parameter allOrNothing: True if the verb must apply to all instances or to none.
    func carryOut(
        _ action: BulkAction, reason: String?, dryRun: Bool, allOrNothing: Bool = false, in session: Session
    ) async throws {
        let names = try namesFrom.map { try Self.names(in: $0, session) } ?? []
        if namesFrom != nil, names.isEmpty { throw CommandFailure(.badData, "The file names no instance") }
        let request = BulkRequest(
            run: run, action: action, select: action.verb == .undo ? nil : select, expect: consent.expect,
            dryRun: dryRun ? true : nil, reason: reason, allOrNothing: allOrNothing ? true : nil)
        try await Self.carryOut(request, names: names, isSure: consent.yes, hint: hint, in: session)
    }

    /// Requests a run, or its rehearsal, and prints the result.
    ///
    /// - Parameters:
    ///   - asked: The request; a run without a name gets a new one.
    ///   - isSure: True if the run may cover many instances that nobody has reviewed.
    static func carryOut(
        _ asked: BulkRequest, names: [String] = [], isSure: Bool, hint: StateHint? = nil, in session: Session
    ) async throws {
        var request = asked
        if request.dryRun == true {
            request.run = nil
            request.expect = nil
            var following = BulkFollowing(session, request)
            return try await following.rehearse(names: names, expecting: asked.expect, hint: hint)
        }
        let name = asked.run ?? newName(for: asked.action, in: session)
        request.run = name
        if asked.expect == nil, !isSure { try await refuseMany(request, in: session) }
        if asked.run == nil, asked.action.verb != .undo { try session.say("run: \(name)") }
        var following = BulkFollowing(session, request)
        try await following.follow(names: names, hint: hint)
    }

    /// Refuses a filter or an undo that selects many instances that nobody has reviewed.
    private static func refuseMany(_ request: BulkRequest, in session: Session) async throws {
        guard request.select != nil || request.action.verb == .undo else { return }
        let trial = BulkRequest(action: request.action, select: request.select, dryRun: true, reason: request.reason)
        var found: BulkRehearsal?
        do {
            try await session.withClient { client in
                for try await line in try await client.bulk(trial) {
                    if case .rehearsal(let rehearsal) = line { found = rehearsal }
                }
            }
        } catch let error as ClientError where error.problem?.type == .runNotFound {
            // The undo may still be known: a repeated request gets its progress.
            return
        }
        guard let found, found.selected > unasked else { return }
        let line = session.line(with: ["--expect", String(found.digest.prefix(6))])
        throw CommandFailure(
            .usage, "\(BulkText.grouped(found.selected)) instances are selected; nothing was done",
            notes: [
                line + " acts on these, if none of them has changed by then",
                "'--dry-run' shows what would happen, and '--yes' proceeds without '--expect'",
            ])
    }

    /// Returns an unused name. A run is undone once, so a repeated undo gets the progress of the first.
    static func newName(for action: BulkAction, in session: Session) -> String {
        if let undone = action.undone, BulkRequest.message(forRun: "undo-\(undone)") == nil { return "undo-\(undone)" }
        return "\(action.verb.rawValue)-\(session.environment.makeKey().suffix(8))"
    }

    /// The hint that is printed if nothing is selected.
    private var hint: StateHint? { state.first.map { StateHint(state: $0, machines: machines) } }

    /// Returns the instances that a file names, one per line.
    static func names(in path: String, _ session: Session) throws -> [String] {
        let source = try session.environment.files.lines(path)
        var names: [String] = []
        while let line = try source.next(limit: APILimits.bodyBytes) {
            let name = String(decoding: line, as: UTF8.self).split(separator: " ").joined(separator: " ")
            if name.isEmpty { continue }
            guard InstanceNameRule.isAddressable(name) else {
                throw CommandFailure(
                    .badData, InstanceNameRule.message(for: name) ?? "'\(name)' is no instance name",
                    notes: ["it is the \(names.count + 1). name of '\(path)'"])
            }
            guard names.count < APILimits.runNames else {
                throw CommandFailure(
                    .badData, "A run names at most \(APILimits.runNames) instances; make several runs of them")
            }
            names.append(name)
        }
        return names
    }
}

/// Follows a run or its rehearsal and prints the progress.
struct BulkFollowing {
    private let session: Session
    private let request: BulkRequest
    private var progress: Progress

    init(_ session: Session, _ request: BulkRequest) {
        self.session = session
        self.request = request
        progress = Progress(session, unit: .things("instances"))
    }

    /// Prints the result of a rehearsal.
    ///
    /// - Parameter expected: The digest of an earlier rehearsal; `nil` for any.
    mutating func rehearse(names: [String], expecting expected: String?, hint: StateHint?) async throws {
        var found: BulkRehearsal?
        let request = request
        try await session.withClient { client in
            for try await line in try await client.bulk(request, names: names) {
                switch line {
                case .progress(let now): try progress.show("rehearsing", done: now.done, total: now.total)
                case .rehearsal(let rehearsal): found = rehearsal
                case .run: break
                }
            }
            try progress.end()
            guard let found else { throw CommandFailure(.other, "The answer ended without a result") }
            try session.print(found) { BulkText.lines(for: found, request.action) }
            if let note = found.search.flatMap(SearchText.note) { try session.say(note) }
            if found.selected == 0 { try await say(hint, client) }
            if let expected, !found.digest.hasPrefix(expected) {
                throw CommandFailure(
                    ProblemType.selectionChanged.exitStatus,
                    "The selection is no longer '\(expected)'; with this '--expect' nothing would be done")
            }
            if request.allOrNothing == true, found.counts.left > 0 {
                let left = "\(BulkText.grouped(found.counts.left)) of \(BulkText.grouped(found.counts.total))"
                throw CommandFailure(
                    ProblemType.misfit.exitStatus, "\(left) instances would be left out, so nothing would be done")
            }
        }
    }

    /// Prints a hint. Errors are ignored, because the answer is correct without the hint.
    private func say(_ hint: StateHint?, _ client: WorkflowClient) async throws {
        if let hint, let text = try? await hint.text(from: client) { try session.say(text) }
    }

    /// Prints the progress of the run until the run ends. An interrupt ends the verb, but not the run.
    mutating func follow(names: [String], hint: StateHint?) async throws {
        var last: BulkRun?
        let request = request
        let name = request.run ?? ""
        let interruptions = session.environment.interruptions()
        let reader = Task { [session, progress] in try await Self.read(request, names, session, progress) }
        let watcher = Task {
            for await _ in interruptions { reader.cancel() }
        }
        defer { watcher.cancel() }
        let note = "'wfctl bulk show \(name)' shows its progress, 'wfctl bulk stop \(name)' stops it"
        do {
            last = try await reader.value
        } catch let error as ClientError where error.problem?.type == .keyReused {
            throw CommandFailure(
                ProblemType.keyReused.exitStatus, error.problem?.detail,
                notes: ["'--run NAME' gives this run another name; 'wfctl bulk show \(name)' shows the other"])
        } catch let error as ClientError where error.leavesOutcomeOpen && !reader.isCancelled {
            throw CommandFailure(error.exitStatus, error.description, notes: ["the run may go on: \(note)"])
        } catch {
            guard reader.isCancelled else { throw error }
        }
        if reader.isCancelled, last?.state == .running || last == nil {
            throw CommandFailure(.tryAgain, "Interrupted; the run '\(name)' goes on", notes: [note])
        }
        guard let last else { throw CommandFailure(.other, "The answer ended without a result", notes: [note]) }
        try session.print(last) { BulkText.line(for: last) }
        let counts = last.counts
        if last.state == .stopped {
            throw CommandFailure(.tryAgain, "The run is stopped", notes: ["'wfctl bulk resume \(name)' lets it go on"])
        }
        if last.selected == 0 { try await session.withClient { try await say(hint, $0) } }
        if counts.refused + counts.misfit + counts.failed > 0 {
            throw Self.refusal(in: last)
        }
        if counts.changed > 0 { throw CommandFailure(.precondition, nil) }
    }

    /// Returns the failure with the reason of the first left-out instance, and the command that lists the others.
    private static func refusal(in run: BulkRun) -> CommandFailure {
        // The undo lists the left-out instances itself.
        guard run.action.verb != .undo,
            let first = run.told?.first(where: { !["done", "changed", "passedOver"].contains($0.outcome) }),
            first.message != nil
        else { return CommandFailure(.refused, nil) }
        return CommandFailure(
            .refused, BulkText.line(for: first),
            notes: run.counts.left > 1 ? ["'wfctl bulk show \(run.run)' shows the others"] : [])
    }

    /// Reads the progress of the run until its end; makes another connection if one is lost.
    private static func read(
        _ request: BulkRequest, _ names: [String], _ session: Session, _ progress: Progress
    ) async throws -> BulkRun? {
        var progress = progress
        var last: BulkRun?
        try await session.withClient { client in
            repeat {
                let isBegun = last != nil
                if isBegun {
                    try progress.end()
                    try session.say("cut off, connecting again; the run goes on with wfd")
                    try await Task.sleep(for: .milliseconds(100))
                }
                do {
                    // A named run begins once, so the request may be repeated.
                    let lines = try await client.untilKnown(waitsForDaemon: isBegun) { () async throws(ClientError) in
                        try await client.bulk(request, names: names)
                    }
                    for try await line in lines {
                        guard case .run(let run) = line else { continue }
                        let isNew = run.paused != last?.paused
                        last = run
                        try progress.show(run.run, done: run.counts.total, total: run.selected)
                        if isNew, let paused = run.paused { try session.say("\(run.run) pauses: \(paused)") }
                    }
                } catch let error as ClientError where error.isTransient && last?.state == .running {
                    try Task.checkCancellation()
                    if error.code == .unreachable {
                        throw CommandFailure(
                            error.exitStatus, error.description,
                            notes: ["the run goes on with wfd: 'wfctl bulk show \(request.run ?? "")' tells more"])
                    }
                }
            } while last?.state == .running
        }
        try progress.end()
        return last
    }
}
