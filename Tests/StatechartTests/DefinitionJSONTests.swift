import Statechart
import Testing
import WorkflowJSON

struct DefinitionJSONTests {
    @Test func surrogatePairsAreRead() throws {
        let text = #"{"id": "m", "initial": "a", "context": {"k": "\uD83D\uDE00\\uD83D"}, "states": {"a": {}}}"#
        let machine = try DefinitionReader.read(text).machine
        #expect(machine.context["k"] == .string("\u{1F600}\\uD83D"))
    }

    @Test func keysKeepTheirOrder() throws {
        let text = #"{"states": {"z": {}, "b": {"on": {"x": "z"}}, "a": {}}, "initial": "b", "id": "m"}"#
        #expect(try DefinitionReader.read(text, syntax: .json).machine.states.map(\.path) == ["", "z", "b", "a"])
    }

    @Test func mistakesHaveTheirPlace() {
        let text = "\t{\n  \"id\": \"m\", \"initial\": \"é\",\n\t\"states\": {\"ä\": {}, \"b\": {\"x\": 1}}}\n\t\n"
        #expect(
            diagnostics(of: text) == [
                "2:25: error: target 'é' does not exist; there are 'b'",
                "3:13: error: 'ä' cannot be a name: letters, digits, '_', '.' and '-', first a letter or '_'",
                "3:28: error: unknown key 'x' in state 'b'; known are id, initial, type, states, on, always, after, "
                    + "invoke, entry, exit, onDone, description, tags, meta",
            ])
    }

    @Test func whatIsNotJSONIsRefusedWhenJSONIsAskedFor() {
        #expect(
            diagnostics(of: "{id: m}", .json) == [
                "1:2: error: not valid JSON: expected a key in double quotes, found 'i'"
            ])
        #expect(
            diagnostics(of: "{\"id\": 1e999}", .json) == ["1:8: error: the number 1e999 does not fit a double"])
    }

    @Test func brokenTextIsToldAsWhatItLooksLike() {
        #expect(
            diagnostics(of: "{ \"id\": \"m\",") == [
                "1:13: error: not valid JSON: expected a key in double quotes, found the end of the text"
            ])
        #expect(
            diagnostics(of: "{ id: m") == [
                "1:8: error: not valid YAML: while parsing a flow mapping that begins on line 1, "
                    + "did not find expected ',' or '}'"
            ])
    }

    @Test func textThatIsAlmostJSONIsReadAsYAML() throws {
        let text = #"{"id": "m", "initial": "a", "states": {"a": {},},}"#
        #expect(try DefinitionReader.read(text).machine.name == "m")
        #expect(diagnostics(of: text, .json).count == 1)
    }
}
