import Foundation
import Hummingbird
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowStore

/// The input of a handler: an admitted request, and the request's route.
struct RoutedRequest: Sendable {
    let route: Route
    private let admission: AccessControl.Admission
    /// The other end of the connection.
    let peer: Peer
    private(set) var request: Request
    /// The connection on which the request arrived.
    let connection: CallerConnection
    private let values: Parameters

    /// Creates the input of a handler; refuses a query if the route takes none.
    init(_ request: Request, for route: Route, _ context: ServerContext) throws {
        // `ProblemMiddleware` admits each request. A request that came past it would have no caller.
        guard let admission = context.admission else { throw AccessControl.unauthenticated }
        self.route = route
        self.admission = admission
        // The gate has asked already: no route is open where the gate did not know it.
        if route.permission != .health, !admission.identity.permissions.contains(route.permission) {
            throw AccessControl.forbidden(admission.identity, route, route.permission)
        }
        peer = context.peer
        self.request = request
        connection = context.connection
        values = context.parameters
        if let known = route.query, known.isEmpty { try reading { try NoParameters.check(query: try queryItems) } }
    }

    /// Returns the same request with another body.
    func replacing(_ body: RequestBody) -> RoutedRequest {
        var replaced = self
        replaced.request = Request(head: request.head, body: body)
        return replaced
    }

    /// The memory of the connection's caller.
    var memory: CallerMemory { peer.memory }
    var caller: Caller { admission.caller }
    /// The caller's permissions.
    var identity: CallerIdentity { admission.identity }

    /// Returns false if the request's token was revoked, or has ended, since the gate admitted it.
    var isAdmitted: @Sendable () -> Bool { admission.stillHolds }

    /// Refuses the request if its token was revoked, or has ended, since the gate admitted it. Asked after each wait.
    func requireAdmission() throws(Problem) {
        if !admission.stillHolds() { throw AccessControl.unauthenticated }
    }

    /// The name of the instance in the path.
    var instance: InstanceName {
        get throws(Problem) { InstanceName(rawValue: try value("instance")) }
    }

    /// The name of the machine in the path.
    var machine: MachineName {
        get throws(Problem) { MachineName(rawValue: try value("machine")) }
    }

    /// Returns a part of the path, percent-decoded.
    func value(_ name: String) throws(Problem) -> String {
        guard let place = route.template.parameters.firstIndex(of: name) else {
            // Proof: handlers write the name out; each is tried by a test of every route.
            preconditionFailure("'\(route)' has no parameter '\(name)'")
        }
        let written = values.get(String(place))
        if let written, !written.utf8.contains(UInt8(ascii: "%")) { return written }
        guard let text = written?.removingPercentEncoding else {
            throw Problem(.routeNotFound, detail: "The path is not percent-encoded text")
        }
        return text
    }
}
