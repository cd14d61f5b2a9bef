import DaemonTesting
import Foundation
import NIOCore
import Testing
import ThreadTesting
import WorkflowClient
import WorkflowJSON

@testable import WorkflowServer  // The limits of connections are no part of what the daemon sets.

/// Tests requests without TLS at an address with TLS: their callers learn what is wrong.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct PlainRequestTests {
    private static let detail = "This address speaks TLS alone: its URL begins with https://"

    private let folder: TemporaryFolder
    private let certificate: ServerCertificate

    init() async throws {
        folder = try TemporaryFolder()
        let pair = try await TestAuthority(in: folder).pair("a")
        certificate = try ServerCertificate(certificate: pair.certificate, key: pair.key)
    }

    /// Returns a host and its address without TLS.
    private func host(handshakeTime: TimeAmount = .hours(1)) async throws -> (ServerHost, plain: Address) {
        var limits = ServerLimits()
        limits.handshakeTime = handshakeTime
        let host = try await ServerHost(certificate: certificate, limits: limits)
        guard case .tls(let name, let port) = host.address else { throw TestingError("no TLS") }
        return (host, .tcp(host: name, port: port))
    }

    @Test(arguments: ["GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", "G", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"])
    func aRequestIsToldToUseTLS(text: String) async throws {
        let (host, address) = try await host()
        try await onOwnThread {
            let connection = try RawConnection(to: address)
            try connection.write(Array(text.utf8))
            let answer = try connection.readAnswer()
            #expect(answer.status == 400)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.headers["connection"] == "close")
            #expect(try answer.object["detail"] == .string(Self.detail))
            #expect(connection.isAtEnd)
        }
        #expect(try await host.answer(to: .get("/livez")).status == 200)
        try await host.stop()
    }

    /// It writes all that it has before it reads.
    @Test func aLargeRequestHasItsAnswer() async throws {
        let (host, address) = try await host()
        try await onOwnThread {
            let connection = try RawConnection(to: address)
            try connection.write(RawRequest.post("/v1/machines", String(repeating: "x", count: 4 << 20)).bytes)
            #expect(try connection.readAnswer().status == 400)
        }
        try await host.stop()
    }

    /// Neither silence nor a body without end holds the connection longer than a handshake.
    @Test(arguments: [false, true]) func theConnectionEndsInTime(isSending: Bool) async throws {
        let (host, address) = try await host(handshakeTime: .seconds(2))
        try await onOwnThread {
            let connection = try RawConnection(to: address)
            try connection.write(Array("POST / HTTP/1.1\r\n\r\n".utf8))
            _ = try connection.readToEnd()
            guard isSending else { return }
            let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
            let deadline = ContinuousClock.now + .seconds(240)
            while connection.writeWhileTaken(part, patience: 40) == part.count {
                guard .now < deadline else { throw TestingError("it reads for ever") }
            }
        }
        try await host.stop()
    }
}
