import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests that after a restore, and with `--hold`, no effect is handed out until somebody releases it.
@Suite(.timeLimit(.minutes(20))) struct HeldTests {
    private static func daemon(in folder: TemporaryFolder) async throws -> Daemon {
        let daemon = try await Daemon(in: folder)
        try await ParcelMachine.begin(on: daemon, in: folder)
        return daemon
    }

    /// Returns the keys of the tasks that a worker gets.
    private static func keys(_ daemon: Daemon, in folder: TemporaryFolder) async throws -> String {
        let script = try folder.write("echo \"$WFD_KEY\" >> \(folder.path("keys")); exit 65\n", to: "work.sh")
        _ = try await daemon.saidInTime("work", "stock", "--once", "--exec", "/bin/sh", script)
        return (try? String(contentsOfFile: folder.path("keys"), encoding: .utf8)) ?? ""
    }

    @Test func afterARestoreTheServiceSeesNothingUntilTheRelease() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Self.daemon(in: folder)
        let copy = folder.path("copy.db")
        _ = try await daemon.saidInTime("backup", copy)
        let before = try await Self.keys(daemon, in: folder)
        #expect(before.split(separator: "\n").count == 1)
        #expect(try await daemon.stop().end == .exited(0))
        let restored = try await Daemon.launch(["restore", copy, "--database", daemon.database]).result()
        #expect(restored.output.contains("effects are held: no task is handed out"), "\(restored)")

        let next = try await Daemon(in: folder)
        let held = "effects:   held: 'wfctl release' lets them start\n           held since 'wfd restore', 2"
        #expect(try await next.said("status").contains(held))
        #expect(try await Self.keys(next, in: folder) == before)
        _ = try await next.said("start", "parcel", "q")
        #expect(try await Self.keys(next, in: folder) == before)
        #expect(try await next.said("release") == "effects start from now on\n")
        let after = try await Self.keys(next, in: folder).split(separator: "\n")
        #expect(after.count == 3 && after[1] == after[0], "\(after)")
        #expect(try await !next.said("status").contains("held"))
        #expect(try await next.stop().end == .exited(0))
        let verified = try await Daemon.launch(["verify", next.database]).result()
        #expect(verified.end == .exited(0), "\(verified)")
    }
}
