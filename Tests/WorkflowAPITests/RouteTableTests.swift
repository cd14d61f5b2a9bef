import Foundation
import Testing
import WorkflowAPI

/// Tests the only table of routes, and the pages that are made from it.
struct RouteTableTests {
    @Test(arguments: [
        ("order-1042", "/v1/instances/order-1042"),
        ("a:b@c_d.e", "/v1/instances/a%3Ab%40c_d.e"),
        ("a/b?c#d e", "/v1/instances/a%2Fb%3Fc%23d%20e"),
        ("é\n", "/v1/instances/%C3%A9%0A"),
        (".", "/v1/instances/%2E"), ("..", "/v1/instances/%2E%2E"), ("...", "/v1/instances/..."),
        ("x~1", "/v1/instances/x~1"),
    ])
    func namesAreEncodedAsOneSegment(name: String, path: String) {
        #expect(Route.showInstance.path(name) == path)
    }

    @Test func valuesStandWhereTheirParametersDo() {
        #expect(Route.showMachineVersion.path("order", "3") == "/v1/machines/order/versions/3")
        #expect(Route.showMachineVersion.template.parameters == ["machine", "version"])
        #expect(Route.sendEvent.path("o") == "/v1/instances/o/events")
        #expect(Route.verifyAll.path() == "/v1/verify" && Route.ready.path() == "/readyz")
    }

    @Test(arguments: [
        ("/v1/instances/o/events", "o"), ("/v1/instances/a:b/events", "a:b"), ("/v1/instances/events/events", "events"),
    ])
    func aPlainPathGivesItsOnlyValue(path: String, value: String) {
        #expect(Route.sendEvent.template.onlyValue(in: path) == value)
    }

    @Test(arguments: [
        "/v1/instances//events", "/v1/instances/events", "/v1/instances/a/b/events", "/v1/instances/a%20b/events",
        "/v1/instances/a/events?x=1", "/v1/instances/a/events#x", "/v1/instances/a/event", "/v2/instances/a/events",
        "/v1/instances/a/events/", "",
    ])
    func anyOtherPathGivesNone(path: String) {
        #expect(Route.sendEvent.template.onlyValue(in: path) == nil)
    }

    @Test func noRouteStandsTwice() {
        #expect(Set(Route.all).count == Route.all.count)
        #expect(Set(Route.all.map(\.description)).count == Route.all.count)
        for route in Route.all {
            #expect(Set(route.problems).count == route.problems.count, "\(route)")
            #expect(Set(route.problems).isDisjoint(with: Route.commonProblems), "\(route)")
        }
    }

    @Test func whatTheGateLetsThroughBeforeAnybodyIsKnownIsHealth() {
        #expect(Set(Route.all.filter { $0.permission == .health }) == [.live, .ready, .openAPI])
        #expect(Route.all.filter { $0.query == nil }.allSatisfy { $0.permission == .health })
    }

    /// `docs/routes.md` is written from the table. If it differs, the expected text is in `.build/routes.md`.
    @Test func theDocumentedTableIsThisOne() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = RouteDocument.text
        if try String(contentsOf: root.appending(path: "docs/routes.md"), encoding: .utf8) != text {
            try Data(text.utf8).write(to: root.appending(path: ".build/routes.md"))
            Issue.record("docs/routes.md is not what the table says; copy .build/routes.md")
        }
    }
}

/// The table of routes as a page.
private enum RouteDocument {
    static var text: String {
        let common = list(Route.commonProblems)
        let rows = Route.all.map(row).joined(separator: "\n")
        let here = Route.all.filter { $0.place == .here }
            .map { "`\($0.method.rawValue) \($0.template)`" }.joined(separator: ", ")
        return """
            # Routes

            Every request that wfd takes. This page is written from the table that server and client read
            (`Sources/WorkflowAPI/Routes/RouteTable.swift`), and a test compares it with the table.

            `?` marks a field that may be missing. [openapi.json](openapi.json) has the meaning of all fields, types, bounds and
            words; the daemon answers it at `GET /openapi.json`. `Idempotency-Key` goes with starts, events and what is said of
            effects, `If-Match: "SEQ"` and `Prefer: return=minimal` with an event of one instance. A permission is what
            the caller's roles must have: [Access](access.md#roles). A method that
            a path does not take is answered `method-not-allowed`, with `Allow`; `OPTIONS` names those that it takes. Any
            route may have these problems beside its own:

            \(common)

            Of several daemons with one database, the one that receives a request answers these itself:
            \(here). It forwards all others to the owner of the data.

            | request | body | query | answer | permission | problems |
            | --- | --- | --- | --- | --- | --- |
            \(rows)

            """
    }

    private static func row(_ route: Route) -> String {
        let body =
            switch route.body {
            case .none: ""
            case .object(let form): "`\(form.text)`"
            case .value(let form): "\(form.text): any JSON; no body is null"
            case .lines(let form): "lines of `\(form.text)`, as `\(LineStream.mediaType)`"
            case .objectOrLines(let form, let other):
                "`\(form.text)`, or lines of it, then `\(other.text)`, as `\(LineStream.mediaType)`"
            case .definition: "a definition, as `application/yaml` or `application/json`"
            }
        let answer =
            switch route.answer {
            case .object(let form): form.text
            case .lines(let form): "lines: \(form.text)"
            case .events(let form): "events: \(form.text)"
            case .bytes(let form): "bytes: \(form)"
            case .nothing: "204"
            }
        let query = route.query.map { $0.map { "`\($0)`" }.joined(separator: ", ") } ?? "anything"
        let cells = ["`\(route)`", body, query, answer, route.permission.rawValue, list(route.problems)]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func list(_ problems: [ProblemType]) -> String {
        problems.map { "`\($0.rawValue)`" }.joined(separator: ", ")
    }
}
