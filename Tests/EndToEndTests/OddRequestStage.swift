import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// A daemon with an instance for each route, and connections on which it gets requests of any kind.
struct OddRequestStage {
    static let machine = """
        id: m
        initial: a
        context: {n: 0}
        states:
          a:
            invoke: {task: q}
            after: {30d: b}
            on: {stop: b, go: {actions: {assign: {n: context.n + 1}}}, call: {actions: {call: {task: q}}}}
          b: {}
        """

    private static let bodies: [Route: String] = [
        .startInstance: #"{"machine": "m", "version": 1, "data": {"n": 1}}"#,
        .sendEvent: #"{"event": "go", "data": 1, "expect": {"seq": 1, "state": "a"}}"#,
        .sendEvents: #"{"instance": "x", "event": "go", "expect": {"seq": 1}, "key": "k"}"#,
        .cancelInstance: #"{"reason": "r", "actions": true, "seq": 1, "dryRun": true}"#,
        .retryInstance: #"{"reason": "r", "seq": 1, "dryRun": true}"#,
        .skipInstance: #"{"reason": "r", "seq": 1, "dryRun": true}"#,
        .setInstance: #"{"reason": "r", "set": {"n": 1}, "unset": ["n"], "seq": 1, "dryRun": true}"#,
        .migrateInstance:
            #"{"reason": "r", "to": 2, "map": {"a": "b"}, "timers": "from-now", "seq": 1, "dryRun": true}"#,
        .suspendInstance: #"{"reason": "r", "seq": 1, "dryRun": true}"#,
        .resumeInstance: #"{"reason": "r", "seq": 1, "dryRun": true}"#,
        .resetInstance: #"{"to": 1, "reason": "r", "timers": "due", "invocations": "again", "seq": 1, "dryRun": true}"#,
        .undoMigration: #"{"reason": "r", "invocations": "again", "seq": 1, "dryRun": true}"#,
        .redactInstance: #"{"reason": "r", "seqs": "1", "paths": ["n"], "name": "y", "seq": 1, "dryRun": true}"#,
        .purge: #"{"finishedBefore": "90d", "machine": "idle", "reason": "r", "dryRun": true}"#,
        .activateMachine: #"{"version": 1}"#, .suspendMachine: #"{"reason": "r", "dryRun": true}"#,
        .resumeMachine: #"{"run": "r", "dryRun": true}"#, .retainMachine: #"{"retention": "90d", "dryRun": true}"#,
        .runBulk:
            #"{"run": "r", "action": {"verb": "migrate", "to": 1}, "select": {"machine": "idle"}, "reason": "r"}"#,
        .leaseTasks: #"{"max": 1, "lease": 30, "worker": "w"}"#, .completeTask: #"{"n": 1}"#,
        .failTask: #"{"type": "t", "message": "m", "details": {"n": 1}, "retry": true, "retryAfter": 1}"#,
        .prolongTask: #"{"progress": {"n": 1}}"#,
        .reportTasks: #"{"task": "0", "fail": {"message": "m", "retryAfter": 1}}"#,
        .decideEffect: #"{"action": "retry", "seq": 1, "newKey": true, "reason": "r"}"#,
        .setQueue: #"{"concurrency": 1, "rate": {"count": 1, "milliseconds": 1}, "paused": false}"#,
        .createToken: #"{"name": "t", "roles": ["work"], "queues": ["q"], "expiresIn": "90d"}"#,
        .rotateToken: #"{"overlap": "1h"}"#,
        .moveClock: #"{"to": "2030-01-01T00:00:00.000Z"}"#,
    ]

    let folder: TemporaryFolder
    let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        let database = folder.path("wfd.db")
        daemon = try await Daemon(
            arguments: ["--clock", "virtual"]
                + Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")]), database: database)
        let idle = Self.machine.replacing("id: m", with: "id: idle").replacing("task: q", with: "task: none")
        _ = try await daemon.saidInTime(
            "apply", folder.write(Self.machine, to: "m.yaml"), folder.write(idle, to: "idle.yaml"))
        _ = try await daemon.said("start", "idle", "idle")
        // The first task of the instance has ended: its token needs no lease that lives.
        _ = try await daemon.said("send", "idle", "stop")
        for name in Set(Route.all.map(Self.instance(for:))) { _ = try await daemon.said("start", "m", name) }
    }

    /// Returns the name of a route's own instance, so that no request affects another.
    static func instance(for route: Route) -> String {
        let place = Route.all.firstIndex(of: route) ?? 0
        return "x\(place)"
    }

    /// Returns the parts of a route's path.
    static func parts(of route: Route) -> [String] {
        let values = [
            "machine": "idle", "instance": instance(for: route), "queue": "none", "effect": "a", "version": "1",
            "task": String(repeating: "0", count: 112),
        ]
        return route.template.parameters.map { values[$0] ?? "x" }
    }

    private static let queries: [Route: String] = [.deleteInstance: "?reason=r", .listLeftOut: "?outcome=misfit"]

    /// Returns the path with the query that it must have.
    private static func path(of route: Route) -> String {
        route.template.path(parts(of: route)) + (Self.queries[route] ?? "")
    }

    static func body(for route: Route) -> String? {
        if case .none = route.body { return nil }
        return bodies[route] ?? machine
    }

    /// Returns a correct request, except for the given parts.
    ///
    /// - Parameters:
    ///   - target: The target; `nil` for the route's own path.
    ///   - odd: Headers that replace the ones of the same name.
    static func request(
        _ route: Route, target: String? = nil, body: String? = nil, odd: [(name: String, value: [UInt8])] = []
    ) -> OddRequest {
        let body = (body ?? Self.body(for: route)).map { Array($0.utf8) }
        // The first of several.
        let type = route.body.mediaTypes?.split(separator: " ").first.map(String.init) ?? "text/plain"
        let usual = [
            ("Host", "localhost"), ("Content-Type", type), ("Content-Length", "\(body?.count ?? 0)"),
        ].filter { usual in !odd.contains { $0.name == usual.0 } }
        var bytes = Array(
            "\(route.method.rawValue) \(target ?? path(of: route)) HTTP/1.1\r\n".utf8)
        for (name, value) in usual { bytes += Array("\(name): \(value)\r\n".utf8) }
        for (name, value) in odd { bytes += Array("\(name): ".utf8) + value + Array("\r\n".utf8) }
        bytes += Array("\r\n".utf8) + (body ?? [])
        let isEndless = if case .events = route.answer { true } else { false }
        return OddRequest(
            bytes: bytes, route: route, headers: odd.map(\.name), isEndless: isEndless,
            isLast: isEndless || odd.contains { OddRequests.framing.contains($0.name) })
    }

    /// Sends requests, in their order, on as few connections as possible. None may end the process or cause an internal
    /// error.
    func send(_ requests: [OddRequest]) async throws {
        let address = daemon.address
        let answers = try await onOwnThread {
            var sender = OddRequestSender(address: address)
            return try sender.answers(to: requests)
        }
        #expect(answers.count == requests.count)
        for (request, status) in zip(requests, answers) {
            guard let status, !request.mayBeAnswered(status) else { continue }
            Issue.record("\(status) to \(String(decoding: request.bytes.prefix(300), as: UTF8.self))")
        }
        // The first one is right: the others are odd in one thing only.
        let first = answers.first ?? nil
        #expect(first.map { ![400, 413, 415].contains($0) } ?? false, "\(requests.first?.route.description ?? "")")
    }

    /// Expects that no request has left an inconsistency, and that the daemon ends properly.
    func end() async throws {
        let attempts = try await daemon.answer(to: .get(Route.listAttempts.path("idle")))
        #expect(try attempts.object["items"] == [], "a token that nobody was given has left an attempt")
        let verified = try await daemon.wfctl("verify", "--all")
        #expect(verified.end == .exited(0), "\(verified.output)\(verified.errors)")
        #expect(try await daemon.stop().end == .exited(0))
    }
}

/// A request with an odd part.
struct OddRequest: Sendable {
    let bytes: [UInt8]
    let route: Route
    /// The names of the odd headers.
    let headers: [String]
    /// True if the answer continues as long as the connection.
    let isEndless: Bool
    /// True if no request can follow on the same connection.
    let isLast: Bool

    /// Returns true for a status that does not report a fault of the daemon.
    func mayBeAnswered(_ status: Int) -> Bool {
        switch status {
        case ..<500: true
        case 501: headers.contains("Transfer-Encoding")
        // Answers that take long, or never end, have a limited number of places; so have runs.
        case 503: isLong || route == .runBulk || route == .resumeRun
        default: false
        }
    }

    private var isLong: Bool {
        switch route.answer {
        case .lines, .events: true
        case .object, .bytes, .nothing: false
        }
    }
}

/// Sends requests one after another and reads the answers. Blocks its thread.
struct OddRequestSender {
    private static let atOnce = 16

    let address: Address
    private var connection: RawConnection?

    init(address: Address) {
        self.address = address
    }

    /// Returns the statuses of the answers; `nil` if the connection was closed without an answer.
    mutating func answers(to requests: [OddRequest]) throws -> [Int?] {
        var statuses: [Int?] = []
        while statuses.count < requests.count {
            let rest = requests[statuses.count...]
            let last = rest.prefix(Self.atOnce).firstIndex(where: \.isLast)
            let group = last.map { rest[...$0] } ?? rest.prefix(Self.atOnce)
            statuses += try answers(toGroup: group)
        }
        return statuses
    }

    /// Returns the first statuses of a group; at least one.
    private mutating func answers(toGroup group: ArraySlice<OddRequest>) throws -> [Int?] {
        let connection = try self.connection ?? RawConnection(to: address)
        self.connection = connection
        try connection.write(group.flatMap(\.bytes))
        if let last = group.last, last.isLast, !last.isEndless { connection.endWriting() }
        var statuses: [Int?] = []
        for request in group {
            do {
                if request.isEndless {
                    statuses.append(try connection.readHead().status)
                } else {
                    let answer = try connection.readAnswer()
                    statuses.append(answer.status)
                    if answer.headers["connection"]?.lowercased() != "close", !request.isLast { continue }
                }
            } catch {
                // An earlier request of the group has closed the connection. If there is none, this one has, without an
                // answer.
                if statuses.isEmpty { statuses.append(nil) }
            }
            self.connection = nil
            break
        }
        return statuses
    }
}
