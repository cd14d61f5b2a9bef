import DaemonTesting
import IdentityTesting
import SQLiteStore
import Statechart
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests `GET /v1/audit` over real sockets.
@Suite(.timeLimit(.minutes(20))) struct AuditRoutesTests {
    private static let definition = "id: door\ninitial: open\nstates:\n  open: {}\n"

    /// Returns a host that did one thing after another over HTTP.
    private static func host() async throws -> ServerHost {
        let host = try await ServerHost()
        let json = [(name: "Content-Type", value: "application/json")]
        let requests: [RawRequest] = [
            .post("/v1/machines", definition, as: "application/yaml"),
            .post("/v1/instances", #"{"machine": "door", "instance": "d-1"}"#),
            .post("/v1/machines/door/active", #"{"version": 1}"#),
            RawRequest("DELETE", "/v1/instances/d-1?reason=asked%20for&confirm=d-1"),
            RawRequest(
                "PATCH", Route.setQueue.path("stock"), headers: json,
                body: Array(#"{"concurrency": 4, "new": true}"#.utf8)),
        ]
        for answer in try await host.answers(to: requests) {
            #expect((200...299).contains(answer.status), "\(answer.text)")
        }
        return host
    }

    /// Returns the actions on all pages of a list.
    private static func actions(_ query: String, _ host: ServerHost) async throws -> [String] {
        var actions: [String] = []
        var page = ""
        repeat {
            let answer = try await host.answer(to: .get("/v1/audit?\(query)\(page)"))
            #expect(answer.status == 200, "\(answer.text)")
            guard case .array(let items)? = try answer.object["items"] else { return ["no items"] }
            actions += items.map { $0.object?["action"]?.string ?? "" }
            page = try answer.object["nextPage"]?.string.map { "&page=\($0)" } ?? ""
        } while !page.isEmpty
        return actions
    }

    @Test func bothTablesAreOneListOfTheFieldsThatTheyHave() async throws {
        let host = try await Self.host()
        let answer = try await host.answer(to: .get("/v1/audit"))
        guard case .array(let items)? = try answer.object["items"] else { throw TestingError("\(answer.text)") }
        let fields = items.map { item in (item.object?.keys ?? []).filter { $0 != "actor" } }
        #expect(
            fields == [
                ["action", "at", "detail", "object"],
                ["action", "at", "digest", "machine", "reason", "rows", "uuid", "version"],
                ["action", "at", "detail", "object", "version"],
                ["action", "at", "object", "version"],
            ])
        guard items.count == 4 else { return }
        func value(_ place: Int, _ field: String) -> JSONValue? { items[place].object?[field] }
        #expect(value(0, "action") == "queue" && value(0, "object") == "task:stock")
        #expect(value(0, "detail") == "concurrency 4")
        #expect(value(1, "action") == "delete" && value(1, "machine") == "door" && value(1, "reason") == "asked for")
        #expect(value(2, "action") == "activate" && value(2, "detail") == "active: 1")
        #expect(value(3, "action") == "apply" && value(3, "object") == "door" && value(3, "version") == 1)
        for item in items { #expect(item.object?["actor"]?.string?.hasPrefix("uid:") == true) }
        try await host.stop()
    }

    @Test func theListIsFilteredAndPaged() async throws {
        let host = try await Self.host()
        let all = ["queue", "delete", "activate", "apply"]
        for limit in 1...5 { #expect(try await Self.actions("limit=\(limit)", host) == all) }
        for action in all { #expect(try await Self.actions("action=\(action)&limit=1", host) == [action]) }
        #expect(try await Self.actions("action=hold", host) == [])
        let answer = try await host.answer(to: .get("/v1/audit?limit=1"))
        guard case .array(let items)? = try answer.object["items"] else { throw TestingError("\(answer.text)") }
        let actor = try #require(items.first?.object?["actor"]?.string)
        let at = try #require(items.first?.object?["at"]?.string)
        let encoded = actor.replacing("(", with: "%28").replacing(")", with: "%29")
        #expect(try await Self.actions("actor=\(encoded)&limit=2", host) == all)
        #expect(try await Self.actions("actor=uid:7777", host) == [])
        #expect(try await Self.actions("since=\(at)", host).first == "queue")
        #expect(try await Self.actions("since=2200-01-01T00:00:00.000Z", host) == [])
        try await host.stop()
    }

    /// A filter that takes few rows reads a bounded number of them.
    @Test func aPageThatFindsNothingMayHaveANextOne() async throws {
        let host = try await Self.host()
        let file = DatabaseFile(host.database)
        let last = try file.number("SELECT next_position FROM store")
        try file.change(
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 24999)
            INSERT INTO change SELECT \(last) + i, 1, 1, 'x', 'hold', NULL, NULL, NULL, NULL, NULL FROM n
            """)
        let first = try await host.answer(to: .get("/v1/audit?action=apply")).object
        #expect(first["items"] == [] && first["nextPage"] != nil)
        #expect(try await Self.actions("action=apply", host) == ["apply"])
        #expect(try await Self.actions("action=delete", host) == ["delete"])
        try await host.stop()
    }

    @Test(arguments: [
        ("action=edit", "Parameter 'action' must be one of 'delete', 'apply', 'activate', "),
        ("since=yesterday", "Parameter 'since' must be a time as 2026-11-24T15:07:52.901Z, not 'yesterday'"),
        ("limit=0", "Parameter 'limit' must be"), ("who=me", "Unknown parameter 'who' (known here: action, actor, "),
    ])
    func aParameterThatIsWrongIsNamed(query: String, message: String) async throws {
        let host = try await ServerHost()
        let answer = try await host.answer(to: .get("/v1/audit?\(query)"))
        #expect(answer.status == 400)
        #expect(try answer.object["detail"]?.string?.contains(message) == true, "\(answer.text)")
        try await host.stop()
    }
}
