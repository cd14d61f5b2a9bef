import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowAccess
import WorkflowJSON

/// Tests pages of contents as large and as odd as wfd keeps them, and where all links lead.
@Suite(.timeLimit(.minutes(20))) struct ConsoleContentTests {
    /// The most bytes of a page, whatever it shows.
    private static let mostBytes = 1 << 20

    private static func ask(
        _ host: ConsoleHost, _ token: String, _ target: String, _ body: String
    ) async throws -> RawAnswer {
        let answer = try await host.server.answer(
            to: .post(target, body, headers: [("Authorization", "Bearer \(token)")]))
        #expect((200..<300).contains(answer.status), "\(target) \(answer.status) \(answer.text.prefix(500))")
        return answer
    }

    private static func page(_ host: ConsoleHost, _ target: String, _ cookie: String) async throws -> String {
        let page = try await host.get(target, cookie)
        #expect(page.status == 200, "\(target) \(page.status)")
        #expect(page.body.count <= mostBytes, "\(target) has \(page.body.count) bytes")
        return page.text
    }

    @Test func dataOfAMebibyteIsShownInPart() async throws {
        let host = try await ConsoleHost()
        let admin = try host.token("admin", [.admin])
        let definition = """
            {"id": "m", "initial": "a", "context": {"note": ""}, "states": {"a": {"on": {"keep": {
                "actions": [{"assign": {"note": "event.data.note"}}]}, "fall": {"guard": "int(event.data.note) > 0"}}}}}
            """
        _ = try await Self.ask(host, admin, "/v1/machines", definition)
        // In HTML some of these have 4 characters and more.
        let note = String(repeating: "<é\u{202E}\u{200B}", count: 100_000)
        let data = JSONWriter.string(JSONValue.object(["note": .string(note)]))
        for name in ["i-0", "i-1", "i-2", "i-3"] {
            _ = try await Self.ask(host, admin, "/v1/instances", #"{"machine": "m", "instance": "\#(name)"}"#)
            for _ in 1...3 {
                _ = try await Self.ask(
                    host, admin, "/v1/instances/\(name)/events", #"{"event": "keep", "data": \#(data)}"#)
            }
        }
        let failed = RawRequest.post(
            "/v1/instances/i-3/events", #"{"event": "fall", "data": \#(data)}"#,
            headers: [("Authorization", "Bearer \(admin)")])
        #expect(try await host.server.answer(to: failed).status < 500)
        let cookie = try await host.session(admin)
        for name in ["i-0", "i-3"] {
            for query in ["", "?seq=2"] {
                let page = try await Self.page(host, "/console/instances/\(name)\(query)", cookie)
                #expect(page.contains("The rest is left out here"))
                #expect(!page.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{200B}" })
            }
        }
        for target in ["/console/", "/console/instances", "/console/machines/m", "/console/activity"] {
            _ = try await Self.page(host, target, cookie)
        }
        try await host.server.stop()
    }

    @Test func theLongestNamesHaveTheirLinks() async throws {
        let host = try await ConsoleHost()
        let admin = try host.token("admin", [.admin])
        func name(_ first: String) -> String { first + String(repeating: "n", count: 200 - first.utf8.count) }
        let (machine, instance, event, state, queue) = (name("m"), name("i"), name("e"), name("s"), name("q"))
        let definition = """
            {"id": "\(machine)", "initial": "\(state)", "states": {"\(state)": {"on": {"\(event)": "b"}},
             "b": {"invoke": {"task": "\(queue)"}}}}
            """
        _ = try await Self.ask(host, admin, "/v1/machines", definition)
        _ = try await Self.ask(host, admin, "/v1/instances", #"{"machine": "\#(machine)", "instance": "\#(instance)"}"#)
        _ = try await Self.ask(host, admin, "/v1/instances/\(instance)/events", #"{"event": "\#(event)"}"#)
        let cookie = try await host.session(admin)
        for (target, word) in [
            ("/console/instances/\(instance)", event), ("/console/instances/\(instance)?seq=1", state),
            ("/console/machines/\(machine)", state), ("/console/machines", machine), ("/console/instances", instance),
            ("/console/effects", queue), ("/console/queues", queue), ("/console/", machine),
        ] {
            #expect(try await Self.page(host, target, cookie).contains(word), "\(target)")
        }
        let list = try await Self.page(host, "/console/instances", cookie)
        #expect(list.contains(#"href="/console/instances/\#(instance)""#))
        try await host.server.stop()
    }

    @Test func tenThousandConfigurationsAreCountedInAPageOfTheUsualSize() async throws {
        let made = try await ConsoleHost()
        let admin = try made.token("admin", [.admin])
        let states = (0..<100).map { #""s\#($0)": {}"# }.joined(separator: ", ")
        let region = #"{"initial": "s0", "states": {\#(states)}}"#
        let definition = #"{"id": "m", "type": "parallel", "states": {"a": \#(region), "b": \#(region)}}"#
        _ = try await Self.ask(made, admin, "/v1/machines", definition)
        try await made.server.stop()
        // The rows are as the engine writes them; making as many instances would take minutes.
        try DatabaseFile(made.server.database).changeUnchecked(
            """
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 9999)
            INSERT INTO tally (machine_id, status, state, n)
            SELECT (SELECT id FROM machine), 'running', 'a.s' || (n / 100) || ',b.s' || (n % 100), 3 FROM number
            """)
        let host = try await ConsoleHost(database: made.server.database)
        let cookie = try await host.session(admin)
        for target in ["/console/", "/console/machines/m"] {
            let page = try await Self.page(host, target, cookie)
            #expect(page.contains(">30000<"), "\(target)")
        }
        try await host.server.stop()
    }

    @Test func everyLinkAndFormStaysInTheConsole() async throws {
        let host = try await ConsoleHost()
        let admin = try host.token("admin", [.admin])
        let definition = """
            {"id": "m", "description": "javascript:alert(1) //evil.example", "initial": "a", "states": {"a": {"on": {
              "go": "b", "stay": {}, "fall": {"guard": "int('x') > 0"}}, "after": {"30d": "b"}},
              "b": {"invoke": {"task": "q"}}}}
            """
        for _ in 1...2 { _ = try await Self.ask(host, admin, "/v1/machines", definition) }
        for name in ["x", "y", "z"] {
            _ = try await Self.ask(host, admin, "/v1/instances", #"{"machine": "m", "instance": "\#(name)"}"#)
        }
        _ = try await Self.ask(host, admin, "/v1/instances/y/events", #"{"event": "go"}"#)
        let reason = #""reason": "javascript:alert(1) //evil.example""#
        _ = try await Self.ask(host, admin, "/v1/instances/z/suspend", "{\(reason)}")
        let select = #"{"machine": "m", "status": "running"}"#
        _ = try await Self.ask(
            host, admin, "/v1/bulk",
            #"{"run": "r", "action": {"verb": "suspend"}, "select": \#(select), \#(reason)}"#)
        let cookie = try await host.session(admin)
        var (seen, line): (Set<String>, [String]) = (["/console/"], [""])
        let addresses = /(href|action|src|formaction|poster|data|data-stream)="([^"]*)"/
        // Hostile queries are repeated in links and forms.
        for query in ["javascript%3Aalert(1)", "%2F%2Fevil.example", "%22%3E%3Ca%20href%3D%2F%2Fevil%3E"] {
            line += ["machine", "state", "failure", "prefix", "where", "page"].map { "instances?\($0)=\(query)" }
            line += ["activity?actor=\(query)", "effects?queue=\(query)", "instances/\(query)"]
        }
        while let target = line.popLast() {
            let page = try await host.get("/console/\(target)", cookie)
            #expect(page.status < 500, "\(target) \(page.status)")
            for match in page.text.matches(of: addresses) {
                let link = String(match.2).replacing("&amp;", with: "&")
                let isPlain = link.hasPrefix("/console/") || link.hasPrefix("#")
                #expect(isPlain && !link.contains("//") && !link.contains(".."), "\(target) \(link)")
                // The forms of acts are sent by other tests.
                let isPage = match.1 == "href" && link.hasPrefix("/console/")
                if isPage, seen.count < 400, seen.insert(link).inserted {
                    line.append(String(link.dropFirst("/console/".count)))
                }
            }
        }
        #expect(seen.count > 20)
        try await host.server.stop()
    }
}
