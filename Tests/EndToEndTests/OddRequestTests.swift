import DaemonTesting
import Testing
import WorkflowAPI

/// Tests that a request is answered whatever its head and its body are: no process ends, and no fault is reported.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct OddRequestTests {
    @Test func everyHeaderOfEveryRouteMayBeOdd() async throws {
        let stage = try await OddRequestStage()
        var kinds: Set<String> = []
        for route in Route.all {
            // Headers are read in one place for all routes of a kind: each of its others gets a few values.
            let isFirst = kinds.insert(Self.kind(of: route)).inserted
            let requests = (OddRequests.readHeaders + OddRequests.otherHeaders).flatMap { name in
                let isWhole = isFirst && OddRequests.readHeaders.contains(name)
                let values = isWhole ? OddRequests.headerValues : OddRequests.fewValues
                return values.map { OddRequestStage.request(route, odd: [(name, $0)]) }
                    + [OddRequestStage.request(route, odd: [(name, Array("a".utf8)), (name, [])])]
            }
            try await stage.send([OddRequestStage.request(route)] + requests)
        }
        try await stage.end()
    }

    /// Returns the kinds of a route's method, body and answer.
    private static func kind(of route: Route) -> String {
        let answer = String(describing: route.answer).prefix { $0 != "(" }
        return "\(route.method.rawValue) \(route.body.mediaTypes ?? "") \(answer)"
    }

    /// Each request has its own connection, because nobody knows where it ends.
    @Test func everyHeaderThatSaysWhereARequestEndsMayBeOdd() async throws {
        let stage = try await OddRequestStage()
        let routes: [Route] = [.live, .showInstance, .sendEvent, .sendEvents, .reportTasks, .completeTask, .runBulk]
        for route in routes + [.applyDefinition] {
            let requests = OddRequests.framing.flatMap { name in
                OddRequests.headerValues.map { OddRequestStage.request(route, odd: [(name, $0)]) }
                    + [OddRequestStage.request(route, odd: [(name, Array("1".utf8)), (name, Array("2".utf8))])]
            }
            try await stage.send([OddRequestStage.request(route)] + requests)
        }
        try await stage.end()
    }

    @Test func everyParameterOfEveryQueryMayBeOdd() async throws {
        let stage = try await OddRequestStage()
        for route in Route.all {
            let path = route.template.path(OddRequestStage.parts(of: route))
            let requests = (route.query ?? ["a"]).flatMap { name in
                // A request that waits for an event that never comes waits no longer than it says.
                OddRequests.queryValues(of: name).filter { name != "wait" || $0 != "1" }.map {
                    OddRequestStage.request(route, target: "\(path)?\(name)=\($0)")
                } + [OddRequestStage.request(route, target: "\(path)?\(name)=1&\(name)=1")]
            }
            try await stage.send([OddRequestStage.request(route)] + requests)
        }
        try await stage.end()
    }

    @Test func everyPartOfEveryPathMayBeOdd() async throws {
        let stage = try await OddRequestStage()
        for route in Route.all {
            let parts = OddRequestStage.parts(of: route)
            let words = route.template.description.split(separator: "/", omittingEmptySubsequences: false)
            let requests = parts.indices.flatMap { place in
                OddRequests.pathValues(of: route.template.parameters[place]).map { value in
                    var parts = parts
                    parts[place] = value
                    var rest = parts[...]
                    let target = words.map { $0.hasPrefix("{") ? rest.popFirst() ?? "" : String($0) }
                    return OddRequestStage.request(route, target: target.joined(separator: "/"))
                }
            }
            try await stage.send([OddRequestStage.request(route)] + requests)
        }
        try await stage.end()
    }

    @Test func everyValueOfEveryBodyMayBeOdd() async throws {
        let stage = try await OddRequestStage()
        for route in Route.all {
            guard let body = OddRequestStage.body(for: route) else { continue }
            let requests = OddRequests.variants(of: body).map { OddRequestStage.request(route, body: $0) }
            try await stage.send([OddRequestStage.request(route)] + requests)
        }
        try await stage.end()
    }
}
