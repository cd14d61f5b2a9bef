import Hummingbird
import NIOCore
import WorkflowEngine

/// What goes with a request through the router: the connection's peer, and the caller once the gate has let it in.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let peer: Peer
    /// Nil in front of the gate.
    var caller: Caller?

    /// On the event loop of the connection, where requests are carried out.
    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        do {
            peer = try source.channel.pipeline.syncOperations.handler(type: RequestCodec.self).peer
        } catch {
            // The connection is closed, and nobody reads the answer.
            peer = Peer(actor: nil)
        }
    }
}
