import Hummingbird
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowStore

/// The route for the overview that an operator looks at first.
struct StatusRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget
    let certificate: ServerCertificate?
    let access: AccessControl
    let version: String

    /// Groups of failures in the overview; a person reads so many at a glance.
    private static let shownFailures = 5
    private static let shownRuns = 20
    private static let shownQueues = 10
    private static let shownTokens = 10

    func register(on routes: inout RouteHandlers) {
        routes.on(.status) { request in try await budget.page { try await status(request) } }
    }

    /// The end of the certificate if it is near, by the clock of the machine, which callers compare it with.
    private var certificateEnd: Timestamp? {
        let soon = SystemClock().now().rawValue + TokenRecord.nearEnd
        return certificate.flatMap { $0.end.rawValue <= soon ? $0.end : nil }
    }

    /// The tokens that end soon, for a caller who may list tokens.
    private func tokensEnding(for caller: CallerIdentity) -> [DaemonStatus.TokenEnd]? {
        guard caller.permissions.contains(.access), let book = access.book else { return nil }
        let now = book.time
        let ends = book.tokens.filter { $0.expiry(at: now) == .soon }.compactMap { token in
            token.expires.map { DaemonStatus.TokenEnd(name: token.name, expiresAt: $0) }
        }.sorted { $0.expiresAt < $1.expiresAt }
        return ends.isEmpty ? nil : Array(ends.prefix(Self.shownTokens))
    }

    private func status(_ request: RoutedRequest) async throws -> Response {
        let caller = request.caller
        // Names and errors of instances, and reasons of runs, are data: monitoring sees numbers.
        let mayRead = request.identity.permissions.contains(.read)
        let now = engine.now
        let (state, reason) = DaemonStatus.State.of(engine.currentHealth)
        let report = try await asking { try await engine.report(by: caller) }
        let failures = try await asking { try await engine.failures(of: [], by: caller) }
        let late = try await asking { try await engine.lateTimers(by: caller) }
        let queues = try await asking {
            try await engine.queueReports(countingTo: APILimits.countedEffects, by: caller)
        }.filter { $0.stands(at: now) }
        let runs = try await asking { try await engine.runs(by: caller) }.filter { $0.record.state != .done }
        var counts: [Instance.Status: Int64] = [:]
        for counted in report.tally { counts[Instance.Status(counted.key.status), default: 0] += counted.count }
        let suspended = engine.suspendedMachines(by: caller).compactMap(MachineSuspensionItem.init)
        let others = max(0, failures.groups.count - (mayRead ? Self.shownFailures : 0))
        let shownRuns = mayRead ? Self.shownRuns : 0
        let otherRuns = max(0, runs.count - shownRuns)
        let otherQueues = max(0, queues.count - Self.shownQueues)
        return Response(
            DaemonStatus(
                status: state, reason: reason, version: version, held: engine.queueBoard.isKnownAsHeld ? true : nil,
                holdReason: engine.queueBoard.holdReason,
                suspendedMachines: suspended.isEmpty ? nil : suspended,
                behind: late?.milliseconds, lateTimers: late.map { Int64($0.count) }, waiting: Int64(report.waiting),
                instances: counts.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    DaemonStatus.Count(status: $0.key, count: $0.value)
                },
                failures: failures.groups.prefix(mayRead ? Self.shownFailures : 0).map { FailureItem($0, now: now) },
                otherFailures: others == 0 ? nil : Int64(others),
                redactedFailures: failures.redacted == 0 ? nil : Int64(failures.redacted),
                queues: queues.isEmpty ? nil : queues.prefix(Self.shownQueues).map { QueueItem($0, now: now) },
                otherQueues: otherQueues == 0 ? nil : Int64(otherQueues),
                deleting: report.backlog.rows == 0 ? nil : report.backlog.rows,
                disk: report.usage.map { DaemonStatus.Disk($0, erased: report.erasedInLog) },
                runs: runs.isEmpty || !mayRead
                    ? nil : try runs.prefix(shownRuns).map { try BulkRun($0, isTold: false) },
                otherRuns: otherRuns == 0 ? nil : Int64(otherRuns),
                lastBackupAt: report.upkeep.backup.map { WireTime(milliseconds: $0.rawValue) },
                lastVerificationAt: report.upkeep.verification.map { WireTime(milliseconds: $0.rawValue) },
                certificateEndsAt: certificateEnd.map { WireTime(milliseconds: $0.rawValue) },
                tokensEnding: tokensEnding(for: request.identity)))
    }
}

extension DaemonStatus.State {
    fileprivate static func of(_ health: Engine.Health) -> (DaemonStatus.State, reason: String?) {
        switch health {
        case .starting: (.starting, nil)
        case .standby: (.standby, nil)
        case .ready: (.ready, nil)
        case .draining: (.draining, nil)
        case .storageUnavailable(let reason): (.storageUnavailable, reason)
        case .readOnly(let reason): (.readOnly, reason)
        case .damaged(let reason): (.damaged, reason)
        }
    }
}

extension DaemonStatus.Disk {
    fileprivate init(_ usage: StoreUsage, erased: Duration?) {
        self.init(
            file: usage.file, pages: usage.pages, freePages: usage.freePages, log: usage.log,
            logHeld: usage.hold.map { Int64($0.age(at: .now) / .milliseconds(1)) },
            logErased: erased.map { Int64($0 / .milliseconds(1)) }, free: usage.free)
    }
}
