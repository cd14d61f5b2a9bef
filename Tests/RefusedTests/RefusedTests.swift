import DaemonTesting
import StateMachines
import Testing

/// Tests programs that the compiler refuses, and the messages. Each file of `Programs` is compiled with the modules of
/// this build, and the errors must equal those in its comments to the letter.
struct RefusedTests {
    @Test func thereAreProgramsOfBothKinds() throws {
        let programs = try Program.all()
        #expect(programs.filter { $0.expected.isEmpty }.map(\.name) == ["Accepted"])
        #expect(programs.count > 10)
    }

    @Test(.timeLimit(.minutes(20)), arguments: try Program.all()) func itsErrorsAreThoseItSays(program: Program)
        async throws
    {
        let said = try await Compiler.diagnostics(of: program.path).sorted { $0.line < $1.line }
        #expect(said.filter { $0.kind == .error } == program.expected.filter { $0.kind == .error })
        for note in program.expected where note.kind == .note { #expect(said.contains(note)) }
    }
}
