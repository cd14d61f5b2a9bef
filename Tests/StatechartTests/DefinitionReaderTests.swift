import Statechart
import Testing

/// Returns the diagnostics of a definition, each with its line and column; empty if there are none.
func diagnostics(of text: String, _ syntax: DefinitionSyntax = .detected) -> [String] {
    do {
        return try DefinitionReader.read(text, syntax: syntax).warnings.map(\.description)
    } catch {
        return error.diagnostics.map(\.description)
    }
}

/// Returns a definition with one state of its own, `s`, that has these keys in flow style. The machine handles all
/// errors.
func oneState(_ keys: String, root: String = "") -> String {
    "{id: m, initial: s, \(root)\nstates: {a: {}, b: {}, s: {on: {a: a, b: b, error.*: a},\n\(keys)}}}"
}

struct DefinitionReaderTests {
    @Test func smallestMachineIsRead() throws {
        let reading = try DefinitionReader.read("{id: m, initial: a, states: {a: {}}}")
        #expect(reading.warnings.isEmpty)
        #expect(reading.machine.name == "m")
        #expect(reading.machine.isStrict)
        #expect(reading.machine.description == nil)
        #expect(reading.machine.states.map(\.path) == ["", "a"])
    }

    @Test func allMistakesAreToldInTheOrderOfTheText() {
        let text = """
            id: 1st
            initial: nowhere
            states:
              a:
                on: {go: b, Stop!: a}
                entyr: [log]
              c:
                states: {x: {}}
            """
        #expect(
            diagnostics(of: text) == [
                "1:5: error: '1st' cannot be a name: letters, digits, '_', '.' and '-', first a letter or '_'",
                "2:10: error: target 'nowhere' does not exist; there are 'a', 'c'",
                "5:14: error: target 'b' does not exist; there are 'a', 'c'",
                "5:17: error: 'Stop!' cannot be the name of an event: names joined by dots, "
                    + "of letters, digits, '_' and '-'",
                "6:5: error: unknown key 'entyr' in state 'a'; did you mean 'entry'?",
                "7:3: error: state 'c' needs 'initial', one of its states, for example 'x'",
            ])
    }

    @Test func warningsStandBesideErrors() {
        let text = oneState("always: [a, b], exti: x")
        #expect(
            diagnostics(of: text) == [
                "3:13: warning: this transition is never taken: the one on line 3 always takes 'always' first",
                "3:17: error: unknown key 'exti' in state 's'; did you mean 'exit'?",
            ])
    }

    @Test(arguments: [
        ("", "1:1: error: the definition is empty"),
        (" \n\t\n", "1:1: error: the definition is empty"),
        ("# nothing\n", "1:1: error: the definition is empty"),
        ("---\n", "2:1: error: a definition must be a map, not null"),
        ("hello", "1:1: error: a definition must be a map, not a string"),
        ("- a", "1:1: error: a definition must be a map, not a list"),
        ("[]", "1:1: error: a definition must be a map, not a list"),
        ("42", "1:1: error: a definition must be a map, not a number"),
    ])
    func textThatIsNoDefinitionIsRefused(text: String, message: String) {
        #expect(diagnostics(of: text) == [message])
    }

    @Test func byteOrderMarkIsSkipped() {
        #expect(diagnostics(of: "\u{FEFF}{id: m, initial: a, states: {a: {}}}").isEmpty)
        #expect(diagnostics(of: "\u{FEFF}{\"id\": \"m\", \"initial\": \"a\", \"states\": {\"a\": {}}}").isEmpty)
    }

    @Test func oldLineEndsAreCounted() {
        #expect(diagnostics(of: "id: m\rinitial: b\rstates:\r  a: {}\r").map { $0.prefix(5) } == ["2:10:"])
    }

    @Test func lineEndsOfWindowsAreRead() {
        #expect(diagnostics(of: "id: m\r\ninitial: b\r\nstates:\r\n  a: {}\r\n").map { $0.prefix(5) } == ["2:10:"])
    }
}
