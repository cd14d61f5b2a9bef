import NIOCore

/// Gives up a request whose head is not complete in time after its first byte: `RequestCodec` has it answered 408
/// in its turn (RFC 9110, 15.5.9), and the connection ends with that answer.
///
/// It stands nearest to the socket, where requests are bytes; `RequestCodec` says which of them were heads.
final class HeadWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let place: ConnectionPlace
    let limits: ServerLimits
    /// When the first byte of a head came; nil when none is incomplete.
    private var began: NIODeadline?
    /// Bytes belong to a request whose head was complete.
    private var isInRequest = false
    private var watching: Scheduled<Void>?

    /// Whether its connection is one too many.
    var isExtra: Bool { place.isExtra }

    init(_ place: ConnectionPlace, limits: ServerLimits = ServerLimits()) {
        self.place = place
        self.limits = limits
    }

    func channelActive(context: ChannelHandlerContext) {
        if place.isExtra {
            // It ends with its channel, and does nothing to one that is closed.
            context.eventLoop.assumeIsolated().scheduleTask(in: limits.headTime) { context.close(promise: nil) }
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isInRequest, began == nil {
            place.isUsed()
            began = context.eventLoop.now
            if watching == nil { watch(context, for: limits.headTime) }
        }
        context.fireChannelRead(data)
    }

    func headIsComplete() {
        began = nil
        isInRequest = true
    }

    func requestEnded() {
        isInRequest = false
    }

    func allIsAnswered() {
        if began == nil { place.rests() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watching?.cancel()
        watching = nil
    }

    /// One look is on its way at most, however many requests come.
    private func watch(_ context: ChannelHandlerContext, for time: TimeAmount) {
        watching = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            watching = nil
            guard let began else { return }
            let left = began + limits.headTime - context.eventLoop.now
            if left <= .nanoseconds(0) { context.fireErrorCaught(HeadTimeout()) } else { watch(context, for: left) }
        }
    }
}

/// A request's head did not come to its end in time.
struct HeadTimeout: Error {}
