import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowServer

/// Tests what the page of a machine, the overview and the activity show beyond their lists.
@Suite(.timeLimit(.minutes(20))) struct ConsoleMachineTests {
    private static let first = """
        id: m
        initial: a
        states:
          a: {on: {go: b, boom: c}}
          b: {}
          c: {after: {1ms: {guard: 'int("x") > 0', target: b}}}

        """
    private static let second = first.replacing("  b: {}", with: "  b: {on: {back: a}}")

    /// A host with two versions of a machine: two instances of the first are in `a`, one of the second failed in `c`.
    private func host() async throws -> (ConsoleHost, cookie: String) {
        let host = try await ConsoleHost()
        let admin = try host.token("admin", [.admin])
        func ask(_ target: String, _ body: String, as type: String = "application/json") async throws {
            let headers = [(name: "Authorization", value: "Bearer \(admin)")]
            let answer = try await host.server.answer(to: .post(target, body, as: type, headers: headers))
            #expect((200..<300).contains(answer.status), "\(target) \(answer.text)")
        }
        try await ask("/v1/machines", Self.first, as: "application/yaml")
        for name in ["x", "y"] { try await ask("/v1/instances", #"{"machine": "m", "instance": "\#(name)"}"#) }
        try await ask("/v1/machines", Self.second, as: "application/yaml")
        try await ask("/v1/instances", #"{"machine": "m", "instance": "z"}"#)
        try await ask("/v1/instances/z/events", #"{"event": "boom"}"#)
        var wait = RawRequest.get("/v1/instances/z/history?after=2&wait=60")
        wait.headers.append(("Authorization", "Bearer \(admin)"))
        #expect(try await host.server.answer(to: wait).text.contains("\"kind\":\"failed\""))
        return (host, try await host.session(admin))
    }

    @Test func theDrawingCountsTheInstancesOfEachState() async throws {
        let (host, cookie) = try await host()
        let page = try await host.get("/console/machines/m", cookie).text
        #expect(page.contains("<a class=\"badge\" href=\"/console/instances?machine=m&amp;state=a\">"))
        #expect(
            page.contains("<title>a: 2 instances</title>") && page.contains("<title>c: 1 instance, 1 failed</title>"))
        #expect(page.contains("<a class=\"badge grave\" href=\"/console/instances?machine=m&amp;state=c\">"))
        #expect(page.contains(">1 !</text>") && page.contains("of all versions; &#39;!&#39; says"))
        // The numbers of one version, and a drawing that the browser has with other numbers.
        let own = try await host.get("/console/machines/m?version=1", cookie).text
        #expect(own.contains("href=\"/console/instances?machine=m&amp;version=1&amp;state=a\""))
        #expect(!own.contains("badge grave") && own.contains("of version 1;"))
        let keys = [page, own].compactMap { $0.firstMatch(of: /data-drawing=.(m@\d [0-9a-f]+)/)?.1 }
        #expect(keys.count == 2 && keys[0] != keys[1])
        let same = try await host.get("/console/machines/m", cookie, [("Wfd-Parts", String(keys[0]))]).text
        #expect(!same.contains("<svg") && same.contains("data-drawing=\"\(keys[0])\""))
        try await host.server.stop()
    }

    @Test func theSourceHasLinesAndVersionsDiffer() async throws {
        let (host, cookie) = try await host()
        let page = try await host.get("/console/machines/m?version=2&against=1", cookie).text
        #expect(page.contains("What differs from version 1 to version 2"))
        #expect(page.contains("<span class=\"line removed\">   5      -   b: {}\n</span>"))
        #expect(page.contains("<span class=\"line added\">        5 +   b: {on: {back: a}}\n</span>"))
        #expect(page.contains("id=\"L5\"") && page.contains("wfctl machine source m --version 2"))
        #expect(page.contains("<code>diff -u &lt;(wfctl machine source m --version 1)"))
        // The audit names who applied each version, and the tally counts its instances.
        #expect(page.contains("<td>token:admin</td>"))
        #expect(page.contains("href=\"/console/instances?machine=m&amp;version=1\">2</a>"))
        #expect(page.contains("href=\"/console/instances?machine=m&amp;version=2&amp;status=failed\">1</a>"))
        let missing = try await host.get("/console/machines/m?against=7", cookie)
        #expect(missing.status == 200 && missing.text.contains("has no version 7"))
        #expect(try await host.get("/console/machines/m?against=x", cookie).status == 400)
        let list = try await host.get("/console/instances?machine=m&version=2", cookie).text
        #expect(list.contains("<code>wfctl list --machine m --version 2</code>"))
        #expect(list.contains("/console/instances/z") && !list.contains("/console/instances/x"))
        let overview = try await host.get("/console/", cookie).text
        #expect(overview.contains("machine=m&amp;version=2&amp;status=failed&amp;failure="))
        try await host.server.stop()
    }

    @Test func staysAreCountedOnRequest() async throws {
        let (host, cookie) = try await host()
        let closed = try await host.get("/console/machines/m", cookie).text
        #expect(closed.contains("stats=30d\">last 30 days</a>") && !closed.contains("Stays in each state"))
        let page = try await host.get("/console/machines/m?stats=7d", cookie).text
        #expect(page.contains("<code>wfctl stats m --since 7d</code>") && page.contains("Stays in each state"))
        #expect(page.contains("aria-current=\"page\">last 7 days</a>"))
        #expect(page.contains("<tr><th scope=\"row\"><code>boom</code></th><td>1</td>"))
        let all = try await host.get("/console/machines/m?stats=all&version=2", cookie).text
        #expect(all.contains("<code>wfctl stats m --version 2</code>") && all.contains("are counted."))
        let wrong = try await host.get("/console/machines/m?stats=1y", cookie)
        #expect(wrong.status == 200 && wrong.text.contains("must be one of 24h, 7d, 30d and all"))
        try await host.server.stop()
    }

    @Test func theDrawingCountsOnRequestHowOftenItsArrowsAreTaken() async throws {
        let (host, cookie) = try await host()
        func numbers(_ target: String, _ headers: [(String, String)] = []) async throws -> [String] {
            let page = try await host.get(target, cookie, headers).text
            let arrow = /data-source="(.)" data-target="(.)"(?:(?!<\/g>)[\s\S])*?class="count"[^>]*>([^<]*)</
            return page.matches(of: arrow).map { "\($0.1)>\($0.2) \($0.3)" }.sorted()
        }
        #expect(try await numbers("/console/machines/m") == [])
        #expect(try await numbers("/console/machines/m?stats=7d") == ["a>b 0×", "a>c 1×", "b>a 0×", "c>b 0×"])
        #expect(try await numbers("/console/machines/m?stats=all&version=1") == ["a>b 0×", "a>c 0×", "c>b 0×"])
        let page = try await host.get("/console/machines/m?stats=7d", cookie).text
        #expect(page.contains("taken once</title>") && page.contains("in the rows that are counted below"))
        // A drawing with other numbers is another one; the same is not sent again.
        let admin = try host.token("more", [.admin])
        let key = try #require(page.firstMatch(of: /data-drawing=.(m@\d [0-9a-f]+)/)?.1)
        let parts = [("Wfd-Parts", String(key))]
        #expect(!(try await host.get("/console/machines/m?stats=7d", cookie, parts).text.contains("<svg")))
        try await host.ask("/v1/instances/x/events", #"{"event": "boom"}"#, admin)
        #expect(try await numbers("/console/machines/m?stats=7d", parts).contains("a>c 2×"))
        try await host.server.stop()
    }

    @Test func aFoldedStateIsALinkThatOpensIt() async throws {
        let (host, cookie) = try await host()
        // Arrows from each state to the end make the drawing wide.
        let groups = (0..<10).map { group in
            let steps = (0..<8).map {
                "s\($0): {on: {next: s\(($0 + 1) % 8), stop: '#end'}, after: {\($0 + 1)h: s0}}"
            }
            let inner = steps.joined(separator: ", ") + ", last: {type: final}"
            return "g\(group): {initial: s0, on: {done: g\((group + 1) % 10), cancel: end}, states: {\(inner)}}"
        }
        let states = groups.joined(separator: ", ") + ", end: {id: end, type: final}"
        let text = "{id: wide, initial: g0, states: {\(states)}}"
        let admin = try host.token("deploy", [.admin])
        let headers = [(name: "Authorization", value: "Bearer \(admin)")]
        for (target, body) in [
            ("/v1/machines", text), ("/v1/instances", #"{"machine": "wide", "instance": "w"}"#),
        ] {
            let type = target == "/v1/machines" ? "application/yaml" : "application/json"
            _ = try await host.server.answer(to: .post(target, body, as: type, headers: headers))
        }
        let folded = try await host.get("/console/machines/wide", cookie).text
        #expect(folded.contains("href=\"/console/machines/wide?open=g3\"") && !folded.contains("data-state=\"g3.s4\""))
        let open = try await host.get("/console/machines/wide?version=1&open=g3", cookie).text
        #expect(open.contains("data-state=\"g3.s4\"") && open.contains("href=\"/console/machines/wide?version=1\""))
        #expect(open.contains("href=\"/console/machines/wide?version=1&amp;open=g3&amp;open=g5\""))
        // The page of an instance shows where it is.
        let instance = try await host.get("/console/instances/w", cookie).text
        #expect(instance.contains("data-state=\"g0.s0\"") && !instance.contains("data-state=\"g3.s4\""))
        #expect(instance.contains("href=\"/console/instances/w?open=g3\""))
        try await host.server.stop()
    }

    @Test func theActivityTakesSpansAndProblemsLeadOn() async throws {
        let (host, cookie) = try await host()
        let page = try await host.get("/console/activity?since=1d&action=apply", cookie).text
        #expect(page.contains("<code>wfctl audit --since 1d --action apply</code>") && page.contains("token:admin"))
        #expect(page.contains("is in its history."))
        #expect(try await host.get("/console/activity?since=2100-01-01", cookie).text.contains("Nothing like that"))
        let wrong = try await host.get("/console/activity?since=soon", cookie)
        #expect(wrong.status == 400 && wrong.text.contains("or a span until now"))
        let missing = try await host.get("/console/instances/none", cookie)
        #expect(missing.status == 404 && missing.text.contains("Instance whose name begins with"))
        #expect(missing.text.contains("<a href=\"/console/machines\">all machines</a>"))
        try await host.server.stop()
    }

    @Test func aPageHasOneFormatOfTimes() async throws {
        let (host, cookie) = try await host()
        let admin = try host.token("ops", [.admin])
        for target in ["/v1/machines/m/suspend", "/v1/instances/x/suspend"] {
            let headers = [(name: "Authorization", value: "Bearer \(admin)")]
            _ = try await host.server.answer(to: .post(target, #"{"reason": "OPS-1"}"#, headers: headers))
        }
        for target in ["machines", "machines/m", "instances/x", "instances/z", "activity", ""] {
            let page = try await host.get("/console/\(target)", cookie).text
            let outside = page.replacing(/<[^>]*>/, with: " ")
            #expect(outside.firstMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d/) == nil, "\(target)")
        }
        try await host.server.stop()
    }
}
