import HTTPTypes
import Hummingbird
import WorkflowAPI

/// Lets the right daemon carry a request out.
enum RequestPlacement: Sendable {
    /// This daemon carries every request out.
    case alone
    /// Requests for the owner of the data go there.
    case forwarding(Forwarder)
    /// Requests of other daemons are carried out by the owner alone. No request is forwarded twice.
    case ofPeers(any RequestDirectory)

    private var directory: (any RequestDirectory)? {
        switch self {
        case .alone: nil
        case .forwarding(let forwarder): forwarder.directory
        case .ofPeers(let directory): directory
        }
    }

    /// True if this daemon owns the data.
    var isHere: Bool { directory.map { $0.place == .here } ?? true }

    /// The forwarder, and the daemon to which it sends now; `nil` if requests are carried out here, or nowhere.
    var forwarding: (forwarder: Forwarder, address: PeerAddress)? {
        guard case .forwarding(let forwarder) = self, case .peer(let address) = forwarder.directory.place else {
            return nil
        }
        return (forwarder, address)
    }

    /// Answers a request, with the handler if this daemon carries the request out.
    func answer(_ request: RoutedRequest, by handler: @escaping RouteHandlers.Handler) async throws -> Response {
        if isHere || request.route.place == .here { return try await handler(request) }
        switch self {
        case .alone: return try await handler(request)
        case .forwarding(let forwarder): return try await forwarder.answer(request, orHere: handler)
        case .ofPeers: return Response(status: .misdirectedRequest, headers: [.notOwner: "1"])
        }
    }
}
