import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Translates between the parts of HTTP/1 messages and those that Hummingbird knows, and adds what every answer has.
final class RequestCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Whether browsers may read answers: then they must not guess what is in them.
    private let isOnTCP: Bool

    init(isOnTCP: Bool) {
        self.isOnTCP = isOnTCP
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            do {
                let request = try HTTPRequest(head, secure: false, splitCookie: false)
                context.fireChannelRead(wrapInboundOut(.head(request)))
            } catch {
                context.fireErrorCaught(error)
            }
        case .body(let body): context.fireChannelRead(wrapInboundOut(.body(body)))
        case .end(let trailers):
            context.fireChannelRead(wrapInboundOut(.end(trailers.map { HTTPFields($0, splitCookie: false) })))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part: HTTPServerResponsePart
        switch unwrapOutboundIn(data) {
        case .head(let response): part = .head(head(of: response))
        case .body(let body): part = .body(.byteBuffer(body))
        case .end(let trailers): part = .end(trailers.map(HTTPHeaders.init))
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }

    private func head(of response: HTTPResponse) -> HTTPResponseHead {
        var head = HTTPResponseHead(response)
        // https://fetch.spec.whatwg.org/#x-content-type-options-header
        if isOnTCP, response.status.kind != .informational {
            head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        }
        return head
    }
}
