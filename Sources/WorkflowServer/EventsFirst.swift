import Hummingbird

/// Carries out `POST /v1/instances/NAME/events`, which is most of what a daemon is asked, without the router.
///
/// Everything else goes through it, and so do names that are percent-encoded.
struct EventsFirst: HTTPResponder {
    /// Takes the event of a request for an instance.
    let events: @Sendable (_ request: Request, _ name: String) async throws -> Response
    let router: RouterResponder<BasicRequestContext>
    let problems: ProblemMiddleware<BasicRequestContext>

    @concurrent func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard request.method == .post, let name = Self.instance(in: request.uri.path) else {
            return try await router.respond(to: request, context: context)
        }
        do {
            return try await events(request, name)
        } catch {
            return problems.answer(to: error, request)
        }
    }

    /// The name in `/v1/instances/NAME/events`; nil for any other path.
    static func instance(in path: String) -> String? {
        let prefix = "/v1/instances/".utf8
        let suffix = "/events".utf8
        let path = path.utf8
        guard path.count > prefix.count + suffix.count, path.starts(with: prefix) else { return nil }
        let name = path.dropFirst(prefix.count).dropLast(suffix.count)
        guard path.suffix(suffix.count).elementsEqual(suffix),
            !name.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") })
        else { return nil }
        return String(name)
    }
}
