import DaemonTesting
import Foundation
import Testing

/// Tests files of another user in the places of wfd's files. Only root can arrange this, so other users skip these
/// tests.
@Suite(.enabled(if: geteuid() == 0, "to give files to other users, the tests must run as root"))
struct ForeignOwnerTests {
    private static let user: uid_t = 61_001
    private static let other: uid_t = 61_002

    /// Returns a folder in which everybody may write, like `/tmp`.
    private func sharedFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        guard chmod(folder.path, 0o1777) == 0 else { throw TestingError("chmod") }
        return folder
    }

    /// Runs `wfd` as a user without rights.
    private func launch(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/setpriv",
            ["--reuid", "\(Self.user)", "--regid", "\(Self.user)", "--clear-groups", Programs.path("wfd")] + arguments,
            environment: Programs.environment([:]))
    }

    @Test(.timeLimit(.minutes(20)), arguments: [".lock", "-wal", ""])
    func aFileOfAnotherUserIsRefusedUntouched(suffix: String) async throws {
        let folder = try sharedFolder()
        let path = try folder.write("theirs", to: "wfd.db" + suffix)
        #expect(chmod(path, 0o666) == 0 && chown(path, Self.other, Self.other) == 0)
        let database = folder.path("wfd.db")
        let result = try await launch(
            Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        ).result()
        #expect(result.end == .exited(73))
        let name = suffix.isEmpty ? "it" : "'\(path)'"
        let reason =
            "belongs to another user (uid \(Self.other), and wfd runs as \(Self.user)); chown it, or move it away"
        #expect(result.errors.contains("Cannot open '\(database)': \(name) \(reason)"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "theirs")
    }

    @Test(.timeLimit(.minutes(20))) func aSocketOfAnotherUserIsRefused() async throws {
        let folder = try sharedFolder()
        let killed = try await Daemon(in: folder)
        try await killed.kill()
        let socket = folder.path("wfd.sock")
        #expect(chown(socket, Self.other, Self.other) == 0)
        let result = try await launch(
            Daemon.arguments(database: folder.path("own.db"), listen: ["unix:" + socket])
        ).result()
        #expect(result.end == .exited(69))
        #expect(
            result.errors.contains(
                "Cannot listen on 'unix:\(socket)': a socket of another user (uid \(Self.other)) is there already"))
    }

    /// Everybody may use root's files if their permissions allow it, and root uses everybody's.
    @Test(.timeLimit(.minutes(20))) func theLockOfRootIsTakenAndRootTakesAnybodys() async throws {
        let folder = try sharedFolder()
        let lock = try folder.write("", to: "wfd.db.lock")
        #expect(chmod(lock, 0o666) == 0)
        let arguments = Daemon.arguments(
            database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
        let program = try launch(arguments)
        _ = try await program.errorLines(containing: "listening")
        program.signal(SIGTERM)
        #expect(try await program.result().end == .exited(0))
        let daemon = try await Daemon(in: folder)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aBackupMayBeAnybodys() async throws {
        let folder = try sharedFolder()
        let daemon = try await Daemon(in: folder)
        #expect(try await daemon.wfctl("backup", folder.path("theirs.db")).end == .exited(0))
        #expect(try await daemon.stop().end == .exited(0))
        let backup = folder.path("theirs.db")
        #expect(chmod(backup, 0o644) == 0 && chown(backup, Self.other, Self.other) == 0)
        let own = folder.path("own.db")
        let result = try await launch(["restore", backup, "--database", own]).result()
        #expect(result.end == .exited(0), "\(result.errors)")
        #expect(FileManager.default.fileExists(atPath: own))
    }
}
