import Foundation
import ThreadTesting

/// The built programs, which are in the folder of the running tests.
package enum Programs {
    /// Returns the path of a program or library of this build.
    package static func path(_ name: String) throws -> String {
        let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = URL(filePath: runner).deletingLastPathComponent()
        // The runner lies in the build folder or, on some systems, in a bundle in it.
        for _ in 0..<4 {
            let path = folder.appending(path: name).path
            if FileManager.default.fileExists(atPath: path) { return path }
            folder.deleteLastPathComponent()
        }
        throw TestingError("'\(name)' is not built: there is none beside '\(runner)'")
    }

    /// Returns the test's environment for a program, without the variables that name places for wfd and wfctl, and
    /// without those that tests have and wfd refuses.
    package static func environment(_ changes: [String: String] = [:]) -> [String: String] {
        let places = [
            "STATE_DIRECTORY", "RUNTIME_DIRECTORY", "CONFIGURATION_DIRECTORY", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
            "WFCTL_ADDRESS", "WFCTL_CONTEXT", "WFCTL_TOKEN", "WFCTL_TOKEN_FILE", "WFCTL_CA", "NOTIFY_SOCKET",
        ]
        var environment = ProcessInfo.processInfo.environment.filter {
            !places.contains($0.key) && !$0.key.hasPrefix("WFD_")
        }
        environment["NO_COLOR"] = "1"
        return environment.merging(changes) { _, new in new }
    }

    /// Returns the path of a definition in `Examples/`.
    package static func example(_ name: String) -> String { file("Examples/\(name).yaml") }

    /// Returns the path of the database that a release wrote.
    package static func fixture(_ release: String) -> String { file("Tests/Fixtures/\(release).db") }

    /// Returns the path of a file of the repository.
    package static func file(_ path: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: path).path
    }
}

/// Runs `wfctl` to its end.
package func wfctl(
    _ arguments: [String], environment: [String: String] = [:]
) async throws -> ProgramResult {
    try await RunningProgram(
        Programs.path("wfctl"), arguments, environment: Programs.environment(environment)
    ).result()
}
