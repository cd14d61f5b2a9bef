import DaemonTesting
import Testing

/// Tests wrong command lines of `wfd`: exit code and text, to the letter.
@Suite struct DaemonCommandTests {
    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            (["restor", "x.db"], "error: There is no command 'restor'\n  did you mean 'restore'?"),
            (["verfy"], "error: There is no command 'verfy'\n  did you mean 'verify'?"),
            (["help", "sreve"], "error: There is no command 'sreve'\n  did you mean 'serve'?"),
            (["clock", "accpt"], "error: There is no command 'accpt'\n  did you mean 'accept'?"),
            (["dance"], "error: There is no command 'dance'\n  'wfd --help' lists the commands"),
            (["--verison"], "error: Unknown option '--verison'. Did you mean '--version'?"),
            (["--databse", "x"], "error: Unknown option '--databse'. Did you mean '--database'?"),
            (["restore", "x", "--dry-rum"], "error: Unknown option '--dry-rum'. Did you mean '--dry-run'?"),
            (["restore"], "error: Missing expected argument '<file>'"),
        ])
    func aCommandLineThatMeansNothingEndsWith64(arguments: [String], message: String) async throws {
        let folder = try TemporaryFolder()
        let result = try await Daemon.launch(arguments, environment: ["STATE_DIRECTORY": folder.path]).result()
        #expect(result.end == .exited(64) && result.output == "")
        // The parser says below how the command is used.
        let count = message.split(separator: "\n").count
        #expect(result.errors.split(separator: "\n").prefix(count).joined(separator: "\n") == message)
    }
}
