import HTTPTypes
import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowAccess
import WorkflowCalls

/// Carries the requests of the console's pages to the routes of the same address, without a connection. The gate and
/// the routes see the caller of the session, and decide as for everybody.
struct InsideTransport: Transport {
    let address: Address
    let api: RouterResponder<ServerContext>
    /// The request of the page.
    let page: ServerContext
    /// The caller of the session.
    let peer: Peer
    /// The host that the page's request names.
    let authority: String?

    /// - Parameters:
    ///   - page: The request of the page.
    ///   - identity: The caller of the session, as it is now.
    ///   - authority: The host that the page's request names.
    init(
        _ api: RouterResponder<ServerContext>, within page: ServerContext, as identity: CallerIdentity,
        of caller: SessionCaller, for authority: String?
    ) {
        address = .tcp(host: "127.0.0.1", port: 1)
        (self.api, self.page, self.authority) = (api, page, authority)
        peer = Peer(actor: identity.actor, .session(caller))
    }

    /// The longest answer that a page is made of.
    fileprivate static let answerBytes = 16 << 20

    func execute(_ request: TransportRequest) async throws(ClientError) -> TransportAnswer {
        let collected = CollectedBody(limit: Self.answerBytes)
        let parts = collected.parts
        do {
            let response = try await api.respond(
                to: Request(head: head(of: request), body: body(of: request)),
                context: ServerContext(within: page, as: peer))
            try await response.body.write(collected)
            let type = response.headers[.contentType].map { $0.prefix { $0 != ";" }.lowercased() }
            return TransportAnswer(
                status: response.status.code, mediaType: type, body: Array(parts.buffer.readableBytesView))
        } catch {
            throw .protocolViolation(address, reason: "\(error)")
        }
    }

    /// Hands the body on as it is made. A reader that stops early ends it, as a caller that disconnects does.
    func stream(_ request: TransportRequest) async throws(ClientError) -> StreamedAnswer {
        let response: Response
        do {
            response = try await api.respond(
                to: Request(head: head(of: request), body: body(of: request)),
                context: ServerContext(within: page, as: peer))
        } catch {
            throw .protocolViolation(address, reason: "\(error)")
        }
        let body = response.body
        let bytes = AnswerBytes {
            let (parts, reader) = AsyncThrowingStream.makeStream(of: [UInt8].self)
            // The task ends with the body, or when the reader lets go of the stream.
            let task = Task {
                do {
                    try await body.write(PassedBody(reader: reader, left: Self.answerBytes))
                    reader.finish()
                } catch {
                    reader.finish(throwing: error)
                }
            }
            reader.onTermination = { _ in task.cancel() }
            // Only this closure uses the iterator, in one task at a time.
            nonisolated(unsafe) var iterator = parts.makeAsyncIterator()
            return { try await iterator.next() }
        }
        let type = response.headers[.contentType].map { $0.prefix { $0 != ";" }.lowercased() }
        return StreamedAnswer(status: response.status.code, mediaType: type, body: bytes)
    }

    /// Returns the answer to a request for a stream of rows, which begins when the answer is written.
    ///
    /// - Parameter last: The place after which the stream begins, instead of that in the target.
    func open(_ target: String, after last: String?) async -> Response {
        var head = HTTPRequest(method: .get, scheme: nil, authority: authority, path: target)
        head.headerFields[.lastEventID] = last
        do {
            return try await api.respond(
                to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
                context: ServerContext(within: page, as: peer))
        } catch {
            return Response(
                WholeAnswer(problem: Problem(.internalError, detail: "The stream cannot be opened")))
        }
    }

    func another() -> any Transport { self }

    func shutdown() async {}

    private func head(of request: TransportRequest) -> HTTPRequest {
        var fields = HTTPFields()
        fields[.accept] = request.accepted
        fields[.contentType] = request.body?.mediaType
        fields[.idempotencyKey] = request.key
        fields[.ifMatch] = request.expectedSeq.map { "\"\($0)\"" }
        if request.prefersMinimal { fields[.prefer] = "return=minimal" }
        return HTTPRequest(
            method: HTTPRequest.Method(request.method), scheme: nil, authority: authority, path: request.target,
            headerFields: fields)
    }

    private func body(of request: TransportRequest) -> RequestBody {
        RequestBody(buffer: request.body.map { ByteBuffer(bytes: $0.bytes) } ?? ByteBuffer())
    }
}

private struct AnswerTooLong: Error, CustomStringConvertible {
    let limit: Int
    var description: String { "it is longer than \(limit) bytes" }
}

/// Keeps the body of an answer, up to a length.
private struct CollectedBody: ResponseBodyWriter {
    /// The bytes so far. Only the task that writes the body uses them.
    final class Parts {
        var buffer = ByteBuffer()
    }

    let limit: Int
    let parts = Parts()

    mutating func write(_ buffer: ByteBuffer) async throws {
        guard parts.buffer.readableBytes + buffer.readableBytes <= limit else {
            throw AnswerTooLong(limit: limit)
        }
        parts.buffer.writeImmutableBuffer(buffer)
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// Hands the body of an answer to its reader, up to a length.
private struct PassedBody: ResponseBodyWriter {
    let reader: AsyncThrowingStream<[UInt8], any Error>.Continuation
    /// The number of bytes that may follow.
    var left: Int

    mutating func write(_ buffer: ByteBuffer) async throws {
        left -= buffer.readableBytes
        guard left >= 0 else { throw AnswerTooLong(limit: InsideTransport.answerBytes) }
        if case .terminated = reader.yield(Array(buffer.readableBytesView)) { throw CancellationError() }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
