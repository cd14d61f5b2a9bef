import HTTPTypes
import Hummingbird
import WorkflowAPI

/// The handlers that carry out the routes, one for each.
struct RouteHandlers: Sendable {
    typealias Handler = @Sendable (RoutedRequest) async throws -> Response

    private var handlers: [Route: Handler] = [:]

    /// The routes that have a handler.
    var routes: Set<Route> { Set(handlers.keys) }

    /// Registers the handler of a route.
    ///
    /// - Parameter isBrief: True if the handler neither computes nor blocks for long, and stays on the connection's
    ///   event loop.
    mutating func on(_ route: Route, isBrief: Bool = false, _ handler: @escaping Handler) {
        // Proof: routes are registered at start, before anybody is heard.
        precondition(handlers[route] == nil, "'\(route)' has a handler already")
        handlers[route] =
            isBrief
            ? handler
            : { request in
                try await offLoop(for: route.method == .get ? .reading : .usual) { try await handler(request) }
            }
    }

    /// Returns the handlers of the routes that an address serves.
    func only(_ selection: RouteSelection) -> RouteHandlers {
        var selected = self
        selected.handlers = handlers.filter { selection.routes.contains($0.key) }
        return selected
    }

    /// Returns a router with these routes. Other methods are answered 405 with the list of allowed methods.
    func router(
        gate: RequestGate, problems: ProblemAnswers, placement: RequestPlacement = .alone
    ) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: ProblemMiddleware(gate: gate, problems: problems))
        for (template, routes) in Dictionary(grouping: handlers, by: { $0.key.template }) {
            let path = RouterPath(template.numbered)
            for (route, handler) in routes {
                let timer = problems.metrics.timer(of: route)
                router.on(path, method: HTTPRequest.Method(route.method)) { request, context in
                    let begin = ContinuousClock.now
                    defer { timer.add(since: begin) }
                    return try await placement.answer(RoutedRequest(request, for: route, context), by: handler)
                }
            }
            Self.refuseOthers(than: routes.map(\.key.method), at: path, of: router)
        }
        return router
    }

    private static func refuseOthers(
        than methods: [Route.Method], at path: RouterPath, of router: Router<ServerContext>
    ) {
        let allowed = Response.allowed(methods)
        for method in HTTPRequest.Method.known {
            switch method {
            // The router makes HEAD of GET.
            case .head where methods.contains(.get): break
            case _ where methods.contains { HTTPRequest.Method($0) == method }: break
            case .options: router.on(path, method: method) { _, _ in Response.allowing(methods) }
            default:
                router.on(path, method: method) { request, _ in
                    let detail = "\(request.uri.path) does not take \(request.method); it takes \(allowed)"
                    return Response(
                        WholeAnswer(problem: Problem(.methodNotAllowed, detail: detail), headers: [.allow: allowed]))
                }
            }
        }
    }
}

extension HTTPRequest.Method {
    /// The methods of RFC 9110 and RFC 5789.
    static let known: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]

    init(_ method: Route.Method) {
        switch method {
        case .get: self = .get
        case .post: self = .post
        case .patch: self = .patch
        case .delete: self = .delete
        }
    }
}

extension Response {
    /// Returns the answer to `OPTIONS`.
    static func allowing(_ methods: [Route.Method]) -> Response {
        Response(status: .noContent, headers: [.allow: allowed(methods)])
    }

    /// Returns the value of the `Allow` header.
    fileprivate static func allowed(_ methods: [Route.Method]) -> String {
        let head = methods.contains(.get) ? ["HEAD"] : []
        return (Set(methods).map(\.rawValue).sorted() + head + ["OPTIONS"]).joined(separator: ", ")
    }
}
