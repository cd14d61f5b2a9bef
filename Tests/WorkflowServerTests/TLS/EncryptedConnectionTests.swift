import DaemonTesting
import Foundation
import NIOCore
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowClient

@testable import WorkflowServer  // The limits of connections are no part of what the daemon sets.

/// Tests connections with TLS: those that never begin, those that last, and those whose callers misbehave.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct EncryptedConnectionTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority
    private let certificate: ServerCertificate

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await TestAuthority(in: folder)
        let pair = try await authority.pair("a")
        certificate = try ServerCertificate(certificate: pair.certificate, key: pair.key)
    }

    private func host(_ change: (inout ServerLimits) -> Void = { _ in }) async throws -> ServerHost {
        var limits = ServerLimits()
        change(&limits)
        return try await ServerHost(certificate: certificate, limits: limits)
    }

    /// The address of a host without TLS.
    private func plain(_ host: ServerHost) throws -> Address {
        guard case .tls(let name, let port) = host.address else { throw TestingError("no TLS") }
        return .tcp(host: name, port: port)
    }

    /// Asks for the status on a connection of its own.
    private func expectAnswer(of host: ServerHost) async throws {
        let access = try ClientAccess(token: nil, authorities: authority.file)
        let client = try WorkflowClient(address: host.address, access: access)
        do {
            #expect(try await client.status().status == .ready)
        } catch {
            Issue.record("\(error)")
        }
        await client.shutdown()
    }

    /// Runs a handshake of one version, and returns what openssl tells of it.
    private func handshake(_ host: ServerHost, _ arguments: String...) async throws -> String {
        guard case .tls(let name, let port) = host.address else { throw TestingError("no TLS") }
        let result = try await RunningProgram(
            "/usr/bin/openssl",
            ["s_client", "-connect", "\(name):\(port)", "-CAfile", authority.file, "-alpn", "h2,http/1.1"] + arguments,
            environment: Programs.environment()
        ).result()
        return result.output + result.errors
    }

    @Test func itSpeaksTwoVersionsAndHTTP1() async throws {
        let host = try await host()
        for version in ["-tls1_2", "-tls1_3"] {
            let text = try await handshake(host, version)
            #expect(text.contains("Verify return code: 0 (ok)"), "\(text)")
            #expect(text.contains("ALPN protocol: http/1.1"))
        }
        let old = try await handshake(host, "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0")
        #expect(!old.contains("Verify return code: 0") || old.contains("alert"), "\(old)")
        try await expectAnswer(of: host)
        try await host.stop()
    }

    @Test func aHandshakeIsCompleteInTime() async throws {
        let host = try await host { $0.handshakeTime = .seconds(5) }
        let plain = try plain(host)
        try await onOwnThread { [address = host.address] in
            // One that is complete lasts.
            let whole = try RawConnection(to: address)
            #expect(try whole.answer(to: .get("/livez")).status == 200)
            let silent = try ([[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], Array("G".utf8)] as [[UInt8]]).map { begin in
                let connection = try RawConnection(to: plain)
                try connection.write(begin)
                return connection
            }
            for connection in silent { _ = try connection.readToEnd() }
            #expect(try whole.answer(to: .get("/livez")).status == 200)
        }
        try await host.stop()
    }

    /// The end of the input leaves no connection behind.
    @Test(arguments: [[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01]] as [[UInt8]])
    func aHandshakeThatIsCutOffEnds(begin: [UInt8]) async throws {
        let host = try await host { $0.handshakeTime = .hours(1) }
        let address = try plain(host)
        try await onOwnThread {
            let connection = try RawConnection(to: address)
            try connection.write(begin)
            connection.endWriting()
            _ = try connection.readToEnd()
        }
        try await host.stop()
    }

    /// They have all places, and a caller comes nevertheless.
    @Test func thousandsThatNeverFinishTheHandshakeLeaveRoomForOthers() async throws {
        let host = try await host {
            $0 = ServerLimits(allConnections: 200)
            $0.handshakeTime = .hours(1)
        }
        let address = try plain(host)
        for _ in 0..<5 {
            let silent = try await onOwnThread { try (0..<400).map { _ in try RawConnection(to: address) } }
            try await expectAnswer(of: host)
            withExtendedLifetime(silent) {}
        }
        try await host.stop()
    }

    @Test func aSlowHeadIsGivenUp() async throws {
        let host = try await host { $0.headTime = .milliseconds(200) }
        try await onOwnThread { [address = host.address] in
            let connection = try RawConnection(to: address)
            try connection.write(Array("GET /livez HTTP/1.1\r\n".utf8))
            #expect(try connection.readToEnd().contains("The head of the request was not complete"))
        }
        try await host.stop()
    }

    /// It writes all that it has before it reads.
    @Test func whoSendsTooMuchHasItsAnswer() async throws {
        let host = try await host { $0.restTime = .hours(1) }
        try await onOwnThread { [address = host.address] in
            for length in [APILimits.bodyBytes + 1, 900_000] {
                let connection = try RawConnection(to: address)
                let target = length == 900_000 ? "/nowhere" : "/v1/instances/a/events"
                let head = RawRequest(
                    "POST", target,
                    headers: [
                        ("Content-Type", "application/json"), ("Content-Length", "\(length)"), ("Connection", "close"),
                    ]
                ).bytes
                try connection.write(head + [UInt8](repeating: UInt8(ascii: "b"), count: length))
                #expect(try connection.readAnswer().status == (length == 900_000 ? 404 : 413))
                #expect(connection.isAtEnd)
            }
        }
        try await host.stop()
    }
}
