import NIOCore

/// Counts the bytes that a connection was given and its caller has not taken. Closes the connection when the caller
/// takes nothing for 30 seconds.
///
/// The handler stands nearest to the socket, before TLS, where answers are the bytes that the system counts. Bytes
/// count as progress, not answers, so a caller that reads slowly is not cut off.
final class UnreadAnswers: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let budget: AnswerBudget
    private let pending: (any Channel) -> Int
    /// The bytes that the budget counts.
    private var counted = 0
    /// The bytes that were given to the channel.
    private var given = 0
    /// The bytes that had been written at the last check.
    private var written = 0
    /// The number of checks in a row at which nothing more had been written.
    private var stalls = 0
    private var watching: Scheduled<Void>?

    /// - Parameter pending: Returns the bytes that a channel has not written yet.
    init(budget: AnswerBudget, pending: @escaping (any Channel) -> Int = UnreadAnswers.pendingBytes) {
        self.budget = budget
        self.pending = pending
    }

    /// Returns the bytes that a socket has not taken; 0 for a closed socket, which has no options.
    static func pendingBytes(of channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        given += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        count(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        count(context)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    private func count(_ context: ChannelHandlerContext) {
        let pending = pending(context.channel)
        if pending != counted {
            budget.change(by: pending - counted)
            counted = pending
        }
        if pending > 0, watching == nil {
            written = given - pending
            stalls = 0
            watch(context)
        }
    }

    private func watch(_ context: ChannelHandlerContext) {
        watching = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { [self] in
            watching = nil
            count(context, since: written)
        }
    }

    private func count(_ context: ChannelHandlerContext, since before: Int) {
        let stalled = stalls
        count(context)
        guard counted > 0 else { return }
        stalls = given - counted > before ? 0 : stalled + 1
        written = given - counted
        guard stalls >= AnswerLimits.stalledSeconds else { return }
        budget.cutOff(unread: counted)
        context.close(promise: nil)
    }

    private func end() {
        watching?.cancel()
        watching = nil
        budget.change(by: -counted)
        counted = 0
    }
}
