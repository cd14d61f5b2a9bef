import DaemonTesting
import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowStore

@testable import WorkflowServer  // Loading anew is no part of what the daemon uses.

/// Tests which pairs of certificate and key are taken, at start and later.
@Suite struct ServerCertificateTests {
    private let folder: TemporaryFolder
    private let authority: TestAuthority
    private let pair: TestAuthority.Pair

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await TestAuthority(in: folder)
        pair = try await authority.pair("a")
    }

    private func refusal(_ certificate: String, _ key: String) -> String? {
        #expect(throws: CertificateError.self) { try ServerCertificate(certificate: certificate, key: key) }?
            .description.replacing(folder.path + "/", with: "")
    }

    @Test func aPairIsTakenWithItsEnd() throws {
        let certificate = try ServerCertificate(certificate: pair.certificate, key: pair.key)
        let days = (certificate.end.rawValue - SystemClock().now().rawValue) / 86_400_000
        #expect((28...30).contains(days))
        #expect(!certificate.hasChanged)
    }

    @Test func whatCannotBeUsedIsRefusedWithItsReason() async throws {
        let (certificate, key) = (pair.certificate, pair.key)
        let other = try await authority.pair("b")
        let old = try await authority.pair("old", days: -1)
        let text = try folder.write("no PEM", to: "text")
        chmod(text, 0o600)
        #expect(refusal(folder.path("none"), key) == "Cannot use 'none' for TLS: No such file or directory")
        #expect(refusal(folder.path, key)?.hasSuffix("it is no regular file") == true)
        #expect(refusal(text, key) == "Cannot use 'text' for TLS: it has no certificate in PEM that can be read")
        #expect(
            refusal(certificate, text)
                == "Cannot use 'text' for TLS: it has no key in PEM that can be read without a passphrase")
        #expect(
            refusal(certificate, other.key)
                == "Cannot use 'a.pem' for TLS: the key in 'b.key' is that of another certificate")
        let expired = refusal(old.certificate, old.key)
        #expect(expired?.contains("Cannot use 'old.pem' for TLS: it has expired at 20") == true)
        for mode: mode_t in [0o640, 0o604, 0o620, 0o601] {
            chmod(key, mode)
            #expect(
                refusal(certificate, key)
                    == "Cannot use 'a.key' for TLS: others than its owner may use the key; 'chmod 600' it")
        }
    }

    @Test func aKeyBehindAPipeBlocksNobody() throws {
        mkfifo(folder.path("pipe"), 0o600)
        #expect(refusal(pair.certificate, folder.path("pipe")) == "Cannot use 'pipe' for TLS: it is no regular file")
    }

    @Test(.timeLimit(.minutes(20)))
    func aPairIsLoadedAnewAndOneThatCannotBeUsedIsNot() async throws {
        let certificate = try ServerCertificate(certificate: pair.certificate, key: pair.key)
        let first = certificate.end
        let lines = CollectedLines()
        let renewal = CertificateRenewal(certificate, look: .milliseconds(5), logger: lines.logger)
        let group = ServiceGroup(services: [renewal], logger: lines.logger)
        // Ends when the group is told to.
        let running = Task { try await group.run() }
        func told(_ count: Int, of text: String) async throws {
            try await eventually("'\(text)'") { lines.all.count { $0.contains(text) } >= count }
        }
        let later = try await authority.pair("later", days: 300)
        try replace(pair.certificate, by: later.certificate)
        try await told(1, of: "the certificate was not loaded, the previous one stays error=Cannot use")
        #expect(certificate.end == first)
        try replace(pair.key, by: later.key)
        try await told(1, of: "the certificate was loaded until=")
        #expect(certificate.end.rawValue - first.rawValue > 200 * 86_400_000)
        chmod(pair.key, 0o644)
        try await told(1, of: "others than its owner may use the key")
        #expect(certificate.end.rawValue - first.rawValue > 200 * 86_400_000)
        await group.triggerGracefulShutdown()
        try await running.value
    }

    private func replace(_ path: String, by other: String) throws {
        guard rename(other, path) == 0 else { throw TestingError("cannot rename '\(other)'") }
    }
}

/// Collects the lines of a log.
private final class CollectedLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in
            Handler { line in self.lines.withLock { $0.append(line) } }
        }
    }

    private struct Handler: LogHandler {
        let add: @Sendable (String) -> Void
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            add("\(event.message)" + fields.joined())
        }

        init(add: @escaping @Sendable (String) -> Void) { self.add = add }
    }
}
