import DaemonTesting
import Testing

/// Tests the completion scripts. Each is made by a separate process, because the parser keeps the requested shell in a
/// global variable.
@Suite struct CompletionScriptTests {
    @Test(.timeLimit(.minutes(20)), arguments: ["bash", "zsh", "fish"])
    func thereAreCompletions(shell: String) async throws {
        let result = try await wfctl(["--generate-completion-script=\(shell)"])
        #expect(result.end == .exited(0) && result.errors.isEmpty)
        #expect(result.output.contains("history") && result.output.contains("actors"))
    }

    @Test(.timeLimit(.minutes(20))) func statusesAreKnownWithoutADaemon() async throws {
        let script = try await wfctl(["--generate-completion-script=bash"]).output
        #expect(script.contains("running'$'\\n''done'$'\\n''failed'$'\\n''suspended'$'\\n''cancelled"))
    }
}
