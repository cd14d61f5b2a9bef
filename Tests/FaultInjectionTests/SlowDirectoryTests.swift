import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowClient

/// Tests a reload whose users and groups are looked up in a directory that does not answer.
@Suite(.timeLimit(.minutes(20))) struct SlowDirectoryTests {
    private static let refusal = "a mistake: no setting was changed"

    private let folder: TemporaryFolder
    private let holds: Holds
    private let daemon: Daemon

    private static func settings(_ rules: String, hosts: String = "") -> String {
        "allow-host: [\(hosts)]\naccess:\n  unix: [\(rules)]\n"
    }

    init() async throws {
        folder = try TemporaryFolder()
        holds = try Holds(in: folder)
        let file = try folder.write(Self.settings("{user: root, role: view}"), to: "wfd.yaml")
        daemon = try await Daemon(
            arguments: ["--config", file, "--anonymous", "view"]
                + Daemon.arguments(
                    database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"]),
            database: folder.path("wfd.db"), addresses: 2, environment: try holds.environment)
    }

    private func status(_ address: Address, host: String = "localhost") async throws -> Int {
        try await onOwnThread {
            var request = RawRequest.get("/v1/machines")
            request.hosts = [host]
            return try RawConnection(to: address).answer(to: request).status
        }
    }

    /// Asks for a reload with a host and a group beside the present ones, which cannot be looked up.
    private func reload() throws {
        _ = try folder.write(
            Self.settings("{user: root, role: view}, {group: root, role: view}", hosts: "wfd.example"), to: "wfd.yaml")
        daemon.program.signal(SIGHUP)
    }

    @Test func aReloadIsRefusedInTimeWhileRequestsAreAnswered() async throws {
        try holds.shut(.rules)
        // The names of those who connect meanwhile are not found either.
        try holds.shut(.names)
        try reload()
        try await eventually("the look-up is held") { holds.isHeld(.rules) }
        let refused = Task { [daemon] in try await daemon.program.errorLines(containing: Self.refusal) }
        for address in daemon.addresses { #expect(try await status(address) == 200) }
        let lines = try await refused.value
        #expect(
            lines[0].contains(
                "access.unix: the users and groups cannot be looked up, there was no answer within 5 seconds; check the "
                    + "machine's directory service, or write numbers instead of names"), "\(lines)")
        #expect(try await status(daemon.web, host: "wfd.example") == 421)
        // The next one does not wait beside the first.
        try reload()
        let again = try await daemon.program.errorLines(containing: Self.refusal, count: 2)
        #expect(again[1].contains("an earlier question has no answer yet"), "\(again)")
        try holds.open(.rules)
        try holds.open(.names)
        try await eventually("a reload succeeds") {
            try reload()
            try await letPass(.milliseconds(50))
            return daemon.program.errors.contains("the settings were reloaded")
        }
        #expect(try await status(daemon.web, host: "wfd.example") == 200)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test func aShutdownDoesNotWaitForAReload() async throws {
        try holds.shut(.rules)
        try reload()
        try await eventually("the look-up is held") { holds.isHeld(.rules) }
        let result = try await daemon.stop()
        #expect(result.end == .exited(0))
        #expect(!result.errors.contains(Self.refusal), "\(result.errors)")
    }

    @Test func aStartWithoutItsUsersSaysSo() async throws {
        #expect(try await daemon.stop().end == .exited(0))
        try holds.shut(.rules)
        let refused = try await Daemon.launch(
            ["--config", folder.path("wfd.yaml"), "--database", folder.path("wfd.db")],
            environment: try holds.environment
        ).result()
        #expect(refused.end == .exited(75))
        #expect(refused.errors.contains("access.unix: the users and groups cannot be looked up"), "\(refused.errors)")
    }
}
