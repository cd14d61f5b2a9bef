import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests the daemon in the surroundings of a container, of a terminal, and with a wrong flag.
@Suite struct SurroundingsTests {
    private static let script = """
        id: job
        initial: idle
        states:
          idle: {on: {go: working}}
          working: {invoke: {exec: {program: leave, args: [leave.sh]}, onDone: idle, onError: lost}}
          lost: {}
        """

    /// Starts a program in namespaces of its own, which an unprivileged user may not create on every system.
    private static func unshared(_ flags: String..., run command: [String]) throws -> RunningProgram {
        try RunningProgram("/usr/bin/unshare", flags + command, environment: Programs.environment())
    }

    static func mayUnshare() async -> Bool {
        let result = try? await unshared("--mount", "--pid", "--fork", run: ["/bin/true"]).result()
        return result?.end == .exited(0)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [SIGHUP, SIGUSR1, SIGUSR2])
    func aSignalThatOthersTakeAsAHintEndsNothing(_ signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        daemon.program.signal(signal)
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// A program of `--exec` ends by such a signal, as in a shell.
    @Test(.timeLimit(.minutes(20))) func aProgramTakesTheSignalThatTheDaemonIgnores() async throws {
        let folder = try TemporaryFolder()
        let script = try folder.write("kill -HUP $$; echo 1", to: "leave.sh")
        let daemon = try await Daemon(
            arguments: ["--exec", "leave=/bin/sh"]
                + Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")]),
            database: folder.path("wfd.db"))
        let definition = Self.script.replacingOccurrences(of: "leave.sh", with: "\"'\(script)'\"")
            .replacingOccurrences(of: "onError: lost", with: "onError: lost, retry: {attempts: 1}")
        _ = try await daemon.said("apply", folder.write(definition, to: "job.yaml"))
        _ = try await daemon.said("start", "job", "j")
        _ = try await daemon.said("send", "j", "go")
        try await eventually("the program to end") { try await daemon.json("show", "j")["configuration"] == ["lost"] }
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aProgramThatIsNotThereIsToldAtTheStart() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(
            arguments: ["--exec", "there=/bin/sh", "--exec", "gone=/no/such/file"]
                + Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")]),
            database: folder.path("wfd.db"))
        let lines = daemon.program.errors.split(separator: "\n").filter { $0.contains("--exec") }
        #expect(lines.count == 1 && lines[0].contains("name=gone path=/no/such/file"), "\(lines)")
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// Without /proc, Swift has no arguments: the default database would be served, whatever the command line says.
    @Test(
        .enabled("needs a user who may make a mount namespace") { await mayUnshare() }, .timeLimit(.minutes(20)),
        arguments: ["wfd", "wfctl"])
    func withoutItsArgumentsAProgramDoesNothing(_ program: String) async throws {
        let folder = try TemporaryFolder()
        let path = try Programs.path(program)
        let result = try await Self.unshared(
            "--mount",
            run: [
                "/bin/sh", "-c",
                "mount -t tmpfs none /proc && HOME=\(folder.path("h")) exec \(path) --database \(folder.path("a"))",
            ]
        ).result()
        #expect(result.end == .exited(70))
        #expect(
            result.errors == "error: Cannot read the arguments: /proc is not mounted, and \(program) needs it\n")
        #expect(result.output == "")
        #expect(try folder.names().isEmpty)
    }

    /// Two builds between two releases differ in the commit.
    @Test(.timeLimit(.minutes(20))) func everyPlaceNamesTheSameBuild() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let told = try await Daemon.launch(["--version"]).result()
        let version = told.output.split(separator: "\n").joined()
        let isRepository = FileManager.default.fileExists(atPath: Programs.file(".git"))
        #expect(version.firstMatch(of: /^\d+\.\d+\.\d+(-dev(\+[0-9a-f]{10}(\.modified)?)?)?$/) != nil)
        #expect(version.contains("+") == (isRepository && version.contains("-dev")))
        #expect(version.hasPrefix(Release.version))
        #expect(try await daemon.said("--version") == "wfctl \(version)\n")
        #expect(try await daemon.json("status")["version"] == .string(version))
        #expect(try await daemon.answer(to: .get("/metrics")).text.contains("wfd_build_info{version=\"\(version)\"} 1"))
        #expect(daemon.program.errors.contains("version=\(version)"))
    }

    /// The orphans of a program become children of the first process, which must reap them.
    @Test(.enabled("needs a user who may make a pid namespace") { await mayUnshare() }, .timeLimit(.minutes(20)))
    func theFirstProcessOfAContainerReapsOrphans() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("wfd.db")
        let socket = folder.path("wfd.sock")
        // The shell starts one that leaves its group, so that it is not killed with what is left of the group.
        let begun = folder.path("begun")
        let script = try folder.write(
            """
            setsid sh -c "mkdir \(begun); while kill -0 $$; do :; done" >/dev/null 2>&1 &
            until [ -d \(begun) ]; do :; done
            echo 1
            """, to: "leave.sh")
        let program = try Self.unshared(
            "--pid", "--fork", "--kill-child", "--mount-proc",
            run: [try Programs.path("wfd"), "--exec", "leave=/bin/sh"]
                + Daemon.arguments(database: database, listen: ["unix:" + socket]))
        _ = try await program.errorLines(containing: "listening")
        let daemon = try #require(Self.children(of: program.pid).first)
        let address = ["WFCTL_ADDRESS": "unix:" + socket]
        let definition = Self.script.replacingOccurrences(of: "leave.sh", with: "\"'\(script)'\"")
        for arguments in [
            ["apply", try folder.write(definition, to: "job.yaml")], ["start", "job", "j"], ["send", "j", "go"],
        ] {
            #expect(try await wfctl(arguments, environment: address).end == .exited(0))
        }
        try await eventually("the program to end") {
            let shown = try await wfctl(["show", "j", "-o", "json"], environment: address)
            return try JSONReader.value(from: shown.output)["configuration"] == ["idle"]
        }
        #expect(try folder.names().contains("begun"))
        try await eventually("no child to be left") { Self.children(of: daemon).isEmpty }
        kill(daemon, SIGTERM)
        #expect(try await program.result().end == .exited(0))
    }

    /// Returns the children of a process, including ended ones.
    private static func children(of pid: Int32) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap(Int32.init).filter { child in
            let facts = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
            // Behind the name in brackets come the state and the parent.
            let words = facts?.split(separator: ")").last?.split(separator: " ")
            return words.flatMap { $0.count > 1 ? Int32($0[1]) : nil } == pid
        }
    }
}
