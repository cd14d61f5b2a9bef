import Statechart
import Testing
import WorkflowInterchange

/// Tests texts that are not an XState configuration, and configurations with mistakes.
@Suite struct XStateBadInputTests {
    private func notes(_ text: String) -> [String] {
        do throws(ImportError) {
            return try XStateImport.definition(from: text).notes.map(\.description)
        } catch {
            return error.notes.map(\.description)
        }
    }

    @Test(arguments: [
        ("", "1:1: error: the definition is empty"), ("[1]", "1:1: error: a machine configuration is a map"),
        (#"{"id": "m","#, "1:12: error: not valid JSON: expected a key in double quotes, found the end of the text"),
        (#"{"id": "m", "id": "n"}"#, "1:13: error: the key 'id' stands twice, first on line 1"),
        (
            "createMachine({})",
            "1:1: error: a machine configuration is a map"
        ),
    ])
    func whatIsNoConfigurationIsRefused(text: String, message: String) {
        #expect(notes(text) == [message])
    }

    @Test(arguments: [
        (#"{"hello": 1}"#, "it has neither 'states' nor 'on'; it begins with 'hello'"),
        ("{}", "it has neither 'states' nor 'on'; it is empty"),
        (
            #"{"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}"#,
            "it looks like a state machine of AWS Step Functions (Amazon States Language), which has no import"
        ),
        (
            #"{"document": {"dsl": "1.0.0", "name": "n"}, "do": [{"a": {"call": "http"}}]}"#,
            "it looks like a workflow of CNCF Serverless Workflow, which has no import"
        ),
        (
            #"{"id": "w", "specVersion": "0.8", "start": "a", "states": [{"name": "a", "type": "operation"}]}"#,
            "it looks like a workflow of CNCF Serverless Workflow, which has no import"
        ),
        (
            #"{"on": "push", "jobs": {"a": {"steps": []}}}"#,
            "it looks like a workflow of GitHub Actions, which has no import"
        ),
        (#"{"id": "m", "states": ["a"]}"#, "its 'states' are a list, where XState has a map"),
    ])
    func whatIsNoMachineIsRefused(text: String, reason: String) {
        #expect(notes(text) == ["1:1: error: this is no XState configuration: " + reason])
    }

    @Test func lossesAreToldBesideErrors() {
        let text = ##"""
            {"id": "m", "initial": "a",
             "states": {"a": {"on": {"E": "b", "F": {"target": "a", "guard": "named"}}, "after": {"soon": "a"}}}}
            """##
        let found = notes(text)
        #expect(found.contains { $0.contains("error:") })
        #expect(found.filter { $0.contains(": loss: ") }.count == 2, "\(found)")
    }

    @Test func mistakesAreToldWhereTheyStand() {
        let text = """
            {"id": "m", "initial": "a", "verison": 1, "output": {},
             "states": {
               "a": {"initial": "x", "onn": {}, "on": {"E": {"target": "b", "gaurd": "x"}, "F": [], "G": {"target": []}}},
               "b": {"target": "a", "states": {}, "type": "final", "after": {"1": "a"}}
             }}
            """
        #expect(
            notes(text) == [
                "1:1: info: " + Documents.strictness,
                "1:29: warning: unknown key 'verison' is left out",
                "1:43: loss: 'output' is left out: the machine's output is that of its final states",
                "3:10: warning: 'initial' is left out: the state has no states",
                "3:26: warning: unknown key 'onn' is left out; did you mean 'on'?",
                "3:65: warning: unknown key 'gaurd' of a transition is left out; did you mean 'guard'?",
                "4:10: warning: 'target' is left out: the state is no history state",
                "4:25: loss: 'states' is left out: the state is final",
                "4:56: loss: 'after' is left out: the state is final",
            ])
    }

    @Test func aTargetThatDoesNotExistIsAnError() {
        let found = notes(##"{"id": "m", "initial": "a", "states": {"a": {"on": {"E": "aa", "F": "#m.c"}}, "b": {}}}"##)
        #expect(
            found == [
                "1:1: info: " + Documents.strictness,
                "1:58: error: as a definition this is refused: target 'aa' does not exist; did you mean 'a'?",
                "1:69: error: as a definition this is refused: target '#m.c' does not exist; no state has this id",
            ])
    }

    @Test func deepNestingIsRefused() {
        let states =
            String(repeating: #"{"initial": "a", "states": {"a": "#, count: 5_000) + "{}"
            + String(repeating: "}}", count: 5_000)
        #expect(notes(states).count == 1)
        #expect(notes(states).first?.contains("nested deeper than") == true)
    }

    @Test(.timeLimit(.minutes(20))) func largeConfigurationsAreReadUpToABound() throws {
        let text = { (count: Int) in
            #"{"id": "m", "initial": "s0", "states": {"#
                + (0..<count).map {
                    #""s\#($0)": {"on": {"e": {"target": "s0", "guard": "g\#($0)", "actions": "a\#($0)"}}}"#
                }
                .joined(separator: ",\n") + "}}"
        }
        let imported = try XStateImport.definition(from: text(300))
        #expect(imported.definition["guards"]?.members?.count == 300)
        #expect(notes(text(20_000)).first?.hasSuffix("at most 1048576 are read") == true)
    }
}
