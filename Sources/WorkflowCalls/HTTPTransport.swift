import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import WorkflowAPI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// HTTP/1.1 over a unix socket, TCP or TLS.
struct HTTPTransport: Transport {
    let address: Address
    private let access: ClientAccess
    private let limits: ClientLimits
    private let client: HTTPClient

    init(address: Address, access: ClientAccess, limits: ClientLimits) {
        self.address = address
        self.access = access
        self.limits = limits
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: access.tls, redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(limits.connecting), read: TimeAmount(limits.silence)))
        // An unreachable daemon is reported at once; a caller that wants to wait for the daemon retries above this
        // layer.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func another() -> any Transport { HTTPTransport(address: address, access: access, limits: limits) }

    func execute(_ request: TransportRequest) async throws(ClientError) -> TransportAnswer {
        do {
            let response = try await client.execute(
                httpRequest(request), timeout: TimeAmount(limits.answering + request.extraTime))
            let body = try await response.body.collect(upTo: limits.answerBytes)
            return TransportAnswer(
                status: Int(response.status.code),
                mediaType: response.headers.first(name: "content-type").map(Self.withoutParameters),
                body: Array(body.readableBytesView))
        } catch is NIOTooManyBytesError {
            throw .protocolViolation(address, reason: "it is longer than \(limits.answerBytes) bytes")
        } catch {
            throw await connectionError(error)
        }
    }

    func stream(_ request: TransportRequest) async throws(ClientError) -> StreamedAnswer {
        do {
            // The timeout is for the head; between the parts of the body the client's limit on silence applies.
            let response = try await client.execute(
                httpRequest(request), timeout: TimeAmount(limits.answering + request.extraTime))
            let length = response.headers.first(name: "content-length").flatMap { Int64($0) }
            return StreamedAnswer(
                status: Int(response.status.code),
                mediaType: response.headers.first(name: "content-type").map(Self.withoutParameters),
                body: AnswerBytes(length: length) { parts(of: response.body) })
        } catch {
            throw await connectionError(error)
        }
    }

    private func parts(of body: HTTPClientResponse.Body) -> AnswerBytes.Next {
        // Only this closure uses the iterator, and only one body iterator uses the closure, in one task at a time.
        nonisolated(unsafe) var iterator = body.makeAsyncIterator()
        return {
            do {
                return try await iterator.next().map { Array($0.readableBytesView) }
            } catch {
                throw clientError(error)
            }
        }
    }

    func shutdown() async {
        // `shutdown` throws only if the client was shut down before, and then nothing is left to do.
        try? await client.shutdown()
    }

    private func httpRequest(_ request: TransportRequest) -> HTTPClientRequest {
        var httpRequest = HTTPClientRequest(url: baseURL + request.target)
        httpRequest.method = .init(rawValue: request.method.rawValue)
        httpRequest.headers.add(name: "accept", value: request.accepted + ", " + Problem.mediaType)
        httpRequest.headers.add(name: "user-agent", value: "wfd-client/\(Release.version)")
        if let token = access.token { httpRequest.headers.add(name: "authorization", value: "Bearer \(token)") }
        if let key = request.key { httpRequest.headers.add(name: IdempotencyKey.header, value: key) }
        if let seq = request.expectedSeq { httpRequest.headers.add(name: "if-match", value: "\"\(seq)\"") }
        if request.prefersMinimal { httpRequest.headers.add(name: "prefer", value: "return=minimal") }
        if case .unix = address { httpRequest.headers.add(name: "host", value: "localhost") }
        if let body = request.body {
            httpRequest.headers.add(name: "content-type", value: body.mediaType)
            httpRequest.body = .bytes(body.bytes)
        }
        return httpRequest
    }

    private var baseURL: String {
        switch address {
        case .unix(let path): "http+unix://\(PercentEncoding.encode(path))"
        case .tcp, .tls: "\(address)"
        }
    }

    private static func withoutParameters(_ contentType: String) -> String {
        let type = contentType.prefix { $0 != ";" }
        return type.filter { !$0.isWhitespace }.lowercased()
    }
}

extension HTTPTransport {
    /// Classifies an error that may be one of the daemon's certificate. The certificate is fetched once more to tell.
    private func connectionError(_ error: any Error) async -> ClientError {
        switch error {
        case NIOSSLError.handshakeFailed(let cause) where "\(cause)".contains("CERTIFICATE_VERIFY_FAILED"):
            let end = await PeerCertificate.end(at: address, within: TimeAmount(limits.connecting))
            return .untrusted(
                address,
                reason: end.map { $0 <= time(nil) } == true
                    ? "its certificate has expired; renew it at the daemon"
                    : "its certificate is of an authority that is unknown here; name the authority's file with --ca")
        case NIOSSLError.handshakeFailed:
            return .untrusted(address, reason: "no TLS handshake was possible; is it an address of TLS?")
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return .untrusted(
                address, reason: "its certificate is for other names; use the name of the certificate in the address")
        default: return clientError(error)
        }
    }

    /// Classifies the errors of AsyncHTTPClient and NIO: the request was never sent, or may have been carried out.
    private func clientError(_ error: any Error) -> ClientError {
        switch error {
        case let error as NIOConnectionError:
            if let failure = error.connectionErrors.first { return clientError(failure.error) }
            return .unreachable(address, reason: "the name of the host cannot be resolved")
        case let error as IOError: return clientError(systemError: error.errnoCode)
        case is ChannelError: return .unreachable(address, reason: "no connection within \(limits.connecting)")
        case is CancellationError: return .answerLost(address, reason: "the request was cancelled")
        case let error as HTTPClientError: return clientError(error)
        case HTTPParserError.invalidEOFState: return .answerLost(address, reason: "the connection was closed")
        default: return .protocolViolation(address, reason: "\(error)")
        }
    }

    private func clientError(_ error: HTTPClientError) -> ClientError {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout:
            .unreachable(address, reason: "no connection within \(limits.connecting)")
        case .deadlineExceeded: .answerLost(address, reason: "none came within \(limits.answering)")
        case .readTimeout: .answerLost(address, reason: "nothing came for \(limits.silence)")
        case .remoteConnectionClosed, .uncleanShutdown: .answerLost(address, reason: "the connection was closed")
        case .cancelled: .answerLost(address, reason: "the request was cancelled")
        default: .protocolViolation(address, reason: error.shortDescription)
        }
    }

    private func clientError(systemError code: CInt) -> ClientError {
        switch code {
        case ENOENT: .unreachable(address, reason: "there is no such socket")
        case ECONNREFUSED: .unreachable(address, reason: "nobody listens there")
        case EACCES, EPERM: .notPermitted(address, reason: "the socket's mode or folder forbids it")
        case ECONNRESET, EPIPE: .answerLost(address, reason: "the connection was closed")
        default: .unreachable(address, reason: String(cString: strerror(code)))
        }
    }
}
