import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// HTTP/1.1 connections whose requests are carried out on the event loop that reads them.
struct LoopChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let executors = EventLoopExecutors()
    private let isOnTCP: Bool
    private let budget: AnswerBudget
    private let names = UserNames()
    private let connections: Connections
    private let limits: ServerLimits
    private let access: AccessControl
    private let sends: (@Sendable (Peer) -> SendHandler)?

    /// - Parameter sends: Creates, for each connection, a handler that takes events before the responder.
    init(
        responder: @escaping HTTPChannelHandler.Responder, isOnTCP: Bool, connections: Connections,
        budget: AnswerBudget, access: AccessControl, sends: (@Sendable (Peer) -> SendHandler)?, limits: ServerLimits
    ) {
        http = HTTP1Channel(responder: responder)
        self.isOnTCP = isOnTCP
        self.budget = budget
        self.access = access
        self.sends = sends
        self.limits = limits
        self.connections = connections
    }

    /// Sets up the same as `HTTP1Channel`, with our own codec and the handlers that `HTTP1Channel` has no place for.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        Peer.find(at: channel, names).flatMapThrowing { peer in try setUp(channel, of: peer, logger) }
    }

    private func setUp(_ channel: any Channel, of peer: Peer, _ logger: Logger) throws -> HTTP1Channel.Value {
        let untaken = AnswerLimits.untakenBytes
        try channel.syncOptions?.setOption(
            .writeBufferWaterMark, value: .init(low: untaken.lowerBound, high: untaken.upperBound))
        access.guardConnection(channel, of: peer)
        let pipeline = channel.pipeline.syncOperations
        let presence = CallerPresence(channel)
        let watch = HeadWatch(
            connections.admit(channel), lasting: budget.lasting, connection: presence.connection, limits: limits)
        try pipeline.addHandler(presence)
        try pipeline.addHandler(watch)
        try pipeline.addHandler(UnreadAnswers(budget: budget))
        var heads = NIOHTTPDecoderLimitConfiguration()
        heads.maxHeaderFieldSize = limits.headBytes
        heads.maxHeaderListSize = limits.headBytes
        heads.maxHeaderFieldCount = limits.headFields
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: heads)
        try pipeline.addHandler(RequestCodec(isOnTCP: isOnTCP, watch: watch, peer: peer))
        try pipeline.addHandler(
            HTTPConnectionStateHandler(idleTimeout: .seconds(limits.idleSeconds), logger: logger))
        // This handler stands behind the one that counts requests, closes idle connections, and finishes answers before
        // it ends.
        if let sends { try pipeline.addHandler(sends(peer)) }
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(executors.executor(of: value.channel.eventLoop)) {
            await http.handle(value: value, logger: logger)
        }
    }
}
