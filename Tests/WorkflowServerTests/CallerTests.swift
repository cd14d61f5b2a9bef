import DaemonTesting
import Logging
import Statechart
import Synchronization
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests that the caller whom the gate identifies reaches the engine, on every route.
@Suite struct CallerTests {
    /// The sign in an answer that the engine was asked for a caller of an empty namespace.
    private enum Sign: Equatable {
        /// The instance or machine does not exist for the caller, nor does one with a similar name.
        case isMissing(ProblemType)
        /// The first line of the answer reports that the instance does not exist.
        case lineIsMissing
        case listIsEmpty
        /// The applied machine is the first version in the caller's own namespace.
        case hasItsOwn
        /// The answer has no task of another namespace.
        case hasNoTasks
        /// The report on a task of another namespace is refused.
        case isLost
        /// The line with a report on a task of another namespace is refused.
        case lineIsLost
        /// The request concerns the whole store, and the log has the caller.
        case isLogged(String)
        /// The request concerns no machine and no instance.
        case concernsNobody
        /// The daemon has one list of tokens, and the token was created at home.
        case exists
    }

    private static let signs: [Route: Sign] = [
        .applyDefinition: .hasItsOwn, .listMachines: .listIsEmpty, .showMachine: .isMissing(.machineNotFound),
        .showMachineVersion: .isMissing(.machineNotFound), .startInstance: .isMissing(.machineNotFound),
        .listInstances: .listIsEmpty, .showInstance: .isMissing(.instanceNotFound),
        .sendEvent: .isMissing(.instanceNotFound), .retryInstance: .isMissing(.instanceNotFound),
        .cancelInstance: .isMissing(.instanceNotFound), .skipInstance: .isMissing(.instanceNotFound),
        .setInstance: .isMissing(.instanceNotFound), .suspendInstance: .isMissing(.instanceNotFound),
        .resumeInstance: .isMissing(.instanceNotFound), .resetInstance: .isMissing(.instanceNotFound),
        .undoMigration: .isMissing(.instanceNotFound), .migrateInstance: .isMissing(.instanceNotFound),
        .redactInstance: .isMissing(.instanceNotFound), .deleteInstance: .isMissing(.instanceNotFound),
        .purge: .isMissing(.machineNotFound), .listAudit: .listIsEmpty,
        .activateMachine: .isMissing(.machineNotFound), .suspendMachine: .isMissing(.machineNotFound),
        .resumeMachine: .isMissing(.machineNotFound), .retainMachine: .isMissing(.machineNotFound),
        .listAttempts: .isMissing(.instanceNotFound),
        .streamInstance: .isMissing(.instanceNotFound), .streamAll: .isMissing(.machineNotFound),
        .runBulk: .isMissing(.machineNotFound),
        .listRuns: .listIsEmpty, .showRun: .isMissing(.runNotFound), .stopRun: .isMissing(.runNotFound),
        .listLeftOut: .isMissing(.runNotFound),
        .resumeRun: .isMissing(.runNotFound),
        .listEvents: .isMissing(.instanceNotFound), .sendEvents: .lineIsMissing, .listTimers: .listIsEmpty,
        .listInstanceTimers: .isMissing(.instanceNotFound), .showClock: .concernsNobody,
        .moveClock: .isLogged("move the clock"), .listHistory: .isMissing(.instanceNotFound),
        .replayInstance: .isMissing(.instanceNotFound), .backtestInstance: .isMissing(.instanceNotFound),
        .backtestMachine: .isMissing(.machineNotFound), .verifyInstance: .isMissing(.instanceNotFound),
        .verifyAll: .isLogged("verify the whole store"), .makeBackup: .isLogged("make a backup"),
        .leaseTasks: .hasNoTasks, .completeTask: .isLost, .failTask: .isLost, .prolongTask: .isLost,
        .listEffects: .listIsEmpty, .reportTasks: .lineIsLost, .decideEffect: .isMissing(.instanceNotFound),
        .listQueues: .isLogged("list the queues"), .setQueue: .isLogged("set a queue"),
        .release: .isLogged("release effects"),
        .fetchBackup: .isLogged("fetch a backup"), .live: .concernsNobody, .ready: .concernsNobody,
        .openAPI: .concernsNobody,
        .whoami: .concernsNobody, .createSession: .concernsNobody, .listTokens: .concernsNobody, .createToken: .exists,
        .rotateToken: .concernsNobody, .revokeToken: .isMissing(.tokenNotFound),
        .listFailures: .concernsNobody, .listTally: .listIsEmpty, .showStats: .isMissing(.machineNotFound),
        .status: .concernsNobody, .metrics: .concernsNobody, .listDaemons: .concernsNobody,
    ]

    private static let definition = """
        {"id": "m", "initial": "a", "states": {
        "a": {"on": {"go": {}}, "after": {"30d": "b"}, "invoke": {"task": "q"}}, "b": {}}}
        """

    private static let bodies: [Route: String] = [
        .applyDefinition: definition, .backtestInstance: definition, .backtestMachine: definition,
        .startInstance: #"{"machine": "m"}"#, .sendEvent: #"{"event": "go"}"#, .retryInstance: "{}",
        .cancelInstance: #"{"reason": "r"}"#, .skipInstance: #"{"reason": "r"}"#,
        .setInstance: #"{"reason": "r", "unset": ["n"]}"#, .suspendInstance: "{}", .resumeInstance: "{}",
        .resetInstance: #"{"to": 1, "reason": "r"}"#, .undoMigration: #"{"reason": "r"}"#,
        .migrateInstance: #"{"reason": "r"}"#, .redactInstance: #"{"reason": "r"}"#,
        .purge: #"{"finishedBefore": "90d", "machine": "m", "reason": "r"}"#, .activateMachine: #"{"version": 1}"#,
        .suspendMachine: "{}",
        .resumeMachine: #"{"run": "r"}"#, .retainMachine: #"{"retention": "90d"}"#,
        .runBulk: #"{"run": "r", "action": {"verb": "retry"}, "select": {"machine": "m"}}"#,
        .leaseTasks: "{}", .completeTask: "1", .failTask: #"{"message": "m"}"#, .prolongTask: "{}",
        .decideEffect: #"{"action": "cancel"}"#, .setQueue: #"{"paused": true}"#,
        .createToken: #"{"name": "t", "roles": ["view"]}"#, .rotateToken: "{}",
        .sendEvents: #"{"instance": "x", "event": "go"}"#, .moveClock: #"{"to": "2030-01-01T00:00:00.000Z"}"#,
    ]

    private static let queries: [Route: String] = [
        .deleteInstance: "?reason=r", .streamAll: "?machine=m", .listLeftOut: "?outcome=misfit",
    ]

    private static func request(for route: Route, task: String) -> RawRequest {
        let names = route.template.parameters.map {
            ["machine": "m", "instance": "x", "queue": "q", "task": task, "effect": "a"][$0] ?? "1"
        }
        let type = route == .sendEvents || route == .reportTasks ? "application/x-ndjson" : "application/json"
        let body = route == .reportTasks ? "{\"task\": \"\(task)\", \"complete\": 1}" : bodies[route]
        return RawRequest(
            route.method.rawValue, route.template.path(names) + (queries[route] ?? ""),
            headers: [("Content-Type", type)], body: body.map { Array($0.utf8) })
    }

    private static func shows(_ sign: Sign, _ answer: RawAnswer, asked: Set<String>) throws -> Bool {
        switch sign {
        case .isMissing(let type):
            guard answer.status == 404 else { return false }
            return try answer.object["type"]?.string?.hasSuffix(type.rawValue) == true
                && answer.object["suggestion"] == nil
        case .lineIsMissing:
            let line = answer.body.split(separator: UInt8(ascii: "\n")).first ?? []
            let problem = try JSONReader.value(from: Array(line)).object?["error"]?.object
            return problem?["type"]?.string?.hasSuffix("instance-not-found") == true && problem?["suggestion"] == nil
        case .listIsEmpty: return try answer.object["items"] == []
        case .hasItsOwn: return try answer.status == 201 && answer.object["version"] == 1
        case .isLogged(let command): return asked == ["\(command) by uid:2"]
        case .hasNoTasks: return try answer.object["tasks"] == []
        case .isLost: return answer.status == 410
        case .lineIsLost:
            let line = answer.body.split(separator: UInt8(ascii: "\n")).first ?? []
            return try JSONReader.value(from: Array(line)).object?["status"] == 410
        case .exists: return answer.status == 409
        case .concernsNobody: return (200..<300).contains(answer.status)
        }
    }

    @Test func everyRouteHasItsSign() {
        #expect(Set(Self.signs.keys) == Set(Route.all))
    }

    /// Through a standby, the caller that it has identified reaches the owner's engine.
    @Test(.timeLimit(.minutes(20)), arguments: Route.all, [false, true])
    func theCallerReachesTheEngine(_ route: Route, throughStandby: Bool) async throws {
        let sign = try #require(Self.signs[route])
        let isElsewhere = Atomic(false)
        let asked = Mutex<Set<String>>([])
        let rule: RequestGate.Rule = { caller, _ in
            isElsewhere.load(ordering: .relaxed)
                ? .success(Caller("uid:2", namespace: NamespaceID(rawValue: 2))) : .success(caller)
        }
        let sql = "INSERT INTO namespace (id, name) VALUES (2, 'other')"
        let secret = try #require(PeerPair.secret)
        let host = try await ServerHost(
            sql: sql, rule: rule,
            access: { database in
                let book = AccessBook { WireTime(milliseconds: 0) }
                try book.open(AccessFile(besideDatabase: database))
                _ = try book.create(CreateTokenRequest(name: "1", roles: [.view]), until: nil, by: nil)
                return AccessControl(book)
            },
            peers: throughStandby ? (TestDirectory(.here), secret) : nil,
            log: { event in
                guard "\(event.message)" == "asked", let metadata = event.metadata else { return }
                asked.withLock { _ = $0.insert("\(metadata["command"] ?? "") by \(metadata["actor"] ?? "")") }
            })
        var standby: ServerHost?
        if throughStandby {
            let forwarder = Forwarder(directory: TestDirectory(.peer(host.peer)), secret: secret)
            standby = try await ServerHost(sql: sql, rule: rule, forwarder: forwarder)
        }
        let server = standby ?? host
        let here = Caller("uid:1", namespace: .default)
        _ = try await host.engine.apply(Self.definition, syntax: .json, by: here)
        for name: InstanceName in ["x", "xx"] {
            _ = try await host.engine.start(StartCommand(machine: "m", instance: name, by: here))
        }
        let action = WorkflowEngine.BulkAction(["verb": "retry"])
        let retry = WorkflowEngine.BulkRequest(
            action: try #require(action), targets: .selection(BulkSelection(machines: ["m"])))
        _ = try await host.engine.begin(run: "1", retry, [], by: here)
        var tasks = ["", ""]
        if sign == .isLost || sign == .lineIsLost {
            let lease = LeaseTasksCommand(queue: "q", max: 2, milliseconds: 60_000, worker: "w", by: here)
            tasks = try await host.engine.lease(lease, wait: .zero).map(\.token.text)
            try #require(tasks.count == 2)
        }
        if route == .listAudit {
            let command = DeleteCommand(
                instance: "xx", takesUnfinished: true, cancelsEffects: true, reason: "r", by: here)
            _ = try await host.engine.delete(command)
        }
        let request = Self.request(for: route, task: tasks[0])
        if case .events = route.answer {
            // A stream does not end by itself.
            let status = try await onOwnThread { [address = server.address] in
                try EventReader(request.target, of: address).status
            }
            #expect(status == 200, "\(route), at home")
        } else {
            let seen = try await server.answers(to: [request])[0]
            if sign != .concernsNobody {
                #expect(try !Self.shows(sign, seen, asked: asked.withLock { $0 }), "\(route), at home")
            }
        }
        asked.withLock { $0 = [] }
        isElsewhere.store(true, ordering: .relaxed)
        let unseen = try await server.answers(to: [Self.request(for: route, task: tasks[1])])[0]
        #expect(try Self.shows(sign, unseen, asked: asked.withLock { $0 }), "\(route), elsewhere: \(unseen.status)")
        try await standby?.stop()
        try await host.stop()
    }
}
