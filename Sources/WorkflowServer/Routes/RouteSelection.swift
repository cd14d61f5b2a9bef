package import WorkflowAPI

/// The routes that an address serves.
package enum RouteSelection: Sendable {
    /// The whole table.
    case all
    /// Metrics and health.
    case metrics

    /// In the order of the table.
    package var routes: [Route] {
        switch self {
        case .all: Route.all
        case .metrics: [.live, .ready, .metrics]
        }
    }

    /// Says that no route is for a request.
    ///
    /// - Parameter route: Method and path.
    func missing(_ route: String) -> String {
        switch self {
        case .all: "There is no route \(route)"
        case .metrics:
            "There is no route \(route) at this address: it serves "
                + routes.map(\.template.description).joined(separator: ", ") + " alone"
        }
    }
}
