import DaemonTesting
import Foundation
import GRDB
import Testing
import WorkflowClient

/// Tests the default places of the database and the socket, and files that are not ours.
@Suite struct PlacesTests {
    @Test(.timeLimit(.minutes(20))) func theServiceManagersFoldersComeFirst() async throws {
        let folder = try TemporaryFolder()
        let state = try folder.makeFolder("state")
        let run = try folder.makeFolder("run")
        try await expectPlaces(
            database: state + "/wfd.db", socket: run + "/wfd.sock",
            environment: [
                "STATE_DIRECTORY": state + ":/elsewhere", "RUNTIME_DIRECTORY": run + ":/elsewhere",
                "XDG_STATE_HOME": folder.path("no"), "XDG_RUNTIME_DIR": folder.path("no"),
            ])
    }

    @Test(.timeLimit(.minutes(20))) func aUsersOwnFoldersComeNext() async throws {
        let folder = try TemporaryFolder()
        let run = try folder.makeFolder("run")
        try await expectPlaces(
            database: folder.path("state/wfd/wfd.db"), socket: run + "/wfd.sock",
            environment: ["XDG_STATE_HOME": folder.path("state"), "XDG_RUNTIME_DIR": run])
    }

    @Test(.timeLimit(.minutes(20))) func theHomeFolderComesLast() async throws {
        let folder = try TemporaryFolder()
        try await expectPlaces(
            database: folder.path(".local/state/wfd/wfd.db"), socket: folder.path(".local/state/wfd/wfd.sock"),
            environment: ["HOME": folder.path])
    }

    /// Starts the daemon without arguments, and expects that `wfctl` finds it by the same variables.
    private func expectPlaces(database: String, socket: String, environment: [String: String]) async throws {
        let daemon = try await Daemon(arguments: [], database: database, environment: environment)
        #expect(daemon.address == .unix(path: socket))
        #expect(daemon.program.errors.contains("database=\(database)"))
        #expect(FileManager.default.fileExists(atPath: database))
        if environment["HOME"] == nil {
            #expect(try await wfctl(["list"], environment: environment).end == .exited(0))
        }
        #expect(try await daemon.stop().end == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test(.timeLimit(.minutes(20))) func withoutAnyPlaceItSaysWhatToGive() async throws {
        let result = try await Daemon.launch([], environment: ["HOME": ""]).result()
        #expect(result.end == .exited(73))
        #expect(result.errors.contains("Cannot tell where to keep the database: give --database, or set HOME"))
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["serve", "restore"])
    func aMistypedFolderIsNotMade(verb: String) async throws {
        let folder = try TemporaryFolder()
        let backup = folder.path("backup.db")
        let daemon = try await Daemon(in: folder)
        #expect(daemon.program.errors.contains(" notice wfd: [wfd] there was no database, a new one was made"))
        #expect(try await daemon.wfctl("backup", backup).end == .exited(0))
        #expect(try await daemon.stop().end == .exited(0))
        let names = try folder.names()
        let path = folder.path("mistyped/state/wfd.db")
        let arguments =
            verb == "restore"
            ? ["restore", backup, "--database", path]
            : Daemon.arguments(database: path, listen: ["unix:" + folder.path("wfd.sock")])
        let result = try await Daemon.launch(arguments).result()
        #expect(result.end == .exited(73))
        #expect(
            result.errors.contains(
                "Cannot open '\(path)': there is no folder '\(folder.path("mistyped/state"))'; "
                    + "make it, or correct the path"
            ))
        #expect(try folder.names() == names)
        // The way out that the message names.
        _ = try folder.makeFolder("mistyped/state")
        if verb == "restore" { #expect(try await Daemon.launch(arguments).result().end == .exited(0)) }
        let again = try await Daemon(in: folder, database: "mistyped/state/wfd.db")
        #expect(try await again.stop().end == .exited(0))
    }

    /// The default place of a restore is created, like the daemon's.
    @Test(.timeLimit(.minutes(20))) func theDefaultPlaceIsMadeForARestoreToo() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        #expect(try await daemon.wfctl("backup", folder.path("backup.db")).end == .exited(0))
        #expect(try await daemon.stop().end == .exited(0))
        let environment = ["XDG_STATE_HOME": folder.path("new")]
        for arguments in [["--dry-run"], []] {
            let result = try await Daemon.launch(
                ["restore", folder.path("backup.db")] + arguments, environment: environment
            ).result()
            #expect(result.end == .exited(0), "\(result.errors)")
        }
        #expect(FileManager.default.fileExists(atPath: folder.path("new/wfd/wfd.db")))
    }

    @Test(.timeLimit(.minutes(20))) func aDatabaseOfAnotherProgramIsRefusedUntouched() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.db")
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "PRAGMA journal_mode = DELETE; CREATE TABLE note (text)") }
        try queue.close()
        try await expectRefused(path, in: folder, because: "it is a database of another program")
    }

    @Test(.timeLimit(.minutes(20))) func aFileThatIsNoDatabaseIsRefusedUntouched() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "text ", count: 100), to: "notes.txt")
        try await expectRefused(path, in: folder, because: "it is not an SQLite database")
    }

    private func expectRefused(_ path: String, in folder: TemporaryFolder, because reason: String) async throws {
        let before = try Data(contentsOf: URL(filePath: path))
        let names = try folder.names()
        let result = try await Daemon.launch(
            Daemon.arguments(database: path, listen: ["unix:" + folder.path("wfd.sock")])
        ).result()
        #expect(result.end == .exited(65))
        #expect(result.errors.contains("Cannot open '\(path)': \(reason)"))
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(try folder.names() == names)
    }
}
