import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowClient

/// Tests a daemon that other machines reach: its certificate, and what wfctl says of one that it cannot trust.
@Suite(.timeLimit(.minutes(20))) struct EncryptedDaemonTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await TestAuthority(in: folder)
    }

    private func arguments(_ pair: TestAuthority.Pair, listen: String = "127.0.0.1:0") -> [String] {
        Daemon.arguments(database: folder.path("wfd.db"), listen: [listen])
            + ["--tls-certificate", pair.certificate, "--tls-key", pair.key, "--anonymous", "view"]
    }

    private func daemon(_ pair: TestAuthority.Pair, _ more: String...) async throws -> Daemon {
        try await Daemon(arguments: arguments(pair) + more, database: folder.path("wfd.db"))
    }

    private func wfctl(
        _ daemon: Daemon, _ arguments: String..., trusting authority: TestAuthority? = nil
    ) async throws -> ProgramResult {
        try await DaemonTesting.wfctl(
            arguments + ["--ca", (authority ?? self.authority).file],
            environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
    }

    @Test(arguments: [
        (
            ["--listen", "0.0.0.0:0", "--allow-host", "a.example"],
            "--listen: Cannot listen on '0.0.0.0:0': beyond loopback wfd wants TLS; give --tls-certificate and --tls-key, or "
                + "--without-tls"
        ),
        (
            ["--metrics", "[::]:9090", "--allow-host", "a.example"],
            "--metrics: Cannot listen on '[::]:9090': beyond loopback wfd wants TLS; give --tls-certificate and --tls-key, or "
                + "--without-tls"
        ),
        (
            ["--listen", "192.0.2.1:7433", "--without-tls"],
            "--listen: Cannot listen on '192.0.2.1:7433': no request would be answered; name the host that callers use with "
                + "--allow-host"
        ),
        (["--tls-key", "key"], "tls-certificate and tls-key go together: give both or neither"),
        (
            ["--tls-certificate", "file"],
            "--tls-certificate: tls-certificate and tls-key go together: give both or neither"
        ),
        (
            ["--tls-key", "key", "--tls-certificate", "file", "--without-tls"],
            "--tls-certificate: tls-certificate contradicts without-tls: give one of them"
        ),
    ])
    func whatIsNotSafeIsRefused(arguments: [String], reason: String) async throws {
        let result = try await Daemon.launch(["--database", folder.path("wfd.db")] + arguments).result()
        #expect(result.end == .exited(64))
        #expect(result.errors.split(separator: "\n").first == "error: \(reason)")
    }

    @Test func aKeyThatOthersMayReadIsRefusedAtStart() async throws {
        let pair = try await authority.pair("a")
        chmod(pair.key, 0o640)
        let result = try await Daemon.launch(arguments(pair)).result()
        #expect(result.end == .exited(69))
        #expect(
            result.errors.contains(
                "Cannot use '\(pair.key)' for TLS: others than its owner may use the key; 'chmod 600' it"))
        #expect(try !folder.names().contains("wfd.db"))
    }

    @Test func withoutTLSItWarnsAtEachStart() async throws {
        for _ in 0..<2 {
            let daemon = try await Daemon(
                arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: ["0.0.0.0:0"])
                    + ["--without-tls", "--allow-host", "localhost"], database: folder.path("wfd.db"))
            #expect(
                daemon.program.errors.contains(
                    "an address beyond loopback has no TLS: everybody on the way reads and changes what is sent"))
            #expect(try await daemon.stop().end == .exited(0))
        }
    }

    @Test func wfctlReachesItAndSaysWhyItDoesNotTrustIt() async throws {
        let daemon = try await daemon(try await authority.pair("a"))
        let address = "\(daemon.address)"
        #expect(address.hasPrefix("https://127.0.0.1:"))
        #expect(try await wfctl(daemon, "status").end == .exited(0))
        let unknown = try await DaemonTesting.wfctl(["status"], environment: ["WFCTL_ADDRESS": address])
        #expect(unknown.end == .exited(69))
        #expect(
            unknown.errors
                == "error: Cannot trust '\(address)': its certificate is of an authority that is unknown here; name "
                + "the authority's file with --ca\n")
        #expect(try await daemon.stop().end == .exited(0))
        let other = try await self.daemon(try await authority.pair("other", for: "DNS:wfd.example"))
        let wrong = try await wfctl(other, "status")
        #expect(wrong.end == .exited(69))
        #expect(
            wrong.errors
                == "error: Cannot trust '\(other.address)': its certificate is for other names; use the name of the "
                + "certificate in the address\n")
        #expect(try await other.stop().end == .exited(0))
    }

    @Test func wfctlSaysThatAnAddressNeedsTLS() async throws {
        let daemon = try await daemon(try await authority.pair("a"))
        let plain = "\(daemon.address)".replacing("https://", with: "http://")
        for arguments in [["status"], ["send", "x", "go"], ["tail"]] {
            let result = try await DaemonTesting.wfctl(arguments, environment: ["WFCTL_ADDRESS": plain])
            #expect(result.end == .exited(65), "\(arguments): \(result)")
            #expect(
                result.errors == "error: This address speaks TLS alone: its URL begins with https://\n",
                "\(arguments): \(result)")
        }
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// The daemon takes no such certificate, so another server has it.
    @Test func wfctlSaysThatACertificateHasExpired() async throws {
        let pair = try await authority.pair("old", days: -1)
        let server = try RunningProgram(
            "/usr/bin/openssl",
            ["s_server", "-accept", "127.0.0.1:0", "-cert", pair.certificate, "-key", pair.key, "-www"],
            environment: Programs.environment())
        let line = try #require(try await server.outputLines(containing: "ACCEPT 127").first)
        let address = "https://\(line.split(separator: " ")[1])"
        let result = try await DaemonTesting.wfctl(
            ["status", "--address", address, "--ca", authority.file])
        #expect(result.end == .exited(69))
        #expect(
            result.errors
                == "error: Cannot trust '\(address)': its certificate has expired; renew it at the daemon\n")
        withExtendedLifetime(server) {}
    }

    @Test func aHangupLoadsTheCertificateAnew() async throws {
        let pair = try await authority.pair("a")
        let daemon = try await daemon(pair)
        let later = try await TestAuthority(in: folder, name: "later")
        let next = try await later.pair("b")
        try FileManager.default.removeItem(atPath: pair.certificate)
        try FileManager.default.moveItem(atPath: next.certificate, toPath: pair.certificate)
        daemon.program.signal(SIGHUP)
        let refused = try await daemon.program.errorLines(containing: "a mistake: no setting was changed")
        #expect(refused[0].contains("the key in '\(pair.key)' is that of another certificate"))
        #expect(try await wfctl(daemon, "status").end == .exited(0))
        try FileManager.default.removeItem(atPath: pair.key)
        try FileManager.default.moveItem(atPath: next.key, toPath: pair.key)
        daemon.program.signal(SIGHUP)
        _ = try await daemon.program.errorLines(containing: "the certificate was loaded")
        #expect(try await wfctl(daemon, "status", trusting: later).end == .exited(0))
        #expect(try await wfctl(daemon, "status").end == .exited(69))
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// Unix sockets stay plain.
    @Test(arguments: [13, 15]) func statusWarnsTwoWeeksBeforeTheEnd(days: Int) async throws {
        let pair = try await authority.pair("a", days: days)
        let socket = "unix:" + folder.path("wfd.sock")
        let daemon = try await Daemon(
            arguments: arguments(pair, listen: socket) + ["--listen", "127.0.0.1:0"], database: folder.path("wfd.db"),
            addresses: 2)
        let status = try await DaemonTesting.wfctl(["status", "--address", socket])
        #expect(status.end == .exited(0))
        #expect(status.output.contains("\nTLS:       the certificate expires at 20") == (days < 14))
        let metrics = try await onOwnThread { try RawConnection(to: Address(socket)).answer(to: .get("/metrics")) }
        let metric = metrics.text.firstMatch(of: /wfd_certificate_expiry_timestamp_seconds (\d+)/)
        let end = try #require(metric.flatMap { Double($0.1) })
        #expect(abs(end - Date.now.timeIntervalSince1970 - Double(days) * 86_400) < 86_400)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(arguments: ["http://192.0.2.1:7433", "wfd.example:7433", "http://127.0.0.1.example:1"])
    func aTokenIsNeverSentInTheClear(address: String) async throws {
        let token = "wfdt_id_secret"
        let file = try folder.write(token + "\n", to: "token")
        chmod(file, 0o600)
        for variables in [["WFCTL_TOKEN": token], ["WFCTL_TOKEN_FILE": file]] {
            let result = try await DaemonTesting.wfctl(["status", "--address", address], environment: variables)
            #expect(result.end == .exited(77))
            let shown = try "\(Address(address))"
            #expect(
                result.errors
                    == "error: Cannot send a token to '\(shown)': everybody on the way could read it; use https://\n")
        }
    }
}
