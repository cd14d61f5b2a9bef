import HTTPTypes
import Hummingbird
import Logging
import WorkflowAPI

/// Every error leaves the server as a problem; those that are ours are logged here, once.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    let logger: Logger

    @concurrent func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as Problem {
            if problem.type == .internalError { log(request, "\(problem.detail)") }
            return Response(problem: problem)
        } catch let error as HTTPError where error.status == .notFound {
            return Response(
                problem: Problem(.routeNotFound, detail: "There is no route \(request.method) \(request.uri.path)"))
        } catch {
            log(request, "\(error)")
            return Response(problem: Problem(.internalError, detail: "The daemon could not answer; its log says why"))
        }
    }

    private func log(_ request: Request, _ error: String) {
        logger.error(
            "a request failed", metadata: ["route": "\(request.method) \(request.uri.path)", "error": "\(error)"])
    }
}

extension RouterMethods {
    /// Registers the handlers of one path; other methods are answered 405 with the list of those that work.
    func resource(
        _ path: RouterPath,
        _ handlers: [(HTTPRequest.Method, @Sendable (Request, Context) async throws -> Response)]
    ) {
        for (method, handler) in handlers { on(path, method: method, use: handler) }
        let allowed = handlers.map { $0.0.rawValue }.joined(separator: ", ")
        let all: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]
        for method in all where !handlers.contains(where: { $0.0 == method }) {
            on(path, method: method) { request, _ in
                let detail = "\(request.uri.path) does not take \(request.method); it takes \(allowed)"
                return Response(problem: Problem(.methodNotAllowed, detail: detail), headers: [.allow: allowed])
            }
        }
    }
}
