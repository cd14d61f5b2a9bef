import DaemonTesting
import Testing
import WorkflowJSON

/// Tests a schedule that ends because its only timer came too late, and the report to the operator.
@Suite(.timeLimit(.minutes(20))) struct SkippedTimerTests {
    private static let definition = """
        id: hourly
        initial: waiting
        states:
          waiting:
            after: {1h: {target: waiting, reenter: true, misfire: {skip: 10m}}}
            on: {stop: {}}
        """

    @Test func whoWaitsForNothingElseIsToldBeforeAndAfter() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("wfd.db")
        let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        let daemon = try await Daemon(arguments: arguments + ["--clock", "virtual"], database: database)
        let applied = try await daemon.wfctl("apply", folder.write(Self.definition, to: "hourly.yaml"))
        #expect(applied.end == .exited(0))
        let warning = "more than 10m late this timer is skipped, and nothing arms it again"
        #expect(applied.errors.contains(warning), "\(applied)")

        _ = try await daemon.said("start", "hourly", "h")
        #expect(try await daemon.json("show", "h")["timerSkipped"] == .null)
        _ = try await daemon.said("suspend", "h")
        _ = try await daemon.said("clock", "advance", "5h")
        _ = try await daemon.said("resume", "h")
        _ = try await daemon.said("clock", "advance", "0s")
        let skipped = try await daemon.json("show", "h")["timerSkipped"]
        #expect(skipped["event"] == "after.1h.waiting" && skipped["accepted"] == ["stop"], "\(skipped)")
        #expect(skipped["lateMilliseconds"] == 14_400_000, "\(skipped)")
        let at = try #require(skipped["at"].string)
        let shown = try await daemon.said("show", "h")
        #expect(
            shown.hasSuffix("waits for: stop only: its last timer was skipped at \(at), 4h late\n"), "\(shown)")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
