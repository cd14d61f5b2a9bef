import HTTPTypes
import Hummingbird
import HummingbirdCore
import WorkflowAPI
import WorkflowEngine
import WorkflowSpelling
import WorkflowStore

/// Admits requests, and turns every error into a problem.
struct ProblemMiddleware: RouterMiddleware {
    let gate: RequestGate
    let problems: ProblemAnswers

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            context.admission = try gate.admit(request.head, from: context.peer, for: Self.route(of: request, context))
                .get()
            if !HTTPRequest.Method.known.contains(request.method) {
                throw Problem(.notImplemented, detail: "wfd knows no method '\(request.method.rawValue.prefix(40))'")
            }
            // RFC 9110, 9.3.7: `OPTIONS *` is about the server as a whole.
            if request.method == .options, request.head.path == "*" {
                return .allowing(problems.routes.routes.map(\.method))
            }
            return try await next(request, context)
        } catch {
            if (error as? Problem)?.type == .unauthenticated { gate.failed(from: context.peer) }
            return Response(
                problems.answer(to: await problems.completed(error, for: context.admission?.caller), request.head))
        }
    }

    /// Returns the route that the router has found; `nil` if there is none.
    private static func route(of request: Request, _ context: ServerContext) -> Route? {
        guard let path = context.endpointPath else { return nil }
        let method: HTTPRequest.Method = request.method == .head ? .get : request.method
        return routes["\(method) \(path)"]
    }

    private static let routes = Dictionary(
        uniqueKeysWithValues: Route.all.map { ("\($0.method.rawValue) \($0.template.numbered)", $0) })
}

/// Turns the errors of requests into answers, and logs wfd's own errors once.
struct ProblemAnswers: Sendable {
    let log: OperatorLog
    let metrics: RequestMetrics
    /// The engine that looks up the names that were probably meant; `nil` if no names are looked up.
    let engine: Engine?
    /// The routes of the address.
    var routes = RouteSelection.all

    func answer(to error: any Error, _ request: HTTPRequest) -> WholeAnswer {
        switch error {
        case let problem as Problem:
            log.tell(problem, request)
            metrics.refused(problem.type)
            return WholeAnswer(problem: problem)
        case let error as HTTPError where error.status == .notFound:
            metrics.refused(.routeNotFound)
            return WholeAnswer(problem: Problem(.routeNotFound, detail: routes.missing(request.route)))
        default:
            log.fault("\(error)", request)
            metrics.refused(.internalError)
            return WholeAnswer(
                problem: Problem(.internalError, detail: "The daemon could not answer; its log says why"))
        }
    }

    /// Adds the name that was probably meant to a problem about a missing instance or machine.
    ///
    /// - Parameter caller: The recipient of the answer; `nil` if the gate has admitted nobody.
    func completed(_ error: any Error, for caller: Caller?) async -> any Error {
        guard let problem = error as? Problem, problem.lacksName, let engine, let caller else { return error }
        return await offLoop(for: .reading) { await engine.suggestingName(problem, for: caller) }
    }
}

extension Problem {
    /// True if the problem is about a missing name for which another name may have been meant.
    var lacksName: Bool { type == .instanceNotFound || type == .machineNotFound }
}

extension Engine {
    /// Adds the name that was probably meant to a problem about a missing instance or machine. Only names that the
    /// caller can see are suggested.
    func suggestingName(_ problem: Problem, for caller: Caller) async -> Problem {
        var problem = problem
        // A suggestion is a courtesy: if the names cannot be read, the problem has none.
        switch problem.type {
        case .instanceNotFound:
            guard let name = problem.instance,
                let names = try? await instanceNames(near: InstanceName(rawValue: name), by: caller)
            else { break }
            problem.suggestion = Spelling.closest(to: name, among: names.map(\.rawValue))
        case .machineNotFound:
            // The machine may exist, and only its version be missing.
            guard let name = problem.machine,
                let names = try? await machineNames(by: caller).map(\.rawValue), !names.contains(name)
            else { break }
            problem.suggestion = Spelling.closest(to: name, among: names)
        default: break
        }
        return problem
    }
}
