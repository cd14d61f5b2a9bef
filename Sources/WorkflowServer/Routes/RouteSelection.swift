package import WorkflowAPI

/// The routes that an address serves.
package enum RouteSelection: Sendable {
    /// Serves all routes of the table.
    case all
    /// Serves metrics and health.
    case metrics
    /// Serves the routes that other daemons forward, and liveness.
    case peers

    /// The routes, in the order of the table.
    package var routes: [Route] {
        switch self {
        case .all: Route.all
        case .metrics: [.live, .ready, .metrics]
        case .peers: Route.all.filter { $0.place == .owner } + [.live]
        }
    }

    /// Returns the message that no route matches a request.
    ///
    /// - Parameter route: The method and path.
    func missing(_ route: String) -> String {
        switch self {
        case .all, .peers: "There is no route \(route)"
        case .metrics:
            "There is no route \(route) at this address: it serves "
                + routes.map(\.template.description).joined(separator: ", ") + " alone"
        }
    }
}
