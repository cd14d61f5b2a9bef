import NIOCore

/// Gives up a request whose head, or whose whole body, is not complete in time after its first byte: it is answered 408
/// in its turn (RFC 9110, 15.5.9), and the connection ends with that answer.
///
/// It stands nearest to the socket, where requests are bytes; `RequestCodec` says which of them were heads.
final class HeadWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let place: ConnectionPlace
    let limits: ServerLimits
    /// When the first byte of a head came; nil when none is incomplete.
    private var began: NIODeadline?
    /// When the first byte came of a request whose body is incomplete; nil when none is, and for bodies in lines, which
    /// may take as long as they like.
    private var bodyBegan: NIODeadline?
    /// Bytes belong to a request whose head was complete.
    private var isInRequest = false
    private var watching: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    /// Whether its connection is one too many.
    var isExtra: Bool { place.isExtra }

    init(_ place: ConnectionPlace, limits: ServerLimits = ServerLimits()) {
        self.place = place
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
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

    /// - Parameter isInLines: Whether the body may take as long as it likes.
    func headIsComplete(isInLines: Bool) {
        defer { isInRequest = true }
        guard !isInLines, let context else { return began = nil }
        bodyBegan = began ?? context.eventLoop.now
        began = nil
        // Where it came together with the end of the request before, nobody looks yet.
        if watching == nil { watch(context, for: limits.bodyTime) }
    }

    func requestEnded() {
        bodyBegan = nil
        isInRequest = false
    }

    func allIsAnswered() {
        if began == nil { place.rests() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        watching?.cancel()
        watching = nil
        self.context = nil
    }

    /// One look is on its way at most, however many requests come.
    private func watch(_ context: ChannelHandlerContext, for time: TimeAmount) {
        watching = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            watching = nil
            guard let end = began.map({ $0 + limits.headTime }) ?? bodyBegan.map({ $0 + limits.bodyTime }) else {
                return
            }
            let left = end - context.eventLoop.now
            guard left <= .nanoseconds(0) else { return watch(context, for: left) }
            if began == nil {
                context.fireErrorCaught(BodyTimeout(time: limits.bodyTime))
            } else {
                context.fireErrorCaught(HeadTimeout())
            }
        }
    }
}

/// A request's head did not come to its end in time.
struct HeadTimeout: Error {}

/// A request's body did not come to its end in time.
struct BodyTimeout: Error {
    let time: TimeAmount
}
