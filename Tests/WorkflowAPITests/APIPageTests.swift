import ManualTesting
import Testing
import WorkflowAPI

/// Tests that `docs/api.md` has exactly the problems and the exit codes of the code, and a request for each route.
struct APIPageTests {
    private static let page = ManualPage.page("docs/api.md")

    @Test func everyProblemTypeStandsBesideItsStatus() {
        var documented: [String] = []
        for row in Self.page.section("## Problems") {
            let cells = row.split(separator: "|").map(String.init)
            guard cells.count == 3, !row.hasPrefix("| ---"), !row.hasPrefix("| situation") else { continue }
            let statuses = Set(cells[1].matches(of: /\d+/).compactMap { Int($0.0) })
            let names = cells[2].matches(of: /`([^`]+)`/).map { String($0.1) }
            documented += names
            // A type that does not exist is missing from the statuses, too.
            #expect(statuses == Set(names.compactMap { ProblemType(rawValue: $0)?.status }), "\(row)")
        }
        #expect(documented.sorted() == ProblemType.allCases.map(\.rawValue).sorted())
    }

    @Test func everyExitCodeStandsThere() {
        let rows = Self.page.section("## Exit codes").prefix { $0 != "| code | of `wfd` |" }
        let documented = rows.compactMap { $0.firstMatch(of: /^\| (\d+) \|/).flatMap { Int32($0.1) } }
        #expect(documented == CommandExit.allCases.map(\.rawValue))
    }

    @Test func everyRouteHasARequest() {
        // A stream has no end that a page could show: docs/streaming.md reads one.
        // The API's description is a page of its own.
        let routes = Route.all.filter { ![.streamAll, .streamInstance, .openAPI].contains($0) }
        for route in routes {
            let found = RouteExample.requests.filter { RouteExample.isRequest($0, of: route) }
            #expect(found.count == 1, "\(route)")
        }
        #expect(RouteExample.requests.count == routes.count)
    }
}
