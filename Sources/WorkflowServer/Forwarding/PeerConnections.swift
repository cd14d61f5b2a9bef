import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// Kept connections to other daemons for short requests and answers.
///
/// An exchange stays on the event loop of its caller, without a task, and leaves in one packet. Streams, and requests
/// whose owner must be looked for, go through `PeerClient`.
final class PeerConnections: Sendable {
    /// The connections of one event loop to one daemon.
    private struct Place: Hashable {
        let loop: ObjectIdentifier
        let address: PeerAddress
    }

    private let settings: Result<NIOSSLContext, any Error>
    private let idle = Mutex<[Place: [NIOLoopBound<PeerConnection>]]>([:])

    init(secret: PeerSecret) {
        settings = Result { try NIOSSLContext(configuration: secret.clientSettings) }
    }

    deinit {
        for connection in idle.withLock({ $0.values.flatMap(\.self) }) {
            connection.eventLoop.execute { connection.value.close() }
        }
    }

    /// Begins an exchange on the current event loop.
    func begin(_ exchange: PeerExchange, with address: PeerAddress, on loop: any EventLoop) {
        if let connection = kept(Place(loop: ObjectIdentifier(loop), address: address)) {
            return connection.carry(exchange)
        }
        guard case .success(let context) = settings else {
            let exchange = NIOLoopBound(exchange, eventLoop: loop)
            return loop.execute { exchange.value.end(.unsent) }
        }
        let place = Place(loop: ObjectIdentifier(loop), address: address)
        let connection = PeerConnection { [weak self] connection in self?.keep(connection, at: place) }
        connection.carry(exchange)
        let bound = NIOLoopBound(connection, eventLoop: loop)
        ClientBootstrap(group: loop)
            .connectTimeout(ForwardLimits.connecting)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(bound.value)
                }
            }
            .connect(host: address.host, port: address.port)
            .whenFailure { _ in bound.value.hasFailed() }
    }

    /// Takes the connection that was used last, because the others end by themselves when they are not needed.
    private func kept(_ place: Place) -> PeerConnection? {
        while let bound = idle.withLock({ $0[place]?.popLast() }) {
            if bound.value.isOpen { return bound.value }
        }
        return nil
    }

    private func keep(_ connection: NIOLoopBound<PeerConnection>, at place: Place) {
        idle.withLock { idle in
            idle[place, default: []].removeAll { !$0.value.isOpen }
            idle[place, default: []].append(connection)
        }
    }
}

/// One request to another daemon, and its end.
final class PeerExchange {
    enum Outcome {
        case answered(HTTPResponseHead, ByteBuffer)
        /// Nothing was sent.
        case unsent
        /// The request was sent, at least in part, and has no answer.
        case broken
    }

    let head: HTTPRequestHead
    let body: ByteBuffer
    fileprivate weak var connection: PeerConnection?
    fileprivate var isSent = false
    private var ended: ((Outcome) -> Void)?

    /// - Parameter ended: Called once on the event loop, after the exchange has begun.
    init(_ head: HTTPRequestHead, _ body: ByteBuffer, ended: @escaping (Outcome) -> Void) {
        (self.head, self.body, self.ended) = (head, body, ended)
    }

    /// Ends the exchange early. An answer that comes later is lost.
    func cancel() {
        connection?.abandon(self)
        end(isSent ? .broken : .unsent)
    }

    fileprivate func end(_ outcome: Outcome) {
        guard let call = ended else { return }
        ended = nil
        call(outcome)
    }
}

/// A connection to another daemon, with at most one request under way.
private final class PeerConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let keep: (NIOLoopBound<PeerConnection>) -> Void
    private var context: ChannelHandlerContext?
    /// True after the handshake, when each end knows the other.
    private var isReady = false
    private var hasEnded = false
    private var exchange: PeerExchange?
    private var answer: (head: HTTPResponseHead, body: ByteBuffer)?
    private var lastUse = NIODeadline.now()

    init(keep: @escaping (NIOLoopBound<PeerConnection>) -> Void) { self.keep = keep }

    /// True if the connection can carry an exchange.
    var isOpen: Bool { !hasEnded && context?.channel.isActive == true }

    /// Sends a request, after the handshake at the latest.
    func carry(_ exchange: PeerExchange) {
        self.exchange = exchange
        exchange.connection = self
        if isReady { send(exchange) }
    }

    /// Gives up an exchange. A connection that has sent its request can carry no other.
    func abandon(_ exchange: PeerExchange) {
        guard self.exchange === exchange else { return }
        self.exchange = nil
        if exchange.isSent { close() }
    }

    func close() {
        hasEnded = true
        context?.close(promise: nil)
    }

    /// Ends the exchange of a connection that was not established.
    func hasFailed() {
        hasEnded = true
        end(exchange?.isSent == true ? .broken : .unsent)
    }

    private func end(_ outcome: PeerExchange.Outcome) {
        let ended = exchange
        exchange = nil
        ended?.end(outcome)
    }

    private func send(_ exchange: PeerExchange) {
        guard let context else { return }
        exchange.isSent = true
        lastUse = .now()
        context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(exchange.body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

// MARK: Input

extension PeerConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: ForwardLimits.connecting) {
            if !bound.value.isReady { bound.value.close() }
        }
        endIfIdle(after: ForwardLimits.idle, bound)
    }

    private func endIfIdle(after time: TimeAmount, _ bound: NIOLoopBound<PeerConnection>) {
        bound.eventLoop.scheduleTask(in: time) {
            let connection = bound.value
            guard connection.isOpen else { return }
            let left = connection.lastUse + ForwardLimits.idle - .now()
            if connection.exchange == nil, left <= .zero { return connection.close() }
            connection.endIfIdle(after: max(left, .seconds(1)), bound)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        hasFailed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        isReady = true
        if let exchange { send(exchange) } else { keep(NIOLoopBound(self, eventLoop: context.eventLoop)) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): answer = (head, ByteBuffer())
        case .body(var part):
            // Events have short answers; a long one may come from another program.
            if (answer?.body.readableBytes ?? 0) + part.readableBytes > ForwardLimits.wholeBytes { return close() }
            answer?.body.writeBuffer(&part)
        case .end:
            guard let (head, body) = answer, exchange != nil else { return close() }
            answer = nil
            lastUse = .now()
            if head.isKeepAlive { keep(NIOLoopBound(self, eventLoop: context.eventLoop)) } else { close() }
            end(.answered(head, body))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        hasFailed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }
}
