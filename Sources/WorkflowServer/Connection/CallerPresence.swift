import NIOCore
import Synchronization

/// Tracks whether a connection's caller is still present and has received what it was sent.
///
/// The handler stands behind TLS, before every handler that may hold back events. TLS holds back none, and tells of
/// callers that leave in its own way.
final class CallerPresence: ChannelInboundHandler {
    typealias InboundIn = Any

    /// The connection, which other code queries from any thread.
    let connection: CallerConnection

    init(_ channel: any Channel) {
        connection = CallerConnection(channel)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connection.begins(NIOLoopBound(context, eventLoop: context.eventLoop))
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        connection.ends()
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.ends()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connection.callerLeaves() }
        context.fireUserInboundEventTriggered(event)
    }
}

/// The connection of a request, as the request's handler sees it.
final class CallerConnection: Sendable {
    private struct State {
        var context: NIOLoopBound<ChannelHandlerContext>?
        /// True if the caller sends nothing more. Usually the caller is gone: a closed connection looks the same.
        var hasLeft = false
        var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let channel: any Channel
    private let state = Mutex(State())
    private let line = Atomic(0)
    private let lineBytes = Atomic(0)

    init(_ channel: any Channel) {
        self.channel = channel
    }

    /// The number of the line whose rest the reader of a body waits for; 0 if there is none.
    var unfinishedLine: Int { line.load(ordering: .relaxed) }

    /// The bytes of that line that have arrived.
    var unfinishedBytes: Int { lineBytes.load(ordering: .relaxed) }

    func waits(forLine number: Int, after bytes: Int = 0) {
        line.store(number, ordering: .relaxed)
        lineBytes.store(bytes, ordering: .relaxed)
    }

    /// True if the caller sends nothing more.
    var callerHasLeft: Bool { state.withLock { $0.hasLeft } }

    /// Returns when the caller sends nothing more, or when the task is cancelled.
    func untilCallerLeaves() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let waiter: UInt64? = state.withLock { state in
            guard !state.hasLeft else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = continuation
            return state.lastWaiter
        }
        guard let waiter else { return }
        for await _ in stream { break }
        _ = state.withLock { $0.waiters.removeValue(forKey: waiter) }
    }

    /// Returns when the system has taken everything that was written to the connection; throws if it never will.
    func allIsWritten() async throws {
        try await channel.eventLoop.flatSubmit { [self] in
            let promise = channel.eventLoop.makePromise(of: Void.self)
            if let context = state.withLock({ $0.context }) {
                // The empty buffer stands behind everything else, and sends nothing.
                context.value.writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer())), promise: promise)
            } else {
                promise.fail(ChannelError.ioOnClosedChannel)
            }
            return promise.futureResult
        }.get()
    }

    /// Closes the connection, and discards everything that its caller has not taken.
    func cutOff() { channel.close(promise: nil) }

    fileprivate func begins(_ context: NIOLoopBound<ChannelHandlerContext>) {
        state.withLock { $0.context = context }
    }

    func ends() {
        state.withLock { $0.context = nil }
        callerLeaves()
    }

    fileprivate func callerLeaves() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            state.hasLeft = true
            return state.waiters.values
        }
        for waiter in waiters { waiter.finish() }
    }
}
