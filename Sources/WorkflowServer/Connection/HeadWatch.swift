import NIOCore
import WorkflowAPI

/// Gives up a request whose head, whose whole body, or a line of whose body is not complete in time after its first
/// byte: it is answered 408 in its turn (RFC 9110, 15.5.9), and the connection ends with that answer.
///
/// It stands nearest to the socket, where requests are bytes; `RequestCodec` says which of them were heads, and which
/// answers were written. What still comes of a request that is answered is bounded here too.
final class HeadWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let place: ConnectionPlace
    /// Counts requests whose bodies are waited for; nil to count none.
    private let lasting: LastingAnswers?
    /// Says which line is waited for; nil where nobody reads lines.
    private let connection: CallerConnection?
    let limits: ServerLimits
    /// When the first byte of a head came; nil when none is incomplete.
    private var began: NIODeadline?
    /// When the first byte came of a request whose body is incomplete; nil when none is, and for bodies in lines, which
    /// may take as long as they like.
    private var bodyBegan: NIODeadline?
    /// Bytes belong to a request whose head was complete.
    private var isInRequest = false
    private var isInLines = false
    /// Heads that were complete.
    private(set) var requests = 0
    /// Whoever reads the body was told that it ends.
    private var isGivenUp = false
    /// The place of a request whose body has not come with its head.
    private var bodyPlace: LastingAnswers.Place?
    /// A line that is waited for, and since when.
    private var line: (number: Int, since: NIODeadline)?
    /// The rest of a request that is answered; nil while none is.
    private var rest: Rest?
    private var watching: Scheduled<Void>?
    private var lineWatching: Scheduled<Void>?
    private var resting: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    /// Bytes behind an answer.
    private struct Rest {
        /// Bytes that may still come.
        var bytes: Int
        /// Nothing behind the request's end is looked at: the connection ends there. Otherwise it goes on.
        let isLast: Bool
    }

    /// Whether its connection is one too many.
    var isExtra: Bool { place.isExtra }

    init(
        _ place: ConnectionPlace, lasting: LastingAnswers? = nil, connection: CallerConnection? = nil,
        limits: ServerLimits = ServerLimits()
    ) {
        self.place = place
        self.lasting = lasting
        self.connection = connection
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
        if let rest {
            let left = rest.bytes - unwrapInboundIn(data).readableBytes
            self.rest?.bytes = left
            if left < 0 { return context.close(promise: nil) }
            if rest.isLast, !isInRequest { return }
        }
        if !isInRequest, began == nil {
            place.isUsed()
            began = context.eventLoop.now
            if watching == nil { watch(context, for: limits.headTime) }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if rest?.isLast == true {
            // Nobody else asks for what is thrown away.
            context.read()
        } else if isInRequest, bodyPlace == nil, rest == nil, !isGivenUp, !place.isExtra {
            takeBodyPlace(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if rest?.isLast == true, case .inputClosed? = event as? ChannelEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        for look in [watching, lineWatching, resting] { look?.cancel() }
        (watching, lineWatching, resting) = (nil, nil, nil)
        bodyPlace = nil
        self.context = nil
    }
}

// MARK: What the codec says

extension HeadWatch {
    /// - Parameter isInLines: Whether the body may take as long as it likes, and only each of its lines may not.
    func headIsComplete(isInLines: Bool) {
        isInRequest = true
        requests += 1
        self.isInLines = isInLines
        defer { began = nil }
        guard let context else { return }
        guard !isInLines else {
            if lineWatching == nil { watchLine(context) }
            return
        }
        bodyBegan = began ?? context.eventLoop.now
        // Where it came together with the end of the request before, nobody looks yet.
        if watching == nil { watch(context, for: limits.bodyTime) }
    }

    func requestEnded() {
        bodyBegan = nil
        isInRequest = false
        isInLines = false
        bodyPlace = nil
        line = nil
        guard let rest else { return }
        if rest.isLast {
            // Whoever reads to the end of the connection has it; what still comes is thrown away, so that nothing is
            // lost of the answer.
            context?.close(mode: .output, promise: nil)
            return
        }
        self.rest = nil
        resting?.cancel()
        resting = nil
    }

    func allIsAnswered() {
        if began == nil { place.rests() }
    }

    /// An answer was written to the system, and something of its request may still come: it is thrown away, so that
    /// whoever sends before it reads comes to its answer.
    ///
    /// - Parameters:
    ///   - isLast: Whether the connection ends with that answer.
    ///   - unfinished: The number of its request if that had not ended when the answer did. It may have since.
    func answerIsWritten(isLast: Bool, unfinished: Int?) {
        let isUnfinished = isInRequest && unfinished == requests
        guard let context, rest == nil, isLast || isUnfinished else { return }
        rest = Rest(bytes: limits.restBytes, isLast: isLast)
        resting = context.eventLoop.assumeIsolated().scheduleTask(in: limits.restTime) { context.close(promise: nil) }
        guard isLast else { return }
        // Nothing is waited for: a new connection may have its place.
        watching?.cancel()
        watching = nil
        bodyPlace = nil
        isInLines = false
        place.rests()
        if unfinished != nil, !isUnfinished { context.close(mode: .output, promise: nil) }
        context.read()
    }
}

// MARK: Time and places

extension HeadWatch {
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
                let seconds = limits.bodyTime.inSeconds
                giveUp(.requestTimeout, "The body of the request was not complete after \(seconds) seconds", context)
            } else {
                context.fireErrorCaught(HeadTimeout())
            }
        }
    }

    /// Looks now and then whether the line is still the same: its reader says which one that is while it waits, so that
    /// no caller pays for the time that wfd takes to read.
    private func watchLine(_ context: ChannelHandlerContext) {
        lineWatching = context.eventLoop.assumeIsolated().scheduleTask(in: limits.lineLook) { [self] in
            lineWatching = nil
            guard isInLines else { return }
            let number = connection?.unfinishedLine ?? 0
            let now = context.eventLoop.now
            if number == 0 { line = nil } else if line?.number != number { line = (number, now) }
            if let line, now - line.since >= limits.lineTime {
                let seconds = limits.lineTime.inSeconds
                giveUp(.requestTimeout, "Line \(number) was not complete after \(seconds) seconds", context)
            } else {
                watchLine(context)
            }
        }
    }

    private func takeBodyPlace(_ context: ChannelHandlerContext) {
        do throws(Problem) {
            bodyPlace = try lasting?.body()
        } catch {
            giveUp(error.type, error.detail, context)
        }
    }

    private func giveUp(_ type: ProblemType, _ reason: String, _ context: ChannelHandlerContext) {
        isGivenUp = true
        context.fireErrorCaught(BodyRefusal(problem: Problem(type, detail: reason)))
    }
}

/// A request's head did not come to its end in time.
struct HeadTimeout: Error {}

/// The body of a request that began is not waited for any longer: it ends there for whoever reads it.
struct BodyRefusal: Error {
    let problem: Problem
}

extension TimeAmount {
    /// For messages.
    var inSeconds: Int64 { nanoseconds / 1_000_000_000 }
}
