import Hummingbird
import WorkflowAPI

/// The route about the daemons of a store that several daemons serve.
struct DaemonRoutes: Sendable {
    /// The daemons; `nil` for a store that one daemon alone can serve.
    let directory: (any RequestDirectory)?

    func register(on routes: inout RouteHandlers) {
        routes.on(.listDaemons, isBrief: true) { _ in
            guard let directory else {
                throw Problem(
                    .notImplemented,
                    detail: "The database is a file, which one daemon serves; 'wfctl status' shows its state")
            }
            return Response(Page(items: directory.daemons))
        }
    }
}
