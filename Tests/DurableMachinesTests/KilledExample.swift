import DaemonTesting
import Glibc
import Testing

/// The file of an example that was killed.
struct KilledExample {
    let program: String
    let folder: TemporaryFolder
    /// The output until the end.
    let output: String

    var file: String { folder.path("app.db") }

    /// Starts an example, and kills it when it has printed some lines.
    ///
    /// It ends by itself some seconds after them. Where the machine was too busy to kill it in time, another one is
    /// started with another file.
    init(_ program: String, after line: String, count: Int) async throws {
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            let running = try Self.start(program, folder.path("app.db"))
            _ = try await running.outputLines(containing: line, count: count)
            running.signal(SIGKILL)
            let result = try await running.result()
            if result.end == .exited(0) { continue }
            #expect(result.end == .killed(by: SIGKILL), "\(result)")
            (self.program, self.folder, output) = (program, folder, result.output)
            return
        }
        throw TestingError("'\(program)' always ended before it could be killed")
    }

    /// Starts the example again with its file, and returns what it prints until its end.
    func startedAgain() async throws -> String {
        let result = try await Self.start(program, file).result()
        #expect(result.end == .exited(0), "\(result)")
        return result.output
    }

    private static func start(_ program: String, _ file: String) throws -> RunningProgram {
        try RunningProgram(Programs.path(program), [file], environment: Programs.environment([:]))
    }
}
