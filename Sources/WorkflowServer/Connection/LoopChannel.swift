import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOSSL
import WorkflowAccess

/// The way in which the connections of an address are encrypted.
enum ConnectionEncryption: Sendable {
    case none
    case certificate(ServerCertificate)
    /// The settings of the address for other daemons. Whoever does not have the daemons' secret gets no answer there.
    case secret(NIOSSLContext)

    var isTLS: Bool { if case .none = self { false } else { true } }

    /// The context for a new connection; `nil` for a connection in the clear.
    fileprivate var context: NIOSSLContext? {
        switch self {
        case .none: nil
        case .certificate(let certificate): certificate.context
        case .secret(let context): context
        }
    }
}

/// HTTP/1.1 connections whose requests are carried out on the event loop that reads them.
struct LoopChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let executors = EventLoopExecutors()
    private let isOnTCP: Bool
    private let encryption: ConnectionEncryption
    private let budget: AnswerBudget
    private let names = UserNames()
    private let connections: Connections
    private let limits: ServerLimits
    private let access: AccessControl
    private let sends: (@Sendable (Peer) -> SendHandler)?

    /// - Parameters:
    ///   - sends: Creates, for each connection, a handler that takes events before the responder.
    init(
        responder: @escaping HTTPChannelHandler.Responder, isOnTCP: Bool, encryption: ConnectionEncryption,
        connections: Connections, budget: AnswerBudget, access: AccessControl,
        sends: (@Sendable (Peer) -> SendHandler)?, limits: ServerLimits
    ) {
        http = HTTP1Channel(responder: responder)
        self.isOnTCP = isOnTCP
        self.encryption = encryption
        self.budget = budget
        self.access = access
        self.sends = sends
        self.limits = limits
        self.connections = connections
    }

    /// Sets up the same as `HTTP1Channel`, with our own codec and the handlers that `HTTP1Channel` has no place for.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        Peer.find(at: channel, isOnTCP: isOnTCP, names)
            .flatMapThrowing { peer in try setUp(channel, of: peer, logger) }
    }

    private func setUp(_ channel: any Channel, of peer: Peer, _ logger: Logger) throws -> Value {
        let untaken = AnswerLimits.untakenBytes
        try channel.syncOptions?.setOption(
            .writeBufferWaterMark, value: .init(low: untaken.lowerBound, high: untaken.upperBound))
        let pipeline = channel.pipeline.syncOperations
        let presence = CallerPresence(channel)
        let place = connections.admit(channel, of: peer)
        let watch = HeadWatch(
            place, lasting: budget.lasting, connection: presence.connection, limits: limits)
        try pipeline.addHandler(UnreadAnswers(budget: budget))
        if case .certificate = encryption { try pipeline.addHandler(PlainRequestRefusal()) }
        if let context = encryption.context {
            try pipeline.addHandler(NIOSSLServerHandler(context: context))
            try pipeline.addHandler(HandshakeWatch(limit: limits.handshakeTime))
        }
        try pipeline.addHandler(presence)
        try pipeline.addHandler(watch)
        var heads = NIOHTTPDecoderLimitConfiguration()
        heads.maxHeaderFieldSize = limits.headBytes
        heads.maxHeaderListSize = limits.headBytes
        heads.maxHeaderFieldCount = limits.headFields
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: heads)
        let codec = RequestCodec(isOnTCP: isOnTCP, watch: watch) { [access] request in
            access.caller(AccessControl.Credentials(of: request), from: peer)
        } admit: { [connections] caller in
            // An unknown caller takes no place from others.
            if !caller.permissions.isEmpty { connections.admit(place, for: caller.actor) }
        }
        try pipeline.addHandler(codec)
        access.guardConnection(place, of: peer, codec)
        try pipeline.addHandler(
            HTTPConnectionStateHandler(idleTimeout: .seconds(limits.idleSeconds), logger: logger))
        // This handler stands behind the one that counts requests, closes idle connections, and finishes answers before
        // it ends.
        if let sends { try pipeline.addHandler(sends(peer)) }
        let http = try HTTP1Channel.Value(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        return Value(http: http, ends: ConnectionEnds(peer: peer, connection: presence.connection))
    }

    func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(executors.executor(of: value.channel.eventLoop)) {
            await ConnectionEnds.$current.withValue(value.ends) { await http.handle(value: value.http, logger: logger) }
        }
    }

    /// A connection that is set up.
    struct Value: ServerChildChannelValue {
        let http: HTTP1Channel.Value
        let ends: ConnectionEnds
        var channel: any Channel { http.channel }
    }
}
