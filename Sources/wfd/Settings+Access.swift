import WorkflowAPI
import WorkflowAccess
import WorkflowServer
import WorkflowSettings

extension Settings {
    /// Returns the decision about the callers of an address.
    ///
    /// An address for metrics on loopback needs no token: Prometheus on the same machine has none.
    func control(_ book: AccessBook, of address: ListenAddress, serving routes: RouteSelection) -> AccessControl {
        guard address.isLoopback else { return AccessControl(book) }
        return AccessControl(book, anonymous: routes == .metrics ? anonymous ?? .monitor : anonymous)
    }
}
