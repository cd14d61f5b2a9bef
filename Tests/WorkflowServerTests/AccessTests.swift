import DaemonTesting
import Foundation
import GRDB
import IdentityTesting
import Statechart
import Synchronization
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests which caller may do what: every route with every role, and with credentials that nobody has.
@Suite struct AccessTests {
    /// The table of the manual, written out once more.
    private static let table: [Role: Set<Route.Permission>] = [
        .monitor: [.status], .view: [.status, .read], .send: [.status, .read, .send], .work: [.status, .work],
        .deploy: [.status, .read, .define], .operate: [.status, .read, .send, .work, .operate],
        .admin: [.status, .read, .send, .work, .define, .operate, .backup, .access],
    ]

    /// A server on TCP with tokens, and a clock for their ends that a test moves.
    private struct Host {
        let host: ServerHost
        let book: AccessBook
        private let passed: Mutex<Int64>.Shared

        init(anonymous: Role? = nil, isOnTCP: Bool = true) async throws {
            let passed = Mutex<Int64>.Shared()
            let made = Mutex<AccessBook?>(nil)
            host = try await ServerHost(
                access: { database in
                    let book = AccessBook {
                        WireTime(milliseconds: SystemClock().now().rawValue + passed.value)
                    }
                    try book.open(AccessFile(besideDatabase: database))
                    made.withLock { $0 = book }
                    return AccessControl(book, anonymous: anonymous)
                }, isOnTCP: isOnTCP)
            book = try #require(made.withLock { $0 })
            self.passed = passed
        }

        func advance(_ milliseconds: Int64) { passed.value += milliseconds }

        func token(
            _ name: String, _ roles: [Role], queues: [String]? = nil, speaksFor: Bool = false, lasting: Int64? = nil
        ) throws -> String {
            let until = lasting.map { WireTime(milliseconds: book.time.milliseconds + $0) }
            let request = CreateTokenRequest(name: name, roles: roles, queues: queues, speaksFor: speaksFor)
            return try book.create(request, until: until, by: nil).token.text
        }
    }

    private static func request(
        _ route: Route, _ authorization: [String], headers: [(String, String)] = []
    ) -> RawRequest {
        let path = route.template.path(route.template.parameters.map { $0 == "version" ? "1" : "x" })
        let body: [UInt8]? = if case .none = route.body { nil } else { Array("{".utf8) }
        return RawRequest(
            route.method.rawValue, path,
            headers: [("Content-Type", "application/json")] + authorization.map { ("Authorization", $0) } + headers,
            body: body)
    }

    /// Another daemon of the same database may have revoked a token meanwhile.
    @Test(.timeLimit(.minutes(20))) func aTokenThatCannotBeCheckedIsNotTaken() async throws {
        let host = try await Host()
        let token = "Bearer " + (try host.token("t", [.view]))
        let requests = [Self.request(.listMachines, [token]), Self.request(.live, [])]
        #expect(try await host.host.answers(to: requests).map(\.status) == [200, 200])
        host.book.counts(until: .now)
        let refused = try await host.host.answers(to: requests)
        #expect(refused.map(\.status) == [503, 200])
        #expect(try refused[0].told.contains("No token can be checked now"))
        host.book.counts(until: .now + .seconds(600))
        #expect(try await host.host.answers(to: requests).map(\.status) == [200, 200])
        try await host.host.stop()
    }

    @Test func theRolesAreThoseOfTheTable() {
        for role in Role.allCases { #expect(role.permissions == Self.table[role], "\(role)") }
        let used = Set(Route.all.map(\.permission))
        #expect(used == Set(Route.Permission.allCases))
    }

    @Test(.timeLimit(.minutes(20))) func everyRouteTakesTheRolesOfItsPermissionAndNoOther() async throws {
        let host = try await Host()
        let tokens = try Role.allCases.map { ($0, try host.token($0.rawValue, [$0])) }
        let expired = try host.token("expired", [.admin], lasting: 1)
        let revoked = try host.token("revoked", [.admin])
        _ = try host.book.revoke("revoked", by: nil)
        host.advance(1)
        let other = AccessToken().text
        let file = try Data(contentsOf: URL(filePath: host.host.database + ".access"))
        for route in Route.all {
            for credentials in [[], ["Bearer \(other)"], ["Bearer \(expired)"], ["Bearer \(revoked)"]] {
                let answer = try await host.host.answer(to: Self.request(route, credentials))
                if route.permission == .health {
                    #expect(answer.status == 200, "\(route)")
                    continue
                }
                #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer", "\(route)")
                #expect(
                    try answer.told
                        == "401 unauthenticated: The request needs a valid token: 'Authorization: Bearer wfdt_…'")
            }
            for (role, token) in tokens where route != .streamAll && route != .revokeToken {
                let answer = try await host.host.answer(to: Self.request(route, ["Bearer \(token)"]))
                let isPermitted = route.permission == .health || Self.table[role]?.contains(route.permission) == true
                #expect((answer.status == 403) != isPermitted && answer.status != 401, "\(route) \(role)")
                if isPermitted { continue }
                let problem = try answer.object
                #expect(problem["permission"] == .string(route.permission.rawValue), "\(route) \(role)")
                let roles = Role.allCases.filter { Self.table[$0]?.contains(route.permission) == true }
                #expect(problem["roles"] == .array(roles.map { .string($0.rawValue) }))
            }
        }
        #expect(try Data(contentsOf: URL(filePath: host.host.database + ".access")) == file)
        #expect(try await host.host.engine.machineNames(by: .test).isEmpty)
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func theRefusalSaysWhatIsMissingAndWhoHasIt() async throws {
        let host = try await Host()
        let token = try host.token("shop", [.send])
        let answer = try await host.host.answer(to: Self.request(.applyDefinition, ["Bearer \(token)"]))
        let reason = "token:shop may not apply definition: that needs 'define', which deploy and admin have"
        #expect(try answer.told == "403 forbidden: \(reason)")
        let backup = try await host.host.answer(to: Self.request(.makeBackup, ["bearer  \(token)"]))
        let other = "token:shop may not make backup: that needs 'backup', which admin has"
        #expect(try backup.told == "403 forbidden: \(other)")
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func credentialsOfAnotherFormAreNone() async throws {
        let host = try await Host()
        let token = try host.token("shop", [.view])
        let good = "Bearer \(token)"
        let wrong: [[String]] = [
            [good, good], [good, "Bearer \(AccessToken().text)"], ["Basic \(token)"], [token], ["Bearer"], [""],
            ["Bearer \(token) \(token)"], ["Bearer \(token),"], ["Bearer \(token.dropLast())"],
            ["Bearer \(token)\(token)"], ["Bearer " + String(repeating: "a", count: 8 << 10)],
            ["Bearer " + token.dropLast() + (token.hasSuffix("a") ? "b" : "a")],
        ]
        for credentials in wrong {
            let answer = try await host.host.answer(to: Self.request(.listMachines, credentials))
            #expect(answer.status == 401, "\(credentials.map { $0.prefix(80) })")
        }
        for target in ["/v1/machines?access_token=\(token)", "/v1/machines?token=\(token)", "/nowhere"] {
            #expect(try await host.host.answer(to: .get(target)).status == 401)
        }
        let answer = try await host.host.answer(to: Self.request(.listMachines, [good]))
        #expect(answer.status == 200)
        // A byte that no field may have ends the request before anybody is asked.
        let odd = try await host.host.answer(to: Self.request(.listMachines, [good + "\u{0}"]))
        #expect(odd.status == 400)
        #expect(host.book.takeFailures()?.count == wrong.count + 3)
        try await host.host.stop()
    }

    /// A connection that is closed before its request is looked at has no address and no handlers any more.
    @Test(.timeLimit(.minutes(20)), arguments: [true, false])
    func whoSendsAndIsGoneMayDoNothingMore(isOnTCP: Bool) async throws {
        let host = try await Host(isOnTCP: isOnTCP)
        _ = try await host.host.engine.apply("{id: m, initial: a, states: {a: {on: {go: {}}}}}", syntax: .yaml)
        _ = try await host.host.engine.start(StartCommand(machine: "m", instance: "x", by: .test))
        let requests = [
            RawRequest.post("/v1/tokens", #"{"name": "bad", "roles": ["admin"]}"#),
            .post("/v1/instances/x/events", #"{"event": "go"}"#),
            .post("/v1/machines", "{id: n, initial: a, states: {a: {}}}", as: "application/yaml"),
        ]
        try await onOwnThread { [address = host.host.address] in
            for _ in 0..<50 {
                for request in requests {
                    let connection = try RawConnection(to: address)
                    if isOnTCP { connection.resetAtEnd() }
                    try connection.write(request.bytes)
                }
            }
            // Answered after the others were taken, because one loop may have them all.
            _ = try RawConnection(to: address).answer(to: .get("/livez"))
        }
        try await host.host.stop()
        let file = DatabaseFile(host.host.database)
        if isOnTCP {
            #expect(host.book.tokens.isEmpty)
            #expect(try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM journal") } == 1)
            #expect(try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM machine") } == 1)
        } else {
            // Over a socket the caller is a user, also when it has gone.
            let nobody = "SELECT count(*) FROM journal WHERE kind = 'event' AND actor NOT LIKE 'uid:%'"
            #expect(try file.read { try Int.fetchOne($0, sql: nobody) } == 0)
            #expect(host.book.tokens.allSatisfy { $0.createdBy?.hasPrefix("uid:") == true })
        }
    }

    @Test(.timeLimit(.minutes(20))) func aTokenThatEndsWhileItsBodyComesMakesNoOther() async throws {
        let host = try await Host()
        let token = try host.token("a", [.admin])
        let body = #"{"name": "b", "roles": ["admin"]}"#
        let head = """
            POST /v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
            Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n
            """
        let answer = try await onOwnThread { [address = host.host.address, book = host.book] in
            let connection = try RawConnection(to: address)
            try connection.write(Array(head.utf8))
            // The gate has admitted the head when the daemon asks for the body.
            _ = try connection.read(through: "100 Continue")
            _ = try book.revoke("a", by: nil)
            try connection.write(Array(body.utf8))
            return try connection.readToEnd()
        }
        #expect(!answer.contains("201") && !answer.contains("wfdt_0"), "\(answer)")
        #expect(host.book.tokens.isEmpty)
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aTokenThatEndsWhileItsEventComesSendsNothing() async throws {
        let host = try await Host()
        _ = try await host.host.engine.apply("{id: m, initial: a, states: {a: {on: {go: {}}}}}", syntax: .yaml)
        _ = try await host.host.engine.start(StartCommand(machine: "m", instance: "x", by: .test))
        let token = try host.token("shop", [.send, .view], lasting: 60_000)
        let body = #"{"event": "go"}"#
        let head = """
            POST \(Route.sendEvent.path("x")) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
            Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n
            """
        let answers = try await onOwnThread { [address = host.host.address] in
            try [Int64(0), 60_000].map { milliseconds in
                let connection = try RawConnection(to: address)
                try connection.write(Array(head.utf8))
                _ = try connection.read(through: "100 Continue\r\n\r\n")
                host.advance(milliseconds)
                try connection.write(Array(body.utf8))
                return try connection.readAnswer().status
            }
        }
        #expect(answers == [200, 401])
        #expect(try await host.host.engine.instance(named: "x", by: .test).record.seq.rawValue == 2)
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func nobodyIsAskedForABodyThatIsRefused() async throws {
        let host = try await Host()
        let token = try host.token("m", [.monitor])
        let request = RawRequest(
            "POST", "/v1/machines",
            headers: [
                ("Content-Type", "application/yaml"), ("Content-Length", "3"), ("Expect", "100-continue"),
                ("Authorization", "Bearer \(token)"),
            ])
        #expect(try await host.host.answer(to: request).status == 403)
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func monitoringSeesNumbersAndNoData() async throws {
        let host = try await Host()
        let machine = """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on:
                  go: {actions: {send: {event: count, data: {by: 0}}}}
                  count: {actions: {assign: {n: 10 / event.data.by}}}
            """
        _ = try await host.host.engine.apply(machine, syntax: .yaml)
        _ = try await host.host.engine.start(StartCommand(machine: "m", instance: "secret-name", by: .test))
        let event = RawRequest.post(
            Route.sendEvent.path("secret-name"), #"{"event": "go"}"#,
            headers: [("Authorization", "Bearer \(try host.token("shop", [.send]))")])
        #expect(try await host.host.answer(to: event).status == 200)
        for (role, sees) in [(Role.monitor, false), (.view, true)] {
            let token = try host.token(role.rawValue, [role])
            let answer = try await host.host.answer(to: Self.request(.status, ["Bearer \(token)"]))
            #expect(answer.status == 200)
            #expect(answer.text.contains("secret-name") == sees, "\(answer.text)")
            #expect(answer.text.contains(#"{"status":"failed","count":1}"#))
        }
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func requestsOnOneConnectionHaveEachTheirOwnActor() async throws {
        let host = try await Host()
        let (one, other) = (try host.token("one", [.send, .deploy]), try host.token("other", [.send]))
        _ = try await host.host.engine.apply("{id: m, initial: a, states: {a: {on: {go: {}}}}}", syntax: .yaml)
        _ = try await host.host.engine.start(StartCommand(machine: "m", instance: "x", by: .test))
        let tokens = [one, other, one, one, other]
        let requests = tokens.map { token in
            RawRequest.post(
                Route.sendEvent.path("x"), #"{"event": "go"}"#, headers: [("Authorization", "Bearer \(token)")])
        }
        let none = RawRequest.post(Route.sendEvent.path("x"), #"{"event": "go"}"#)
        // All at once, and among them one without a token.
        let answers = try await onOwnThread { [address = host.host.address] in
            let connection = try RawConnection(to: address)
            try connection.write(requests.flatMap(\.bytes) + none.bytes + requests[0].bytes)
            return try (0..<7).map { _ in try connection.readAnswer() }
        }
        #expect(answers.map(\.status) == [200, 200, 200, 200, 200, 401, 200])
        let history = try await host.host.answer(
            to: RawRequest("GET", Route.listHistory.path("x"), headers: [("Authorization", "Bearer \(one)")]))
        guard case .array(let rows)? = try history.object["items"] else { throw TestingError("no rows") }
        let actors = rows.map { $0.object?["actor"]?.string }
        let names = ["one", "other", "one", "one", "other", "one"].map { "token:\($0)" }
        #expect(actors == [nil] + names)
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aProxyNamesThePersonAndNobodyElseDoes() async throws {
        let host = try await Host()
        let (proxy, plain) = (try host.token("sso", [.view], speaksFor: true), try host.token("shop", [.admin]))
        func answer(_ token: String, _ people: [String]) async throws -> RawAnswer {
            try await host.host.answer(
                to: Self.request(.whoami, ["Bearer \(token)"], headers: people.map { ("Wfd-On-Behalf-Of", $0) }))
        }
        #expect(try await answer(proxy, ["ana@shop.example"]).object["actor"] == "token:sso(ana@shop.example)")
        #expect(try await answer(proxy, ["ana@shop.example"]).object["roles"] == ["view"])
        #expect(try await answer(proxy, []).object["actor"] == "token:sso")
        #expect(try await answer(plain, ["ana@shop.example"]).status == 403)
        for person in ["uid:0(root)", "ä", String(repeating: "a", count: 101), "", "a)b"] {
            #expect(try await answer(proxy, [person]).status == 400, "\(person.prefix(20))")
        }
        #expect(try await answer(proxy, ["ana", "bob"]).status == 400)
        #expect(try await answer(proxy, ["ana\r\nX: y"]).object["actor"] == "token:sso(ana)")
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aBoundTokenTakesTasksOfItsQueuesAlone() async throws {
        let host = try await Host()
        let token = try host.token("packer", [.work], queues: ["stock", "pack.*"])
        for (queue, status) in [("stock", 200), ("pack.a", 200), ("stocks", 403), ("other", 403)] {
            let request = RawRequest.post(
                Route.leaseTasks.path(queue), "{}", headers: [("Authorization", "Bearer \(token)")])
            #expect(try await host.host.answer(to: request).status == status, "\(queue)")
        }
        try await host.host.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: [nil, Role.monitor, .view])
    func withoutATokenACallerHasTheRoleThatTheAddressGives(anonymous: Role?) async throws {
        let host = try await Host(anonymous: anonymous)
        for (route, needs) in [(Route.metrics, Route.Permission.status), (.listMachines, .read), (.whoami, .status)] {
            let answer = try await host.host.answer(to: Self.request(route, []))
            let status = anonymous == nil ? 401 : anonymous?.permissions.contains(needs) == true ? 200 : 403
            #expect(answer.status == status, "\(route)")
        }
        try await host.host.stop()
    }
}

extension Mutex where Value == Int64 {
    /// A number that closures share.
    fileprivate final class Shared: Sendable {
        private let number = Mutex<Int64>(0)
        var value: Int64 {
            get { number.withLock { $0 } }
            set { number.withLock { $0 = newValue } }
        }
    }
}
