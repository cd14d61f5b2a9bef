import NIOCore
import NIOSSL
import NIOTLS

/// Closes a connection whose TLS handshake is not complete in time. The handler stands directly behind TLS.
final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let limit: TimeAmount
    private var watching: Scheduled<Void>?

    init(limit: TimeAmount) {
        self.limit = limit
    }

    func channelActive(context: ChannelHandlerContext) {
        watching = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // TLS closes the connection itself where it must. A caller may end its side without a word of TLS: the length
        // of each request is known (RFC 9112, 9.8).
        if !(error is NIOSSLError), !(error is BoringSSLError) { context.fireErrorCaught(error) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        watching?.cancel()
        watching = nil
    }
}
