import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import WorkflowAPI
import WorkflowAccess
import WorkflowStore

/// Translates between the parts of HTTP/1 messages and the parts that Hummingbird knows. The codec also handles the
/// protocol itself: unreadable requests, HTTP/1.0, and the headers of every answer.
final class RequestCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// True if browsers may read answers; then they must not guess the content type.
    private let isOnTCP: Bool
    private let watch: HeadWatch
    private let caller: (HTTPRequest) -> CallerIdentity
    private let admit: (CallerIdentity) -> Void
    /// True if a head has arrived and the end of its request has not.
    private var isInRequest = false
    /// The head of the request whose end has not arrived, and the bytes of its body so far.
    private var newest: (head: HTTPRequestHead, bodyBytes: Int)?
    /// True if all further input is ignored: the last request could not be read to its end, or its answer has ended.
    private var isDeaf = false
    /// The number of requests whose answers have not ended.
    private var unanswered = 0
    /// The last request of the connection: the number of answers that end before its own, and true for HTTP/1.0.
    private var last: (untilAnswer: Int, isOld: Bool)?
    /// True while an answer that no request asked for is discarded.
    private var isDropping = false

    /// True if a request has begun whose answer has not ended.
    var isBusy: Bool { isInRequest || unanswered > 0 }

    /// - Parameters:
    ///   - caller: Returns the caller of a request.
    ///   - admit: Admits an extra connection of a caller like any other, if there is a place for it.
    init(
        isOnTCP: Bool, watch: HeadWatch,
        caller: @escaping (HTTPRequest) -> CallerIdentity = { _ in CallerIdentity(nil, roles: []) },
        admit: @escaping (CallerIdentity) -> Void = { _ in }
    ) {
        self.isOnTCP = isOnTCP
        self.watch = watch
        self.caller = caller
        self.admit = admit
        watch.caller = { [weak self] in
            guard let head = self?.newest?.head,
                let request = try? HTTPRequest(head, secure: false, splitCookie: false)
            else { return nil }
            return caller(request).actor
        }
    }
}

// MARK: Requests

extension RequestCodec {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isDeaf { return }
        switch unwrapInboundIn(data) {
        case .head(let head): read(head, context)
        case .body(let body):
            newest?.bodyBytes += body.readableBytes
            watch.bodyHas(newest?.bodyBytes ?? 0)
            if !isOver, !isDeaf { context.fireChannelRead(wrapInboundOut(.body(body))) }
        case .end(let trailers):
            isInRequest = false
            newest = nil
            if isOver { isDeaf = true }
            watch.requestEnded()
            if unanswered == 0 { watch.allIsAnswered() }
            context.fireChannelRead(wrapInboundOut(.end(trailers.map { HTTPFields($0, splitCookie: false) })))
        }
    }

    private func read(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        var request: HTTPRequest
        do {
            request = try HTTPRequest(head, secure: false, splitCookie: false)
        } catch {
            return refuse("The method '\(head.method.rawValue.prefix(40))' is none", context)
        }
        // RFC 9112, 3.2.2: if the target has a host, the target's host counts, not the field.
        if !head.uri.hasPrefix("/"), let start = head.uri.firstRange(of: "://")?.upperBound {
            request.authority = String(head.uri[start...].prefix { !"/?#".contains($0) })
        }
        let isOld = head.version.major == 1 && head.version.minor == 0
        let isLast = isOld || Self.hasUncertainEnd(head)
        // The answer ends with the connection: HTTP/1.0 has no chunks, and `keep-alive` is not certain there.
        if isLast { request.headerFields[.connection] = "close" }
        if isOld { request.headerFields[.expect] = nil }
        if watch.isExtra, !Self.isAboutHealth(request) { admit(caller(request)) }
        if last == nil, isLast || !head.isKeepAlive || watch.isExtra { last = (unanswered, isOld) }
        if watch.isExtra { request = Self.extra(request) }
        isInRequest = true
        newest = (head, 0)
        unanswered += 1
        watch.headIsComplete(isInLines: Self.isInLines(request))
        context.fireChannelRead(wrapInboundOut(.head(request)))
    }

    /// Returns true if a proxy before wfd may see the request's end elsewhere, or if the parser reads no further: after
    /// another transfer coding than `chunked` (RFC 9112, 6.1), `CONNECT`, and `Upgrade`.
    private static func hasUncertainEnd(_ head: HTTPRequestHead) -> Bool {
        head.method == .CONNECT
            || head.headers.contains { name, value in
                switch name.utf8.count {
                case 7: name.lowercased() == "upgrade"
                case 17: name.lowercased() == "transfer-encoding" && value.lowercased() != "chunked"
                default: false
                }
            }
    }

    private static let linePaths = [Route.sendEvents, .reportTasks, .runBulk].map {
        $0.template.description.split(separator: "/")
    }

    /// Returns true if the body is read line by line and may last as long as its caller likes.
    private static func isInLines(_ request: HTTPRequest) -> Bool {
        // Nearly all requests have this media type, which needs no parsing.
        guard let type = request.headerFields[.contentType], type != "application/json",
            type.lowercased().hasPrefix(LineStream.mediaType)
        else { return false }
        // Splits the path as the router does.
        return linePaths.contains(URI(request.path ?? "").path.split(separator: "/"))
    }

    private static let healthPaths = [Route.live, .ready].map(\.template.description)

    private static func isAboutHealth(_ request: HTTPRequest) -> Bool {
        request.path.map(healthPaths.contains) ?? false
    }

    /// Returns the request that is answered on an extra connection: a question about health, or a stand-in that is
    /// refused because there are too many connections.
    private static func extra(_ request: HTTPRequest) -> HTTPRequest {
        guard isAboutHealth(request) else {
            return .unreadable("All connections of this address are in use", .overloaded)
        }
        var request = request
        request.headerFields[.connection] = "close"
        return request
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is ByteToMessageDecoderError where isDeaf: break
        case is HTTPParserError where isDeaf: break
        case is HeadTimeout where isDeaf, is BodyRefusal where isDeaf: break
        case is HeadTimeout:
            let seconds = watch.limits.headTime.inSeconds
            refuse("The head of the request was not complete after \(seconds) seconds", context, .requestTimeout)
        case is BodyRefusal:
            // The body's reader sees the end of the body there, and reports the refusal.
            isDeaf = true
            context.fireErrorCaught(error)
        case HTTPParserError.headerOverflow where !isInRequest:
            // RFC 6585, section 5.
            refuse("The head of the request is larger than \(watch.limits.headBytes) bytes", context, .headTooLarge)
        case let error as HTTPParserError where !isInRequest: refuse(error.reason, context)
        default: context.fireErrorCaught(error)
        }
    }

    /// Answers input that is not a request like a request: in its turn, and with a problem.
    private func refuse(
        _ reason: String, _ context: ChannelHandlerContext, _ type: ProblemType = .invalidRequest
    ) {
        isDeaf = true
        unanswered += 1
        context.fireChannelRead(wrapInboundOut(.head(.unreadable(reason, type))))
        context.fireChannelRead(wrapInboundOut(.end(nil)))
        context.fireChannelReadComplete()
    }
}

// MARK: Answers

extension RequestCodec {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if case .head = part {
            // If a body breaks off after its request was answered, Hummingbird answers again.
            isDropping = unanswered == 0
        }
        if isDropping {
            promise?.succeed()
            return
        }
        switch part {
        case .head(let response): context.write(wrapOutboundOut(.head(head(of: response))), promise: promise)
        case .body(let body): context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: promise)
        case .end(let trailers):
            let isLast = isLastAnswer
            unanswered -= 1
            if unanswered == 0, !isInRequest { watch.allIsAnswered() }
            last?.untilAnswer -= 1
            context.write(
                wrapOutboundOut(.end(trailers.map(HTTPHeaders.init))),
                promise: isLast || isInRequest && unanswered == 0
                    ? watchingRest(isLast: isLast, promise, context) : promise)
        }
    }

    /// True if the connection ends with the answer that is being written. Its caller wanted that, or nothing after its
    /// request is read.
    private var isLastAnswer: Bool { isDeaf && unanswered == 1 || last?.untilAnswer == 0 }

    /// True if the last answer has ended.
    private var isOver: Bool { last.map { $0.untilAnswer < 0 } ?? false }

    /// Watches the rest of a request once its answer is written.
    private func watchingRest(
        isLast: Bool, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) -> EventLoopPromise<Void> {
        let promise = promise ?? context.eventLoop.makePromise()
        let unfinished = isInRequest && unanswered == 0 ? watch.requests : nil
        promise.futureResult.assumeIsolated().whenSuccess { [watch] in
            watch.answerIsWritten(isLast: isLast, unfinished: unfinished)
        }
        return promise
    }

    /// Returns true if the request is refused before its whole body has arrived, and too much of the body is left to
    /// wait for.
    private func isCutOff(_ response: HTTPResponse) -> Bool {
        guard isInRequest, unanswered == 1, response.status.code >= 400, let newest else { return false }
        let length = newest.head.headers.first(name: "Content-Length").flatMap { Int($0) }
        return length.map { $0 > newest.bodyBytes + watch.limits.restBytes } ?? true
    }

    private func head(of response: HTTPResponse) -> HTTPResponseHead {
        var head = HTTPResponseHead(response)
        if response.status.kind == .informational { return head }
        // https://fetch.spec.whatwg.org/#x-content-type-options-header
        if isOnTCP { head.headers.add(name: "X-Content-Type-Options", value: "nosniff") }
        if last == nil, isCutOff(response) { last = (untilAnswer: 0, isOld: false) }
        // RFC 9110, 15.5.9; RFC 9112, 9.6.
        if isLastAnswer {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        if let last, last.untilAnswer == 0, last.isOld { head.version = .http1_0 }
        return head
    }
}

extension HTTPRequest {
    /// Returns the stand-in for a request that cannot be read. Unlike every other request, a stand-in has no path;
    /// scheme and host contain the problem. A stand-in is the last request of its connection.
    fileprivate static func unreadable(_ reason: String, _ type: ProblemType) -> HTTPRequest {
        HTTPRequest(
            method: .get, scheme: type.rawValue, authority: reason, path: nil, headerFields: [.connection: "close"])
    }

    /// The reason why the request cannot be read; `nil` if it can.
    var unreadable: Problem? {
        guard path == nil else { return nil }
        return Problem(scheme.flatMap(ProblemType.init) ?? .invalidRequest, detail: authority ?? "")
    }
}

extension HTTPParserError {
    fileprivate var reason: String {
        switch self {
        case .invalidEOFState, .closedConnection: "The head of the request was cut off"
        case .invalidMethod: "The request begins with no method of HTTP"
        case .invalidURL: "The target of the request is no path"
        case .invalidVersion: "The version of the request is none of HTTP; wfd takes HTTP/1.1 and HTTP/1.0"
        case .invalidHeaderToken, .invalidCharactersUsed: "A header field has a character that is not allowed there"
        case .invalidContentLength: "The Content-Length is no number, or stands beside a Transfer-Encoding"
        case .unexpectedContentLength: "The request has more than one Content-Length"
        // The parser has no errors of their own for these.
        case .unknown:
            "A line ends without CR, or the Transfer-Encoding stands beside a Content-Length or does not end with "
                + "'chunked'"
        default: "The request is no HTTP/1.1"
        }
    }
}
