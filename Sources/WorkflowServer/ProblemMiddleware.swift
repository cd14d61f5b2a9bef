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
            if !HTTPRequest.Method.known.contains(request.method) {
                throw Problem(.notImplemented, detail: "wfd knows no method '\(request.method.rawValue.prefix(40))'")
            }
            // RFC 9110, 9.3.7: of the server as a whole.
            if request.method == .options, request.head.path == "*" { return .allowing(HTTPRequest.Method.used) }
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
        let methods = handlers.map(\.0)
        on(path, method: .options) { _, _ in Response.allowing(methods) }
        let allowed = methods.map(\.rawValue).joined(separator: ", ")
        let others = HTTPRequest.Method.known.filter { method in
            // The router makes HEAD of GET.
            method != .options && !methods.contains(method) && !(method == .head && methods.contains(.get))
        }
        for method in others {
            on(path, method: method) { request, _ in
                let detail = "\(request.uri.path) does not take \(request.method); it takes \(allowed)"
                return Response(
                    WholeAnswer(problem: Problem(.methodNotAllowed, detail: detail), headers: [.allow: allowed]))
            }
        }
    }
}

extension HTTPRequest.Method {
    /// Those of RFC 9110 and RFC 5789.
    fileprivate static let known: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]
    /// Those that some route takes.
    fileprivate static let used: [HTTPRequest.Method] = [.get, .post]
}

extension Response {
    /// The answer to `OPTIONS`.
    fileprivate static func allowing(_ methods: [HTTPRequest.Method]) -> Response {
        let head: [HTTPRequest.Method] = methods.contains(.get) ? [.head] : []
        let allowed = (methods + head + [.options]).map(\.rawValue).joined(separator: ", ")
        return Response(status: .noContent, headers: [.allow: allowed])
    }
}
