import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// Carries out `Route.sendEvent` where a connection is read, or forwards it to the daemon that owns the data, without a
/// task and without the router. Most requests to a daemon are for this route.
///
/// Any other request goes on to the router, whose route for events gives the same answers. The router gets requests
/// that the gate refuses, query parameters, percent-encoded names, bodies without a length, and `Connection: close`. It
/// also gets requests that the other daemon did not answer, and those that arrive while an answer of the router is to
/// be written, because answers keep the order of their requests.
final class SendHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        /// Input is passed on, or begins a request for an event.
        case idle
        case reading(HTTPRequest, instance: InstanceName, AccessControl.Admission)
        /// The engine or another daemon has the event, and further input is held.
        case sending
    }

    /// Input that arrived after an event that is not answered.
    private enum Held {
        case part(HTTPRequestPart)
        case error(any Error)
        case inputClosed
    }

    private let endpoint: EventEndpoint
    private let gate: RequestGate
    private let placement: RequestPlacement
    private let problems: ProblemAnswers
    private let date: DateHeader
    private let timer: RequestMetrics.Timer
    private let peer: Peer
    private var context: ChannelHandlerContext?
    private var state = State.idle
    /// The part of the current body that has arrived.
    private var body = ByteBuffer()
    /// Requests that were passed on and are not answered.
    private var passedOn = 0
    private var held = CircularBuffer<Held>(initialCapacity: 0)
    /// The event that another daemon has.
    private var forwarded: ForwardedSend?
    /// True if the caller does not take its answers.
    private var isFull = false
    /// True if a read was requested. The read waits until no input is held and the caller takes its answers.
    private var isReadHeld = false

    init(
        endpoint: EventEndpoint, gate: RequestGate, placement: RequestPlacement = .alone, problems: ProblemAnswers,
        date: DateHeader, peer: Peer
    ) {
        self.endpoint = endpoint
        self.gate = gate
        self.placement = placement
        self.problems = problems
        timer = problems.metrics.timer(of: .sendEvent)
        self.date = date
        self.peer = peer
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        held.removeAll()
        forwarded?.cancel()
        forwarded = nil
    }
}

// MARK: Requests

extension SendHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(.part(unwrapInboundIn(data)), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        take(.error(error), context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { return take(.inputClosed, context) }
        context.fireUserInboundEventTriggered(event)
    }

    func read(context: ChannelHandlerContext) {
        if held.isEmpty, !isFull { context.read() } else { isReadHeld = true }
    }

    private func take(_ what: Held, _ context: ChannelHandlerContext) {
        if mayGoOn { carryOut(what, context) } else { held.append(what) }
    }

    private var mayGoOn: Bool {
        if case .sending = state { false } else { !isFull }
    }

    private func carryOut(_ what: Held, _ context: ChannelHandlerContext) {
        switch (what, state) {
        case (.part(.head(let head)), _): take(head, context)
        case (.part(.body(let part)), .reading):
            if body.readableBytes == 0 { body = part } else { body.writeImmutableBuffer(part) }
        case (.part(.end), .reading(let head, let instance, let admission)):
            send(head, to: instance, admission, context)
        case (.error, .reading(let head, _, _)), (.inputClosed, .reading(let head, _, _)):
            // Hummingbird handles incomplete requests.
            state = .idle
            passedOn += 1
            passOn(.part(.head(head)), context)
            passOn(.part(.body(takeBody())), context)
            passOn(what, context)
        default:
            passOn(what, context)
        }
    }

    private func take(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
        // While a request that was passed on is not answered, the router takes this request too.
        if passedOn == 0 {
            let instance = placement.isHere || placement.forwarding != nil ? Self.instance(of: head) : nil
            let mustContinue = head.waitsToContinue && Self.mayTakeBody(of: head)
            if instance != nil || mustContinue,
                case .success(let admission) = gate.admit(head, from: peer, for: Self.route(of: head, instance))
            {
                if mustContinue { sayContinue(context) }
                if let instance {
                    state = .reading(head, instance: instance, admission)
                    return
                }
            }
        }
        passedOn += 1
        passOn(.part(.head(head)), context)
    }

    /// Asks the caller for its body, which the caller holds back until then or for a second.
    private func sayContinue(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    private func takeBody() -> ByteBuffer {
        defer { body = ByteBuffer() }
        return body
    }

    private func passOn(_ what: Held, _ context: ChannelHandlerContext) {
        switch what {
        case .part(let part): context.fireChannelRead(wrapInboundOut(part))
        case .error(let error): context.fireErrorCaught(error)
        case .inputClosed: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    /// Returns the route of a request, which the router will find too; `nil` if there is none.
    private static func route(of head: HTTPRequest, _ instance: InstanceName?) -> Route? {
        if instance != nil { return .sendEvent }
        guard let path = head.path?.prefix(while: { $0 != "?" }) else { return nil }
        return Route.all.first { $0.method.rawValue == head.method.rawValue && $0.template.matches(path) }
    }

    /// Returns true unless the body of a request is refused because of its length alone.
    private static func mayTakeBody(of request: HTTPRequest) -> Bool {
        !request.announcesTooMuch
            || request.path?.hasPrefix(Route.sendEvents.template.description) == true
    }

    /// Returns the instance that a request sends an event to; `nil` if the request must be passed on.
    private static func instance(of request: HTTPRequest) -> InstanceName? {
        guard request.method == .post, let path = request.path,
            let name = Route.sendEvent.template.onlyValue(in: path),
            let length = request.headerFields[.contentLength].flatMap({ Int($0) }), length <= APILimits.bodyBytes,
            request.headerFields[.connection].map({ $0 == "keep-alive" }) ?? true
        else { return nil }
        return InstanceName(rawValue: name)
    }
}

// MARK: Answers

extension SendHandler {
    private func send(
        _ request: HTTPRequest, to instance: InstanceName, _ admission: AccessControl.Admission,
        _ context: ChannelHandlerContext
    ) {
        if let (forwarder, address) = placement.forwarding {
            return forward(request, admission, by: forwarder, to: address, context)
        }
        // The data is nowhere now.
        guard placement.isHere else { return passOn(request, takeBody()) }
        state = .sending
        let body = takeBody()
        let order: EventEndpoint.Order
        do {
            // The token may have been revoked while the body arrived.
            guard admission.stillHolds() else { throw AccessControl.unauthenticated }
            order = try endpoint.order(request, body: body, to: instance, SendParameters(), by: admission.caller)
        } catch {
            // The caller of this function goes on with the held input.
            return write(problems.answer(to: error, request))
        }
        let loop = context.eventLoop
        let handler = NIOLoopBound(self, eventLoop: loop)
        let begin = ContinuousClock.now
        endpoint.engine.begin(order.command) { outcome in
            GatheredCalls.call(on: loop) {
                handler.value.timer.add(since: begin)
                handler.value.answer(request, order, outcome)
            }
        }
    }

    private func answer(
        _ request: HTTPRequest, _ order: EventEndpoint.Order, _ outcome: Result<SendResult, Rejection>
    ) {
        do throws(Problem) {
            answer(try endpoint.answer(to: order, outcome))
        } catch {
            if error.lacksName { return suggest(error, request, for: order.command.caller) }
            answer(problems.answer(to: error, request))
        }
    }

    private func suggest(_ problem: Problem, _ request: HTTPRequest, for caller: Caller) {
        guard let loop = context?.eventLoop else { return }
        let handler = NIOLoopBound(self, eventLoop: loop)
        Task { [problems] in
            let problem = await problems.completed(problem, for: caller)
            loop.execute { handler.value.answer(problems.answer(to: problem, request)) }
        }
    }

    private func answer(_ answer: WholeAnswer) {
        write(answer)
        goOn()
    }

    private func write(_ answer: WholeAnswer) {
        state = .idle
        // Without a context, the connection is gone.
        guard let context else { return }
        var head = HTTPResponse(status: answer.status, headerFields: answer.headers)
        head.headerFields[.contentLength] = String(answer.body.readableBytes)
        head.headerFields[.date] = date.now
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        isFull = !context.channel.isWritable
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { passedOn -= 1 }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isFull, context.channel.isWritable {
            isFull = false
            goOn()
        }
        context.fireChannelWritabilityChanged()
    }

    /// Handles the held input as far as possible.
    private func goOn() {
        guard let context, context.channel.isActive else { return }
        if !held.isEmpty, mayGoOn {
            while mayGoOn, let next = held.popFirst() { carryOut(next, context) }
            context.fireChannelReadComplete()
        }
        if isReadHeld, held.isEmpty, !isFull {
            isReadHeld = false
            context.read()
        }
    }

    /// Closes when the answers to events are written: a channel whose input is closed would drop the bytes that the
    /// caller has not taken.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode != .input, passedOn <= 0 else { return context.close(mode: mode, promise: promise) }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: mode, promise: promise) }
        // The empty body sends nothing, but comes after everything else.
        context.writeAndFlush(wrapOutboundOut(.body(ByteBuffer())), promise: written)
    }
}

// MARK: Forwarding

extension SendHandler {
    private func forward(
        _ request: HTTPRequest, _ admission: AccessControl.Admission, by forwarder: Forwarder,
        to address: PeerAddress, _ context: ChannelHandlerContext
    ) {
        state = .sending
        let body = takeBody()
        let begin = ContinuousClock.now
        do {
            guard admission.stillHolds() else { throw AccessControl.unauthenticated }
            let caller = ForwardedCaller(admission.caller, admission.identity)
            let loop = context.eventLoop
            forwarded = try forwarder.send(request, body, of: caller, to: address, on: loop) { [self] end in
                forwarded = nil
                switch end {
                case .answered(let answer):
                    timer.add(since: begin)
                    self.answer(answer)
                case .refused(let problem):
                    timer.add(since: begin)
                    answer(problems.answer(to: problem, request))
                case .passedOn:
                    passOn(request, body)
                    self.context?.fireChannelReadComplete()
                    goOn()
                }
            }
        } catch {
            // The caller of this function goes on with the held input.
            write(problems.answer(to: error, request))
        }
    }

    /// Lets the router take a request.
    private func passOn(_ request: HTTPRequest, _ body: ByteBuffer) {
        state = .idle
        guard let context else { return }
        passedOn += 1
        passOn(.part(.head(request)), context)
        passOn(.part(.body(body)), context)
        passOn(.part(.end(nil)), context)
    }
}

/// The time in a `Date` header, formatted once a second.
final class DateHeader: Sendable {
    private let clock = SystemClock()
    private let written = Mutex<(second: Int64, text: String)>((.min, ""))

    /// The current time.
    var now: String {
        let second = clock.now().rawValue / 1_000
        return written.withLock { written in
            if written.second != second {
                written = (second, Self.text(of: second))
            }
            return written.text
        }
    }

    /// Returns a time in the format of RFC 9110, such as `Sat, 21 Nov 2026 08:30:00 GMT`.
    static func text(of second: Int64) -> String {
        var time = time_t(second)
        var parts = tm()
        gmtime_r(&time, &parts)
        return String(unsafeUninitializedCapacity: 32) { strftime($0.baseAddress, 32, "%a, %d %b %Y %T GMT", &parts) }
    }
}
