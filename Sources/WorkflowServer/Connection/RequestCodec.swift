import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import WorkflowAPI

/// Translates between the parts of HTTP/1 messages and those that Hummingbird knows, and sees to what concerns the
/// protocol itself: requests that cannot be read, HTTP/1.0, and what every answer has.
final class RequestCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether browsers may read answers: then they must not guess what is in them.
    private let isOnTCP: Bool
    private let watch: HeadWatch
    /// Who is at the other end.
    let peer: Peer
    /// A head has come, and the end of its request has not.
    private var isInRequest = false
    /// The head of the request whose end has not come, and how much of its body.
    private var newest: (head: HTTPRequestHead, bodyBytes: Int)?
    /// Nothing that comes is looked at any more: the last request could not be read.
    private var isDeaf = false
    /// Requests whose answers have not ended.
    private var unanswered = 0
    /// A request after which its caller wants no other, and how many answers end before its own.
    private var last: (untilAnswer: Int, isOld: Bool)?
    /// An answer goes out that nobody has asked for.
    private var isDropping = false

    init(isOnTCP: Bool, watch: HeadWatch, peer: Peer) {
        self.isOnTCP = isOnTCP
        self.watch = watch
        self.peer = peer
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
            if !isOver { context.fireChannelRead(wrapInboundOut(.body(body))) }
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
        // RFC 9112, 3.2.2: the host of a target with one counts, and not the field.
        if !head.uri.hasPrefix("/"), let start = head.uri.firstRange(of: "://")?.upperBound {
            request.authority = String(head.uri[start...].prefix { !"/?#".contains($0) })
        }
        let isOld = head.version.major == 1 && head.version.minor == 0
        if isOld {
            // Its answer ends with the connection: HTTP/1.0 knows neither chunks nor, for sure, `keep-alive`.
            request.headerFields[.connection] = "close"
            request.headerFields[.expect] = nil
        }
        if last == nil, isOld || !head.isKeepAlive || watch.isExtra { last = (unanswered, isOld) }
        if watch.isExtra { request = Self.extra(request) }
        isInRequest = true
        newest = (head, 0)
        unanswered += 1
        watch.headIsComplete(isInLines: Self.isInLines(request))
        context.fireChannelRead(wrapInboundOut(.head(request)))
    }

    private static let linePaths = [Route.sendEvents, .reportTasks, .runBulk].map {
        $0.template.description.split(separator: "/")
    }

    /// True: the body is read line by line, and may last as long as its caller likes.
    private static func isInLines(_ request: HTTPRequest) -> Bool {
        // What nearly all requests say needs no taking apart.
        guard let type = request.headerFields[.contentType], type != "application/json",
            type.lowercased().hasPrefix(LineStream.mediaType)
        else { return false }
        // As the router sees it.
        return linePaths.contains(URI(request.path ?? "").path.split(separator: "/"))
    }

    private static let healthPaths = Route.all.filter { $0.permission == .health }.map(\.template.description)

    /// What is answered of a request on a connection too many: one question about health, or that there are too many.
    private static func extra(_ request: HTTPRequest) -> HTTPRequest {
        guard let path = request.path, healthPaths.contains(path) else {
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
            // The body ends there for whoever reads it, and says so.
            isDeaf = true
            context.fireErrorCaught(error)
        case HTTPParserError.headerOverflow where !isInRequest:
            // RFC 6585, section 5.
            refuse("The head of the request is larger than \(watch.limits.headBytes) bytes", context, .headTooLarge)
        case let error as HTTPParserError where !isInRequest: refuse(error.reason, context)
        default: context.fireErrorCaught(error)
        }
    }

    /// Has what is no request answered like one: in its turn, and with a problem.
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
            // Hummingbird answers a body that breaks off behind the answer to its request.
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

    /// True: the connection ends with the answer that is written. Its caller wanted that, or nothing behind its
    /// request is read.
    private var isLastAnswer: Bool { isDeaf && unanswered == 1 || last?.untilAnswer == 0 }

    /// True: the last answer has ended.
    private var isOver: Bool { last.map { $0.untilAnswer < 0 } ?? false }

    /// Has what still comes of a request watched once its answer is written.
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

    /// True: the request is refused before its body has come, and too much of that is left to wait for.
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
    /// What stands for a request that cannot be read: it has no path, which every other one has, and the problem in the
    /// places of scheme and host. It is the last of its connection.
    fileprivate static func unreadable(_ reason: String, _ type: ProblemType) -> HTTPRequest {
        HTTPRequest(
            method: .get, scheme: type.rawValue, authority: reason, path: nil, headerFields: [.connection: "close"])
    }

    /// Why the request cannot be read; nil when it can.
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
        // The parser has no word of its own for a field that stands behind a Content-Length.
        case .unknown: "The Transfer-Encoding stands beside a Content-Length, or does not end with 'chunked'"
        default: "The request is no HTTP/1.1"
        }
    }
}
