import DaemonTesting
import Testing

/// The scripts for shells. Each is made by a process of its own: the parser keeps, for all, which shell was asked for.
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
