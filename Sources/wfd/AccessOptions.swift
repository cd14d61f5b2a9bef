import ArgumentParser
import WorkflowAPI
import WorkflowAccess
import WorkflowServer

/// The options of `serve` that decide who may call.
struct AccessOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Give callers over TCP on loopback this role if they have no token. (default: they need one)",
            valueName: "monitor|view"),
        transform: { text in
            guard let role = Role(rawValue: text), role == .monitor || role == .view else {
                throw ValidationError("'\(text)' is no role for callers without a token; write monitor or view")
            }
            return role
        })
    var anonymous: Role?

    /// Returns the decision about the callers of an address.
    ///
    /// An address for metrics on loopback needs no token: Prometheus on the same machine has none.
    func control(_ book: AccessBook, of address: ListenAddress, serving routes: RouteSelection) -> AccessControl {
        guard address.isLoopback else { return AccessControl(book) }
        return AccessControl(book, anonymous: routes == .metrics ? anonymous ?? .monitor : anonymous)
    }
}
