import DaemonTesting
import Foundation
import Testing
import ThreadTesting

/// Tests that a daemon notices a changed certificate by itself.
@Suite struct CertificateLookTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func status(_ daemon: Daemon, trusting authority: TestAuthority) async throws -> ProgramResult {
        try await wfctl(["status", "--ca", authority.file], environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
    }

    private func rename(_ file: String, to other: String) throws {
        guard Foundation.rename(file, other) == 0 else { throw TestingError("cannot rename '\(file)'") }
    }

    /// The pause of a minute is short here.
    @Test(.timeLimit(.minutes(20))) func aChangedCertificateIsLoadedWithoutASignal() async throws {
        let holds = try Holds(in: folder)
        try holds.shut(.waits)
        let authority = try await TestAuthority(in: folder)
        let pair = try await authority.pair("a")
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: ["127.0.0.1:0"])
                + ["--tls-certificate", pair.certificate, "--tls-key", pair.key, "--anonymous", "view"],
            database: folder.path("wfd.db"), environment: holds.environment)
        let later = try await TestAuthority(in: folder, name: "later")
        let next = try await later.pair("b")
        try rename(next.certificate, to: pair.certificate)
        let refused = try await daemon.program.errorLines(
            containing: "the certificate was not loaded, the previous one stays")
        #expect(refused[0].contains("the key in '\(pair.key)' is that of another certificate"))
        #expect(try await status(daemon, trusting: authority).end == .exited(0))
        try rename(next.key, to: pair.key)
        _ = try await daemon.program.errorLines(containing: "the certificate was loaded")
        #expect(try await status(daemon, trusting: later).end == .exited(0))
        #expect(try await status(daemon, trusting: authority).end == .exited(69))
        // Each change is told once.
        #expect(daemon.program.errors.matches(of: /the certificate was/).count == 2)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
