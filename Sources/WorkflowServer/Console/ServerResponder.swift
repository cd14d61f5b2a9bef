import Hummingbird

/// Answers the requests of an address: those below `/console` with pages, all others by the table of routes.
struct ServerResponder: HTTPResponder {
    typealias Context = ServerContext

    let api: RouterResponder<ServerContext>
    /// The console; `nil` for an address without it.
    let console: ConsoleEndpoint?

    @concurrent func respond(to request: Request, context: ServerContext) async throws -> Response {
        guard let console, console.takes(request) else {
            return try await api.respond(to: request, context: context)
        }
        return await console.answer(request, context, by: api)
    }
}
