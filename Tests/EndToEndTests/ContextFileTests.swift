import DaemonTesting
import Foundation
import Testing

/// Tests the file in which `wfctl login` keeps tokens.
@Suite struct ContextFileTests {
    @Test(.timeLimit(.minutes(20))) func contextsAreForTheirOwnerAlone() async throws {
        let folder = try TemporaryFolder()
        let place = try folder.makeFolder("wfctl") + "/contexts.yaml"
        try Data("contexts:\n  a:\n    address: https://a.example\n    token: secret\n".utf8)
            .write(to: URL(filePath: place))
        func contexts(_ more: String...) async throws -> ProgramResult {
            try await DaemonTesting.wfctl(["contexts"] + more, environment: ["XDG_CONFIG_HOME": folder.path])
        }
        for mode: mode_t in [0o640, 0o604, 0o620] {
            chmod(place, mode)
            let refused = try await contexts()
            #expect(refused.end == .exited(77))
            #expect(
                refused.errors
                    == "error: Cannot use '\(place)': others than its owner may use it, and it has a token; "
                    + "'chmod 600' it\n"
            )
        }
        chmod(place, 0o600)
        // The file that a killed process has left may have any mode.
        try Data().write(to: URL(filePath: place + ".partial"))
        chmod(place + ".partial", 0o666)
        #expect(try await contexts("--use", "a").end == .exited(0))
        var status = stat()
        #expect(stat(place, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("wfctl")) == ["contexts.yaml"])
    }

    @Test(.timeLimit(.minutes(20))) func aFileWithATokenIsForItsOwnerAlone() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("wfdt_00000000_secret", to: "shop.token")
        func listed() async throws -> ProgramResult {
            try await DaemonTesting.wfctl(
                ["list"],
                environment: ["WFCTL_ADDRESS": "unix:" + folder.path("no.sock"), "WFCTL_TOKEN_FILE": file])
        }
        for mode: mode_t in [0o640, 0o644, 0o602] {
            chmod(file, mode)
            let refused = try await listed()
            #expect(refused.end == .exited(77))
            #expect(
                refused.errors
                    == "error: Cannot use '\(file)': others than its owner may use it, and it has a token; "
                    + "'chmod 600' it\n")
        }
        chmod(file, 0o400)
        #expect(try await listed().end == .exited(69))
        guard geteuid() == 0 else { return }
        // As systemd and Kubernetes pass a secret: to the group of a service.
        chmod(file, 0o440)
        chown(file, 1, 0)
        #expect(try await listed().end == .exited(69))
        chmod(file, 0o444)
        #expect(try await listed().end == .exited(77))
    }
}
