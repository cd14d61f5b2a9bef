import DaemonTesting
import IdentityTesting
import Statechart
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// A request that must be refused, and the complete answer.
struct BadRequest: Sendable {
    let request: RawRequest
    let type: ProblemType
    /// The problem's detail, in which `NOW` stands for the daemon's time.
    let detail: String
    /// Further fields of the problem.
    let fields: JSONObject

    init(_ request: RawRequest, _ type: ProblemType, _ detail: String, _ fields: JSONObject = [:]) {
        self.request = request
        self.type = type
        self.detail = detail
        self.fields = fields
    }
}

/// A server with a few machines and instances, on which bad requests have no effect.
struct BadRequestStage {
    /// A machine whose start never becomes stable.
    private static let whirl = """
        id: whirl
        initial: round
        states:
          round:
            entry: {raise: go}
            on: {go: {target: round, reenter: true}}
        """

    private let host: ServerHost

    init() async throws {
        host = try await ServerHost()
        for machine in [BadRequestMachines.order, BadRequestMachines.traps, Self.whirl] {
            _ = try await host.engine.apply(machine, syntax: .yaml)
        }
        for (machine, name) in [("order", "order-1"), ("order", "order-9"), ("order", "finished"), ("traps", "trap")] {
            _ = try await host.engine.start(StartCommand(machine: machine, instance: name))
        }
        for event in ["submit", "reject"] {
            _ = try await host.engine.send(SendCommand(instance: "finished", event: Event(name: event)))
        }
    }

    /// Sends one request on a connection of its own.
    func answer(to request: RawRequest) async throws -> RawAnswer {
        try await host.answer(to: request)
    }

    /// Sends each request. The answer must be the problem to the letter, and the file must not change.
    func expect(_ cases: [BadRequest]) async throws {
        let file = DatabaseFile(host.database)
        let before = try file.dump()
        for bad in cases {
            let name = "\(bad.request.method) \(bad.request.target.prefix(100))"
            if let route = Route.all.first(where: { bad.request.isFor($0) }) {
                let known = Route.commonProblems + route.problems
                #expect(known.contains(bad.type), "\(route) does not name '\(bad.type.rawValue)'")
            }
            let answer = try await answer(to: bad.request)
            var problem = try answer.object
            #expect(answer.headers["content-type"] == "application/problem+json", "\(name)")
            #expect(answer.status == bad.type.status, "\(name)")
            #expect(answer.headers["retry-after"] == nil, "\(name)")
            var expected = bad.fields
            expected["type"] = .string(bad.type.rawValue)
            expected["title"] = .string(bad.type.title)
            expected["status"] = .int(Int64(bad.type.status))
            expected["detail"] = .string(bad.detail)
            if case .string(let told)? = problem["detail"], bad.detail.contains("it is NOW here") {
                problem["detail"] = .string(told.replacing(/it is \d{4}-\S+Z here/, with: "it is NOW here"))
            }
            // Members that only the state of a refusal decides are compared only where a case names them.
            for key in ["machine", "instance", "state", "seq", "accepted"] where expected[key] == nil {
                problem[key] = nil
            }
            #expect(problem == expected, "\(name)")
            #expect(try file.dump() == before, "\(name)")
        }
    }
}

extension RawRequest {
    /// Returns true if the path matches a route's, parameter by parameter.
    fileprivate func isFor(_ route: Route) -> Bool {
        func words(_ path: some StringProtocol) -> [Substring] {
            Substring(path.prefix { $0 != "?" }).split(separator: "/", omittingEmptySubsequences: false)
        }
        let (written, template) = (words(target), words(route.template.description))
        return method == route.method.rawValue && written.count == template.count
            && zip(written, template).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }
}

extension BadRequest {
    /// Returns an event for `order-1` that must be refused.
    static func event(
        _ body: String, _ type: ProblemType, _ detail: String, _ fields: JSONObject = [:],
        to instance: String = "order-1", headers: [(name: String, value: String)] = [], query: String = ""
    ) -> BadRequest {
        BadRequest(
            .post("/v1/instances/\(instance)/events\(query)", body, headers: headers), type, detail, fields)
    }

    /// Returns a start that must be refused.
    static func start(
        _ body: String, _ type: ProblemType, _ detail: String, _ fields: JSONObject = [:]
    ) -> BadRequest {
        BadRequest(.post("/v1/instances", body), type, detail, fields)
    }

    /// Returns a GET that must be refused.
    static func get(
        _ target: String, _ type: ProblemType, _ detail: String, _ fields: JSONObject = [:]
    ) -> BadRequest {
        BadRequest(.get(target), type, detail, fields)
    }
}
