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
        do {
            let pipeline = source.channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: RequestCodec.self)
            connection = try pipeline.handler(type: CallerPresence.self).connection
            peer = codec.peer
        } catch {
            // The connection is closed, and nobody reads the answer.
            peer = Peer(actor: nil)
            connection = CallerConnection(source.channel)
            connection.ends()
        }
    }
}
