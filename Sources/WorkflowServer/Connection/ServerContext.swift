import Hummingbird
import NIOCore

/// The context of a request in the router: the connection's peer, and the caller once the gate has admitted the
/// request.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: Peer
    let connection: CallerConnection
    /// The caller with its permissions; `nil` before the gate.
    var admission: AccessControl.Admission?

    /// Creates a context. Must be called on the event loop of the connection, where requests are carried out.
    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        if let ends = ConnectionEnds.current {
            (peer, connection) = (ends.peer, ends.connection)
        } else {
            // No connection was set up here, so its caller may do nothing.
            peer = Peer(actor: nil)
            connection = CallerConnection(source.channel)
            connection.ends()
        }
    }

    /// Creates the context of a request that a page of the console makes while it is answered.
    init(within page: ServerContext, as peer: Peer) {
        coreContext = page.coreContext
        coreContext.endpointPath = EndpointPath()
        coreContext.parameters = Parameters()
        self.peer = peer
        connection = page.connection
    }
}

/// The two ends of a connection, for the requests on it: also for those that are carried out after it was closed.
struct ConnectionEnds: Sendable {
    let peer: Peer
    let connection: CallerConnection

    /// The ends of the connection whose request the task carries out.
    @TaskLocal static var current: ConnectionEnds?
}
