import DaemonTesting
import Foundation
import NIOCore
import Testing
import ThreadTesting
import WorkflowClient

@testable import WorkflowServer  // The limits of connections are no part of what the daemon sets.

/// Tests requests that come byte by byte, in the clear and behind TLS. Each byte is progress, and the whole is late.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct SlowRequestTests {
    private func host(isEncrypted: Bool) async throws -> ServerHost {
        var limits = ServerLimits()
        (limits.headTime, limits.bodyTime, limits.lineTime) = (.seconds(1), .seconds(1), .seconds(1))
        (limits.lineLook, limits.idleSeconds, limits.handshakeTime) = (.milliseconds(100), 3_600, .hours(1))
        guard isEncrypted else { return try await ServerHost(isOnTCP: true, limits: limits) }
        let folder = try TemporaryFolder()
        let pair = try await TestAuthority(in: folder).pair("a")
        let certificate = try ServerCertificate(certificate: pair.certificate, key: pair.key)
        return try await ServerHost(certificate: certificate, limits: limits)
    }

    private static let post = "POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Type: "

    /// The begins of requests that are sent at once, each with the byte that is sent again and again after it, and the
    /// answer.
    private static let slow = [
        ("", "G", "400"), ("GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ", "x", "408"),
        ("GET /", "a", "408"), ("\r\n", "\r\n", "408"),
        (post + "application/json\r\nContent-Length: 100000\r\n\r\n{\"machine\": \"", "m", "408"),
        (post + "application/json\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", "408"),
        (post + "application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x", "408"),
        (
            "POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                + "Content-Length: 100000\r\n\r\n", " ", "was not complete after 1 seconds"
        ),
    ]

    @Test(arguments: slow.indices, [false, true])
    func aRequestThatComesByteByByteIsGivenUp(place: Int, isEncrypted: Bool) async throws {
        let host = try await host(isEncrypted: isEncrypted)
        let (begin, more, expected) = Self.slow[place]
        let connection = try await onOwnThread { [address = host.address] in
            let connection = try RawConnection(to: address)
            // The head of an answer to lines may come before the first line has begun.
            try connection.write(Array((begin + more).utf8))
            return connection
        }
        try await eventually("the request is given up") {
            try await onOwnThread {
                if !connection.isReadable { try connection.write(Array(more.utf8)) }
                return connection.isReadable
            }
        }
        let answer = try await onOwnThread { try connection.readToEnd() }
        #expect(answer.contains(expected), "\(answer)")
        #expect(try await host.answer(to: .get("/livez")).status == 200)
        try await host.stop()
    }
}
