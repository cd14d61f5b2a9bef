import NIOCore
import WorkflowAPI
import WorkflowStore

/// Gives up a request whose head, whole body, or body line is not complete in time after its first byte. The request is
/// answered 408 in its turn (RFC 9110, 15.5.9), and the connection ends with that answer.
///
/// The handler stands where requests are bytes, behind TLS. `RequestCodec` reports which bytes were heads,
/// and which answers were written. The handler also bounds the bytes that still arrive of an answered request.
final class HeadWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let place: ConnectionPlace
    /// Counts the requests whose bodies are awaited; `nil` counts none.
    private let lasting: LastingAnswers?
    /// The connection that reports the awaited line; `nil` if nobody reads lines.
    private let connection: CallerConnection?
    let limits: ServerLimits
    /// Returns the caller of the newest request.
    var caller: () -> Actor? = { nil }
    /// The time when the first byte of an incomplete head arrived; `nil` if there is none.
    private var began: NIODeadline?
    /// The time when the first byte of a request with an incomplete body arrived; `nil` if there is none. Bodies in
    /// lines do not count, because they may take as long as they like.
    private var bodyBegan: NIODeadline?
    /// True if arriving bytes belong to a request whose head is complete.
    private var isInRequest = false
    private var isInLines = false
    /// The number of complete heads.
    private(set) var requests = 0
    /// True if the reader of the body was told that the body ends.
    private var isGivenUp = false
    /// The place of a request whose body has not arrived with its head.
    private var bodyPlace: LastingAnswers.Place?
    /// The parts of memory that the body has taken; `nil` for a small one.
    private var bodyShare: UnfinishedBodies.Share?
    /// The number of an awaited line, and the time since which it is awaited.
    private var line: (number: Int, since: NIODeadline)?
    /// The rest of a request that is answered; `nil` if there is none.
    private var rest: Rest?
    private var watching: Scheduled<Void>?
    private var lineWatching: Scheduled<Void>?
    private var resting: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    /// The bytes that arrive after an answer.
    private struct Rest {
        /// The bytes that may still arrive.
        var bytes: Int
        /// True if the connection ends at the request's end, and nothing after it is read. Otherwise the connection
        /// goes on.
        let isLast: Bool
    }

    /// True if the connection is past the bound.
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
            // The task ends with its channel, and has no effect on a closed one.
            context.eventLoop.assumeIsolated().scheduleTask(in: limits.headTime) { [place] in
                if place.isExtra { context.close(promise: nil) }
            }
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
            // No other handler requests the bytes that are discarded.
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
        endBody()
        self.context = nil
    }
}

// MARK: What the codec says

extension HeadWatch {
    /// - Parameter isInLines: True if the time limit is for each line of the body, and not for the whole body.
    func headIsComplete(isInLines: Bool) {
        isInRequest = true
        requests += 1
        place.requests()
        self.isInLines = isInLines
        defer { began = nil }
        guard let context else { return }
        guard !isInLines else {
            if lineWatching == nil { watchLine(context) }
            return
        }
        bodyBegan = began ?? context.eventLoop.now
        // No check is scheduled yet if the head arrived together with the end of the previous request.
        if watching == nil { watch(context, for: limits.bodyTime) }
    }

    /// Counts the bytes of a body that has not ended; of a body in lines, those of the awaited line.
    ///
    /// - Parameter bytes: All bytes of the body so far.
    func bodyHas(_ bytes: Int) {
        let kept = isInLines ? connection?.unfinishedBytes ?? 0 : bytes
        guard kept >= limits.unfinishedPart || bodyShare != nil, rest == nil, !isGivenUp, let context, let lasting
        else { return }
        let share = bodyShare ?? newShare(of: lasting.bodies, context)
        bodyShare = share
        do throws(Problem) {
            try share.resize(to: kept)
        } catch {
            giveUp(error.type, error.detail, context)
        }
    }

    func requestEnded() {
        bodyBegan = nil
        isInRequest = false
        isInLines = false
        endBody()
        line = nil
        guard let rest else { return }
        if rest.isLast {
            // A caller that reads to the end of the connection has the answer. Further bytes are discarded, so that no
            // part of the answer is lost.
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

    /// Discards the bytes that still arrive of a request whose answer was written to the system. So a caller that sends
    /// before it reads gets its answer.
    ///
    /// - Parameters:
    ///   - isLast: True if the connection ends with that answer.
    ///   - unfinished: The number of the answer's request if it had not ended when the answer did. It may have ended
    ///     since.
    func answerIsWritten(isLast: Bool, unfinished: Int?) {
        let isUnfinished = isInRequest && unfinished == requests
        guard let context, rest == nil, isLast || isUnfinished else { return }
        rest = Rest(bytes: limits.restBytes, isLast: isLast)
        resting = context.eventLoop.assumeIsolated().scheduleTask(in: limits.restTime) { context.close(promise: nil) }
        guard isLast else { return }
        // Nothing is awaited, so a new connection may take this one's place.
        watching?.cancel()
        watching = nil
        endBody()
        isInLines = false
        place.rests()
        if unfinished != nil, !isUnfinished { context.close(mode: .output, promise: nil) }
        context.read()
    }
}

// MARK: Time and places

extension HeadWatch {
    /// Schedules a check of the time. At most one check is scheduled, however many requests arrive.
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

    /// Checks regularly whether the awaited line is still the same. The line's reader reports its number only while it
    /// waits, so that no caller pays for the time that wfd takes to read.
    private func watchLine(_ context: ChannelHandlerContext) {
        lineWatching = context.eventLoop.assumeIsolated().scheduleTask(in: limits.lineLook) { [self] in
            lineWatching = nil
            guard isInLines else { return }
            bodyHas(0)
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
            guard let place = try lasting?.body(for: caller()) else { return }
            bodyPlace = place
            let watch = NIOLoopBound(self, eventLoop: context.eventLoop)
            place.claim.whenLost { [loop = context.eventLoop, number = place.claim.number] in
                loop.execute { watch.value.losesBodyPlace(number) }
            }
        } catch {
            giveUp(error.type, error.detail, context)
        }
    }

    private func newShare(of bodies: UnfinishedBodies, _ context: ChannelHandlerContext) -> UnfinishedBodies.Share {
        let (watch, request) = (NIOLoopBound(self, eventLoop: context.eventLoop), requests)
        return UnfinishedBodies.Share(of: bodies, for: caller()) { [loop = context.eventLoop] in
            loop.execute { watch.value.losesBodyShare(ofRequest: request) }
        }
    }

    private func losesBodyShare(ofRequest number: Int) {
        guard let context, bodyShare != nil, requests == number, !isGivenUp else { return }
        giveUp(Claim.lost.type, Claim.lost.detail, context)
    }

    private func endBody() {
        (bodyPlace, bodyShare) = (nil, nil)
    }

    private func losesBodyPlace(_ number: UInt64) {
        guard let context, bodyPlace?.claim.number == number else { return }
        giveUp(Claim.lost.type, Claim.lost.detail, context)
    }

    private func giveUp(_ type: ProblemType, _ reason: String, _ context: ChannelHandlerContext) {
        isGivenUp = true
        context.fireErrorCaught(BodyRefusal(problem: Problem(type, detail: reason)))
    }
}

/// The error that a request's head was not complete in time.
struct HeadTimeout: Error {}

/// The error that the body of a begun request is no longer awaited; the body's reader sees its end there.
struct BodyRefusal: Error {
    let problem: Problem
}

extension TimeAmount {
    /// The whole seconds, for messages.
    var inSeconds: Int64 { nanoseconds / 1_000_000_000 }
}
