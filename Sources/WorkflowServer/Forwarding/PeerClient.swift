import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOSSL

/// Sends requests to other daemons, over connections that it keeps.
final class PeerClient: Sendable {
    /// A request as it goes to the other daemon.
    struct Message: Sendable {
        let method: HTTPRequest.Method
        let target: String
        let fields: HTTPFields
        /// The body; `nil` if the route reads none.
        let body: ForwardedBody?
    }

    /// The end of one attempt.
    enum Outcome: Sendable {
        case answered(PeerAnswer)
        /// The other daemon does not own the data, and carried nothing out.
        case refused
        /// Nothing was sent that the other daemon could carry out.
        case unsent(any Error)
        /// The request was sent, at least in part, and has no answer.
        case broken(any Error)
    }

    private let client: HTTPClient

    /// - Parameter connections: The connections to one daemon at once.
    init(secret: PeerSecret, connections: Int) {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: secret.clientSettings, redirectConfiguration: .disallow,
            timeout: .init(connect: ForwardLimits.connecting, read: ForwardLimits.silence))
        configuration.httpVersion = .http1Only
        configuration.decompression = .disabled
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        configuration.connectionPool.idleTimeout = ForwardLimits.idle
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // The client lives until its connections are closed. It fails only if it was shut down before.
        client.shutdown { _ in }
    }

    /// Sends a message once. A short answer is read to its end.
    func send(_ message: Message, to address: PeerAddress) async throws -> Outcome {
        var request = HTTPClientRequest(url: "https://\(address)\(message.target)")
        request.method = .init(rawValue: message.method.rawValue)
        request.headers = .init(message.fields)
        var attempt: ForwardedBody.Attempt?
        if let body = message.body, body.length != 0 {
            let parts = ForwardedBody.Attempt(body)
            request.body = .stream(parts, length: body.length.map { .known(Int64($0)) } ?? .unknown)
            attempt = parts
        }
        do {
            let response = try await client.execute(request, timeout: ForwardLimits.answering)
            if response.headers.contains(name: HTTPField.Name.notOwner.rawName) { return .refused }
            return .answered(try await PeerAnswer(response, isHead: message.method == .head))
        } catch {
            // A request that its own caller ends is no failure of the other daemon.
            try Task.checkCancellation()
            if let failure = message.body?.failure { throw failure }
            if let attempt, !attempt.hasBegun { return .unsent(error) }
            return attempt == nil && Self.isOfConnecting(error) ? .unsent(error) : .broken(error)
        }
    }

    /// Returns true for an error that comes before anything was sent.
    private static func isOfConnecting(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .connectTimeout || error == .getConnectionFromPoolTimeout
        case is NIOConnectionError, NIOSSLError.handshakeFailed: true
        case let error as IOError: error.errnoCode == ECONNREFUSED || error.errnoCode == EHOSTUNREACH
        case let error as ChannelError: if case .connectTimeout = error { true } else { false }
        default: false
        }
    }
}

/// The answer of the other daemon.
struct PeerAnswer: Sendable {
    /// The content of an answer.
    enum Content: Sendable {
        case whole(ByteBuffer)
        case arriving(HTTPClientResponse.Body, length: Int?)
    }

    let status: HTTPResponse.Status
    let fields: HTTPFields
    let content: Content

    /// Reads an answer to its end if it is short.
    fileprivate init(_ response: HTTPClientResponse, isHead: Bool) async throws {
        status = HTTPResponse.Status(code: Int(response.status.code))
        fields = ForwardedFields.answer(HTTPFields(response.headers, splitCookie: false), isHead: isHead)
        let length = response.headers.first(name: "content-length").flatMap { Int($0) }
        let hasNone = isHead || status == .noContent || status == .notModified
        if hasNone || length.map({ $0 <= ForwardLimits.wholeBytes }) ?? false {
            content = .whole(try await response.body.collect(upTo: ForwardLimits.wholeBytes))
        } else {
            content = .arriving(response.body, length: length)
        }
    }
}
