import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests the roles of users of this machine, with a real daemon and real users.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(
        if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
        "only root can call as somebody else")
)
struct UnixAccessTests {
    private let folder: TemporaryFolder
    private let daemon: Daemon

    private static let rules = """
        access:
          unix: [{user: "12340", role: view}, {group: "43210", role: operate}, {user: "12340", role: deploy}]

        """

    init() async throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        // The place where it was built may be closed to others.
        try FileManager.default.copyItem(atPath: Programs.path("wfctl"), toPath: folder.path("wfctl"))
        let file = try folder.write(Self.rules, to: "wfd.yaml")
        daemon = try await Daemon(
            arguments: ["--config", file]
                + Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")]),
            database: folder.path("wfd.db"))
        chmod(folder.path("wfd.sock"), 0o666)
    }

    /// Runs wfctl as a user with a first group and further ones.
    private func wfctl(
        as user: Int, _ group: Int, _ others: [Int] = [], _ arguments: String...
    ) async throws -> ProgramResult {
        let groups =
            others.isEmpty ? ["--clear-groups"] : ["--groups", others.map(String.init).joined(separator: ",")]
        return try await RunningProgram(
            "/usr/bin/setpriv",
            ["--reuid", "\(user)", "--regid", "\(group)"] + groups + [folder.path("wfctl")] + arguments,
            environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"])
        ).result()
    }

    private func roles(of result: ProgramResult) throws -> JSONValue {
        guard result.end == .exited(0) else { throw TestingError("\(result)") }
        return try JSONReader.value(from: result.output)["roles"]
    }

    @Test func aUserHasTheRolesOfItsRulesAndOfItsGroups() async throws {
        #expect(try await roles(of: wfctl(as: 12_340, 1, [], "whoami", "-o", "json")) == ["view", "deploy"])
        // By its first group, and by a further one.
        #expect(try await roles(of: wfctl(as: 12_341, 43_210, [], "whoami", "-o", "json")) == ["operate"])
        #expect(try await roles(of: wfctl(as: 12_341, 1, [7, 43_210], "whoami", "-o", "json")) == ["operate"])
        let nobody = try await wfctl(as: 12_341, 1, [], "whoami")
        #expect(nobody.end == .exited(77) && nobody.errors.contains("uid:12341 may not whoami"), "\(nobody)")
        let viewer = try await wfctl(as: 12_340, 1, [], "token", "list")
        #expect(viewer.end == .exited(77) && viewer.errors.contains("needs 'access', which admin has"), "\(viewer)")
        // Root, as which wfd runs, always may.
        #expect(try await daemon.json("whoami")["roles"] == ["admin"])
        let live = try await RunningProgram(
            "/usr/bin/setpriv", ["--reuid", "12340", "--clear-groups", "/bin/true"],
            environment: Programs.environment()
        ).result()
        #expect(live.end == .exited(0))
    }

    @Test func aReloadTakesNewRulesAndEndsWhatTheOldOnesPermitted() async throws {
        let tail = try RunningProgram(
            "/usr/bin/setpriv",
            ["--reuid", "12340", "--regid", "1", "--clear-groups", folder.path("wfctl"), "tail", "-o", "jsonl"],
            environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"]))
        _ = try await daemon.said("apply", folder.write("{id: m, initial: a, states: {a: {}}}", to: "m.yaml"))
        _ = try await daemon.said("start", "m", "x")
        _ = try await tail.outputLines(containing: "x")
        _ = try folder.write("access: {unix: [{user: root, role: view}]}\n", to: "wfd.yaml")
        daemon.program.signal(SIGHUP)
        _ = try await daemon.program.errorLines(containing: "the settings were reloaded")
        let refused = try await wfctl(as: 12_340, 1, [], "list")
        #expect(refused.end == .exited(77), "\(refused)")
        // The stream is cut, and its caller is not let in again.
        #expect(try await tail.result().end == .exited(77))
        for (text, message) in [
            ("access:\n", "'access' is empty: write 'unix' below it, or remove it"),
            ("access: {unix: }\n", "[] admits only root and the user of wfd"), ("", "access.unix is missing"),
        ] {
            _ = try folder.write(text, to: "wfd.yaml")
            daemon.program.signal(SIGHUP)
            _ = try await daemon.program.errorLines(containing: message)
        }
        #expect(try await wfctl(as: 12_340, 1, [], "list").end == .exited(77))
        _ = try folder.write("access: {unix: [{user: no-such-user, role: view}]}\n", to: "wfd.yaml")
        daemon.program.signal(SIGHUP)
        let mistake = try await daemon.program.errorLines(containing: "no-such-user")
        #expect(mistake[0].contains("access.unix names the user 'no-such-user', whom this machine does not know"))
    }
}
