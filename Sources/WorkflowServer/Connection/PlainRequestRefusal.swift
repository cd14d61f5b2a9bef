import NIOCore
import WorkflowAPI
import WorkflowJSON

/// Answers a request without TLS on an address with TLS, so that its caller learns what is wrong.
///
/// The handler stands before TLS. A record of TLS begins with a number below 32 (RFC 8446, 5.1), and a request with a
/// letter. `HandshakeWatch` bounds the time for which the rest of the request is discarded.
final class PlainRequestRefusal: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = IOData

    /// True if the connection's first byte is a letter; `nil` before the first byte.
    private var isPlain: Bool?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isFirst = isPlain == nil
        let isPlain = isPlain ?? Self.isLetter(unwrapInboundIn(data).readableBytesView.first)
        self.isPlain = isPlain
        guard isPlain else { return context.fireChannelRead(data) }
        guard isFirst else { return }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(Self.answer)), promise: nil)
        context.close(mode: .output, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isPlain == true, case .inputClosed? = event as? ChannelEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    private static func isLetter(_ byte: UInt8?) -> Bool {
        byte.map { (UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) } ?? false
    }

    private static let answer: ByteBuffer = {
        let body = JSONWriter.bytes(
            Problem(.invalidRequest, detail: "This address speaks TLS alone: its URL begins with https://"))
        let head = """
            HTTP/1.1 400 Bad Request\r
            Content-Type: \(Problem.mediaType)\r
            Content-Length: \(body.count)\r
            X-Content-Type-Options: nosniff\r
            Connection: close\r
            \r

            """
        return ByteBuffer(bytes: Array(head.utf8) + body)
    }()
}
