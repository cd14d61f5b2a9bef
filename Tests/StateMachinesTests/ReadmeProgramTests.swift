import ManualTesting
import Seeds
import StateMachines
import Testing

/// Tests that the README's program, which is that of `Examples/Swift`, prints what the README shows.
struct ReadmeProgramTests {
    @Test func itPrintsWhatThePageShows() throws {
        var lines: [String] = []
        func print(_ values: Any...) { lines.append(values.map { "\($0)" }.joined(separator: " ")) }

        let machine = try StateMachine(Screens.self)
        print(try machine.send(.launch))
        do {
            try machine.send(.loggedIn)
        } catch {
            print(error)
        }
        print(machine.attempt(.start), machine.attempt(.start), machine.state)

        let page = ManualPage.page("README.md")
        let commands = page.steps.compactMap { step in
            if case .command(let command) = step, command.text.hasPrefix("swift run ") { command } else { nil }
        }
        #expect(commands.map { Array(page.lines[$0.output]) } == [lines])
    }
}
