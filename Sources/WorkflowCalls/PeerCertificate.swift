import NIOCore
import NIOPosix
import NIOSSL

/// Looks at the certificate that an address presents. Nothing but the handshake is sent.
enum PeerCertificate {
    /// Returns the second since 1970 in which the certificate expires, trusted or not; `nil` if there is none in time.
    static func end(at address: Address, within time: TimeAmount) async -> Int? {
        guard case .tls(let host, let port) = address else { return nil }
        var settings = TLSConfiguration.makeClientConfiguration()
        settings.certificateVerification = .none
        settings.shutdownTimeout = .milliseconds(1)
        // Whatever fails here is told by the request that fails in the same way.
        guard let context = try? NIOSSLContext(configuration: settings) else { return nil }
        let found = NIOSingletons.posixEventLoopGroup.any().makePromise(of: Int?.self)
        let channel = try? await ClientBootstrap(group: NIOSingletons.posixEventLoopGroup).connectTimeout(time)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let isName = (try? SocketAddress(ipAddress: host, port: port)) == nil
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: isName ? host : nil)
                    try channel.pipeline.syncOperations.addHandlers(handler, Finder(handler, found, within: time))
                }
            }.connect(host: host, port: port).get()
        guard let channel else {
            found.succeed(nil)
            return nil
        }
        let end = try? await found.futureResult.get()
        try? await channel.close()
        return end ?? nil
    }

    private final class Finder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let handler: NIOSSLClientHandler
        private let found: EventLoopPromise<Int?>
        private let time: TimeAmount

        init(_ handler: NIOSSLClientHandler, _ found: EventLoopPromise<Int?>, within time: TimeAmount) {
            (self.handler, self.found, self.time) = (handler, found, time)
        }

        func channelActive(context: ChannelHandlerContext) {
            context.eventLoop.scheduleTask(in: time) { [found] in found.succeed(nil) }
        }

        // The one event of a fresh connection is the end of its handshake.
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            found.succeed(handler.peerCertificate.map { Int($0.notValidAfter) })
        }

        func channelInactive(context: ChannelHandlerContext) { found.succeed(nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { found.succeed(nil) }
    }
}
