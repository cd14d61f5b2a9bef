import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import WorkflowAPI

/// Lets requests in, and has every error leave the server as a problem.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    let gate: RequestGate
    let problems: ProblemAnswers

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            if let refusal = gate.refusal(of: request.head) { throw refusal }
            return try await next(request, context)
        } catch {
            return Response(problems.answer(to: error, request.head))
        }
    }
}

/// What requests that end with an error are told. Errors that are ours are logged here, once.
struct ProblemAnswers: Sendable {
    let logger: Logger

    func answer(to error: any Error, _ request: HTTPRequest) -> WholeAnswer {
        let route = "\(request.method) \(URI(request.path ?? "").path)"
        switch error {
        case let problem as Problem:
            if problem.type == .internalError { log(route, "\(problem.detail)") }
            return WholeAnswer(problem: problem)
        case let error as HTTPError where error.status == .notFound:
            return WholeAnswer(problem: Problem(.routeNotFound, detail: "There is no route \(route)"))
        default:
            log(route, "\(error)")
            return WholeAnswer(
                problem: Problem(.internalError, detail: "The daemon could not answer; its log says why"))
        }
    }

    private func log(_ route: String, _ error: String) {
        logger.error("a request failed", metadata: ["route": "\(route)", "error": "\(error)"])
    }
}

extension RouterMethods {
    /// Registers the handlers of one path; other methods are answered 405 with the list of those that work.
    ///
    /// - Parameter brief: Methods whose handlers neither compute nor block for long: they stay on the connection's
    ///   event loop.
    func resource(
        _ path: RouterPath,
        _ handlers: [(HTTPRequest.Method, @Sendable (Request, Context) async throws -> Response)],
        brief: [HTTPRequest.Method] = []
    ) {
        for (method, handler) in handlers {
            if brief.contains(method) {
                on(path, method: method, use: handler)
            } else {
                on(path, method: method) { request, context in
                    try await offLoop(for: method == .get ? .reading : .usual) { try await handler(request, context) }
                }
            }
        }
        let allowed = handlers.map { $0.0.rawValue }.joined(separator: ", ")
        let all: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]
        for method in all where !handlers.contains(where: { $0.0 == method }) {
            on(path, method: method) { request, _ in
                let detail = "\(request.uri.path) does not take \(request.method); it takes \(allowed)"
                return Response(
                    WholeAnswer(problem: Problem(.methodNotAllowed, detail: detail), headers: [.allow: allowed]))
            }
        }
    }
}
