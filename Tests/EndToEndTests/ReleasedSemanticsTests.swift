import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests a database in which 0.1 recorded each case that later semantics decide differently.
///
/// `Tests/Fixtures/0.1.0-semantics.db` has schema 1 and semantics 1. Its instances: `conflict-1` left a parallel state
/// although a region took the event. `history-1` was not entered again. `texts-…` and `fails-1` failed on durations and
/// formats. `late-1` came too late for a timer.
@Suite struct ReleasedSemanticsTests {
    private static let machines = ["conflict", "fails", "history", "late", "texts"]

    @Test(.timeLimit(.minutes(20))) func theFileIsWholeBeforeAndAfterAndItsVersionsKeepTheirSemantics() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: Programs.fixture("0.1.0-semantics"), toPath: folder.path("wfd.db"))
        try await verify(folder)
        let daemon = try await Daemon(in: folder)
        try await expectOutdated(daemon, ["conflict": 1, "fails": 1, "history": 1, "late": 1, "texts": 4], version: 1)
        for machine in Self.machines {
            let source = try folder.write(try await daemon.said("machine", machine), to: "\(machine).yaml")
            let applied = try await daemon.wfctl("apply", source)
            #expect(applied.end == .exited(0) && applied.output == "\(machine): version 2 (semantics 2)\n")
            #expect(applied.errors.contains("version 1 of '\(machine)' has earlier semantics"), "\(applied)")
        }
        let applied = try await daemon.wfctl("apply", folder.path("conflict.yaml"))
        #expect(applied.output == "conflict: version 2 (unchanged)\n")
        // Versions from before go on as before.
        _ = try await daemon.said("start", "conflict", "old", "--version", "1")
        #expect(try await daemon.said("send", "old", "go").hasPrefix("old: p.a.x, p.b -> done "))
        _ = try await daemon.said("start", "conflict", "new")
        #expect(try await daemon.said("send", "new", "go").hasPrefix("new: p.a.x, p.b -> p.a.x, p.b "))
        // Instances that migrate to the new version take steps as it does.
        _ = try await daemon.said("send", "history-1", "again")
        #expect(try await daemon.json("show", "history-1")["context"]["entered"] == 1)
        _ = try await daemon.said("migrate", "history-1", "--to", "2", "--reason", "r")
        _ = try await daemon.said("send", "history-1", "again")
        #expect(try await daemon.json("show", "history-1")["context"]["entered"] == 2)
        _ = try await daemon.said("retry", "fails-1", "--to", "2", "--reason", "r")
        #expect(try await daemon.json("show", "fails-1")["configuration"] == ["b"])
        _ = try await daemon.said("migrate", "texts-plan", "--to", "2", "--reason", "r")
        _ = try await daemon.said("send", "texts-plan", "keep")
        #expect(try await daemon.json("show", "texts-plan")["context"]["left"] == "2d")
        try await expectOutdated(daemon, ["conflict": 2, "late": 1, "texts": 3], version: 1)
        // The past stays what it was.
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        _ = try await daemon.stop()
        try await verify(folder)
    }

    /// Expects the numbers of instances that run by earlier semantics, by machine.
    private func expectOutdated(_ daemon: Daemon, _ counts: [String: Int64], version: Int64) async throws {
        let found = try await daemon.json("machines", "--outdated").elements
        let wanted = counts.keys.sorted().map { machine -> JSONValue in
            [
                "machine": .string(machine), "version": .int(version), "semantics": 1,
                "instances": .int(counts[machine] ?? 0),
            ]
        }
        #expect(found == wanted)
    }

    private func verify(_ folder: TemporaryFolder) async throws {
        let found = try await Daemon.launch(["verify", folder.path("wfd.db")]).result()
        #expect(found.end == .exited(0) && found.output.hasSuffix("no difference\n"), "\(found)")
    }
}
