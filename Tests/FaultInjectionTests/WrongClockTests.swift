import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// A machine whose clock was ahead while the daemon wrote, and the way out that `docs/operations.md` tells.
@Suite struct WrongClockTests {
    private static let definition = """
        id: counter
        initial: counting
        states:
          counting: {on: {tick: {}}}
        """

    /// How the daemon ended whose clock was ahead.
    enum End: CaseIterable {
        case inOrder, killed
    }

    private func daemon(in folder: TemporaryFolder, secondsAhead: Int = 0) async throws -> Daemon {
        try await Daemon(
            in: folder,
            environment: secondsAhead == 0
                ? [:]
                : ["LD_PRELOAD": Programs.path("libClockShift.so"), "CLOCK_SHIFT_SECONDS": "\(secondsAhead)"])
    }

    /// A database with an event from tomorrow.
    private func written(in folder: TemporaryFolder, _ end: End) async throws -> String {
        let daemon = try await daemon(in: folder, secondsAhead: 86_400)
        let applied = try await daemon.answer(to: .post("/v1/machines", Self.definition, as: "application/yaml"))
        try #require(applied.status == 201)
        try await succeed(daemon, "start", "counter", "c-1")
        try await succeed(daemon, "send", "c-1", "tick")
        switch end {
        case .inOrder: #expect(try await daemon.stop().end == .exited(0))
        case .killed: try await daemon.kill()
        }
        return daemon.database
    }

    @discardableResult
    private func succeed(_ daemon: Daemon, _ arguments: String...) async throws -> String {
        let result = try await daemon.wfctl(arguments)
        guard result.end == .exited(0) else { throw TestingError("\(arguments): \(result)") }
        return result.output
    }

    private func wfd(_ arguments: String...) async throws -> ProgramResult {
        try await Daemon.launch(arguments).result()
    }

    private func time(_ text: Substring) throws -> Date {
        try Date(String(text), strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    }

    /// Starts a daemon that must refuse the machine's clock, and change nothing.
    private func expectRefused(_ database: String, in folder: TemporaryFolder) async throws {
        let before = try Data(contentsOf: URL(filePath: database))
        let refused = try await wfd("--database", database, "--listen", "unix:" + folder.path("wfd.sock"))
        #expect(refused.end == .exited(71), "\(refused)")
        let text =
            #/its last event is of (\S+Z), but this machine's clock says (\S+Z); set the clock, or accept it with /#
        let times = try #require(refused.errors.firstMatch(of: text), "\(refused)")
        let (last, clock) = (try time(times.1), try time(times.2))
        #expect(abs(clock.timeIntervalSinceNow) < 300 && abs(last.timeIntervalSince(clock) - 86_400) < 300)
        #expect(try Data(contentsOf: URL(filePath: database)) == before)
    }

    @Test(.timeLimit(.minutes(20)), arguments: End.allCases)
    func anAcceptedClockIsAcceptedForGood(_ end: End) async throws {
        let folder = try TemporaryFolder()
        let database = try await written(in: folder, end)
        // As systemd would, more than once.
        try await expectRefused(database, in: folder)
        try await expectRefused(database, in: folder)
        if end == .inOrder {
            let copied = try await wfd("restore", database, "--database", folder.path("other.db"), "--dry-run")
            #expect(copied.end == .exited(0), "\(copied)")
        }

        let accepted = try await wfd("clock", "accept", "--database", database)
        #expect(accepted.end == .exited(0), "\(accepted)")
        #expect(
            accepted.output
                == """
                \(database): the clock is accepted
                  running instances of a later time: 1 (c-1)
                  their next delays count from that time

                """)
        #expect(try await wfd("verify", database).end == .exited(0))
        let copied = try await wfd("restore", database, "--database", folder.path("other.db"), "--dry-run")
        #expect(copied.end == .exited(0), "\(copied)")

        // An instance from tomorrow goes on, and does not carry the daemon back there.
        for seq in [3, 4] as [Int64] {
            let daemon = try await daemon(in: folder)
            let sent = try JSONReader.value(from: try await succeed(daemon, "send", "c-1", "tick", "-o", "json"))
            #expect(sent.object?["seq"] == .int(seq))
            #expect(try await succeed(daemon, "verify", "--all").hasSuffix("no difference\n"))
            if seq == 4 { try await succeed(daemon, "backup", folder.path("copy.db")) }
            #expect(try await daemon.stop().end == .exited(0))
        }
        #expect(try await wfd("verify", database).end == .exited(0))
        let restored = try await wfd("restore", folder.path("copy.db"), "--database", database)
        #expect(restored.end == .exited(0), "\(restored)")
        let daemon = try await daemon(in: folder)
        try await succeed(daemon, "send", "c-1", "tick")
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// A machine that boots with a slow clock: the daemon that systemd starts again comes up when the clock is right.
    @Test(.timeLimit(.minutes(20))) func aSlowClockThatIsSetRightNeedsNobody() async throws {
        let folder = try TemporaryFolder()
        let database = try await written(in: folder, .inOrder)
        try await expectRefused(database, in: folder)
        let daemon = try await daemon(in: folder, secondsAhead: 86_400)
        try await succeed(daemon, "send", "c-1", "tick")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
