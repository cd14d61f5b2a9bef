import Statechart
import Testing
import ThreadTesting

/// Tests texts that are too large or too deep, or hostile: each is answered quickly, with one clear mistake.
@Suite(.ownThreads) struct DefinitionLimitTests {
    @Test func textIsBounded() {
        let text = String(repeating: " ", count: DefinitionLimits.textBytes + 1)
        #expect(diagnostics(of: text) == ["1:1: error: the definition has 1048577 bytes; at most 1048576 are read"])
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["[", "{a: ", "- ", "[a: ", "? ", "[{a: ", "!t [", "&a [", "{? "])
    func deepYAMLIsRefused(opening: String) {
        let text = "id: m\nmeta:\n  " + String(repeating: opening, count: 10_000)
        #expect(diagnostics(of: text).contains { $0.hasSuffix("error: nested deeper than 100 levels") })
    }

    @Test(.timeLimit(.minutes(20))) func deepYAMLThatIsCompleteIsRefusedWhereItGetsTooDeep() {
        let text = "id: m\ninitial: a\nstates: {a: {}}\nmeta: " + nested("[", "]", 99)
        #expect(diagnostics(of: text).isEmpty)
        let deeper = "id: m\ninitial: a\nstates: {a: {}}\nmeta: " + nested("[", "]", 400)
        #expect(diagnostics(of: deeper) == ["4:106: error: nested deeper than 100 levels"])
    }

    @Test(.timeLimit(.minutes(20))) func deepJSONIsRefused() {
        let start = #"{"id": "m", "initial": "a", "states": {"a": {}}, "meta": "#
        #expect(diagnostics(of: start + nested("[", "]", 99) + "}", .json).isEmpty)
        #expect(
            diagnostics(of: start + nested("[", "]", 110) + "}", .json) == [
                "1:157: error: nested deeper than 100 levels"
            ])
        #expect(
            diagnostics(of: start + nested("[", "]", 10_000) + "}", .json) == [
                "1:185: error: nested deeper than 128 levels"
            ])
        #expect(diagnostics(of: String(repeating: "{\"a\":", count: 10_000)).count == 1)
    }

    @Test(.timeLimit(.minutes(20))) func aliasesThatMultiplyAreRefused() {
        var text = "a0: &a0 [x]\n"
        for level in 1...40 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
        text += "? *a40\n: x\n? *a40\n: y\n"
        #expect(
            diagnostics(of: text) == [
                "1:5: error: too many words begin with '&' and '*' to rule out anchors and aliases"
            ])
    }

    @Test func wordsThatLookLikeAliasesMayStandInText() {
        let text = """
            id: m
            description: |
              &you and &me: *never* *ever* mind *these* *few* (a *b *c)
            initial: a
            states: {a: {}}
            """
        #expect(diagnostics(of: text).isEmpty)
    }

    /// Entering such a state would always fail. Definitions from before the limit can still be read.
    @Test func whatOneStateArmsIsBounded() throws {
        let timers = (1...(StepLimits.timers + 1)).map { "      \($0)s: b\n" }.joined()
        let text = "id: m\ninitial: a\nstates:\n  b: {}\n  a:\n    after:\n" + timers
        #expect(
            diagnostics(of: text) == [
                "10007:7: error: state 'a' has 10001 timers; an instance has at most 10000 at a time"
            ])
        #expect(try DefinitionReader.read(stored: text, semantics: .current).machine.states.count == 3)
        let invocations = (0...StepLimits.requests).map { "    - {id: i\($0), task: q, onError: a}\n" }.joined()
        #expect(
            diagnostics(of: "id: m\ninitial: a\nstates:\n  a:\n    invoke:\n" + invocations) == [
                "1006:7: error: state 'a' has 1001 invocations; one macrostep asks for at most 1000"
            ])
    }

    @Test func statesAreBounded() {
        let states = (0...DefinitionLimits.states).map { "s\($0): {}" }.joined(separator: ",\n")
        let text = "{id: m, initial: s0, states: {\(states)}}"
        #expect(diagnostics(of: text).prefix(1) == ["20000:1: error: a machine has at most 20000 states"])
    }

    @Test func namesAndPathsAreBounded() {
        let long = String(repeating: "n", count: 201)
        let shown = "'\(String(repeating: "n", count: 60))…'"
        #expect(
            diagnostics(of: "{id: m, initial: a, states: {a: {}, \(long): {}}}") == [
                "1:37: error: the name \(shown) is longer than 200 bytes"
            ])
        var text = "a: {}"
        let name = String(repeating: "n", count: 200)
        for _ in 1...6 { text = "\(name): {initial: \(name), states: {\(text)}}" }
        #expect(
            diagnostics(of: "{id: m, initial: \(name), states: {\(text)}}").contains {
                $0.hasSuffix(
                    "error: the path of state '\(String(repeating: "n", count: 60))…' is longer than 1000 bytes")
            })
    }

    @Test(.timeLimit(.minutes(20))) func namedActionsThatMultiplyAreRefused() {
        let lists = (1...60).map { "a\($0): [a\($0 - 1), a\($0 - 1)]" }.joined(separator: ", ")
        let text = "{id: m, initial: s, entry: a60, actions: {a0: {raise: x}, \(lists)}, states: {s: {}}}"
        let rule = "the machine has more than 100000 actions when named ones are written out"
        #expect(diagnostics(of: text).map { $0.drop { $0 != "t" } } == [rule[...]])
    }

    @Test func namedActionsThatLieTooDeepAreRefused() {
        let lists = (1...5_000).map { "a\($0): a\($0 + 1)" }.joined(separator: ", ")
        let text = "{id: m, initial: s, actions: {\(lists), a5001: {raise: x}}, states: {s: {}}}"
        #expect(
            diagnostics(of: text).first?.hasSuffix("error: named actions lie in each other deeper than 100 levels")
                == true)
    }

    @Test(.timeLimit(.minutes(20))) func mistakesBeyondAHundredAreCounted() {
        let states = (0..<1_000).map { "s\($0): {on: {x: state\($0)}}" }.joined(separator: ",\n")
        let told = diagnostics(of: "{id: m, initial: s0, states: {\(states)}}")
        #expect(told.count == 101)
        #expect(told.last == "101:16: error: and 900 more mistakes")
    }

    @Test(.timeLimit(.minutes(20))) func keysThatStandTwiceAreFoundWithinABound() {
        let few = (0..<240).map { "s\($0 / 2): {}" }.joined(separator: ",\n")
        let allTold = diagnostics(of: "{id: m, initial: s0, states: {\(few)}}")
        #expect(allTold.first == "2:1: error: the key 's0' stands twice, first on line 1")
        #expect(allTold.last == "202:1: error: and 20 more mistakes")

        let many = (0..<60_000).map { "s\($0 / 2): {}" }.joined(separator: ",\n")
        let someTold = diagnostics(of: "{id: m, initial: s0, states: {\(many)}}")
        #expect((2...4).contains(someTold.count))
        #expect(someTold.allSatisfy { $0.hasSuffix("stands twice in one map") })
    }

    @Test(.timeLimit(.minutes(20))) func largeDefinitionsAreRead() throws {
        var text = "id: large\ninitial: s0\nstates:\n"
        for index in 0..<10_000 {
            text += "  s\(index):\n    description: one of very many states that follow each other\n"
            text += "    on: {next: s\((index + 1) % 10_000)}\n"
        }
        #expect(text.utf8.count <= DefinitionLimits.textBytes)
        let reading = try DefinitionReader.read(text)
        #expect(reading.machine.states.count == 10_001)
        #expect(reading.warnings.isEmpty)
    }

    @Test(.timeLimit(.minutes(20))) func wideParallelStatesAreRead() {
        let regions = (0..<10_000).map { "r\($0): {}" }.joined(separator: ",\n")
        let targets = (0..<10_000).map { ".r\($0)" }.joined(separator: ", ")
        let text = "{id: m, type: parallel, on: {x: {target: [\(targets)]}}, states: {\(regions)}}"
        #expect(diagnostics(of: text).isEmpty)
    }

    private func nested(_ opening: String, _ closing: String, _ count: Int) -> String {
        String(repeating: opening, count: count) + String(repeating: closing, count: count)
    }

    /// Names are looked up in tables that all expressions share: the work for each expression must not grow with them.
    @Test func manyGuardsAndTypedEventsAreRead() throws {
        let few = try timeToRead(guards: 1_000)
        let many = try timeToRead(guards: 8_000)
        // Eight times as many take as much more; if each took what all have, they would take 64 times as much.
        #expect(many < few * 24, "\(few), \(many)")
    }

    /// Returns the processor time for a definition with a number of guards and typed events.
    private func timeToRead(guards count: Int) throws -> Duration {
        let numbers = 0..<count
        let guards = numbers.map { "\"g\($0)\": \"context.n > \($0)\"" }.joined(separator: ",")
        let events = numbers.map { "\"e\($0)\": {\"data\": {\"k\": \"int\"}}" }.joined(separator: ",")
        let handlers = numbers.map { "\"e\($0)\": {\"guard\": \"g\($0) && event.data.k > 0\"}" }.joined(separator: ",")
        let text = """
            {"id": "m", "initial": "a", "context": {"n": 0}, "guards": {\(guards)}, "events": {\(events)},
            "states": {"a": {"on": {\(handlers)}}}}
            """
        let begin = processorTime()
        let machine = try DefinitionReader.read(text).machine
        #expect(machine.guards.count == numbers.count)
        return processorTime() - begin
    }
}
