import Statechart
import Testing
import WorkflowInterchange

/// Tests the parts of a configuration that are code, and the parts that a definition has in other places.
@Suite struct XStateCodeTests {
    private func imported(guard code: String, first: String = "") throws -> ImportedDefinition {
        let function = DefinitionNode.string(code).text(as: .json)
        return try XStateImport.definition(
            from: """
                {"id": "m", \(first) "initial": "a", "context": {"n": 1, "s": "", "first-name": "x"}, "states": {
                  "a": {"on": {"E": {"target": "b", "guard": {"function": \(function)}}}},
                  "b": {}}}
                """)
    }

    @Test(
        arguments: [
            ("({ context }) => context.n > 1", "context.n > 1"),
            ("({context, event}) => event.n === context.n", "event.data.n == context.n"),
            ("({ context: c }) => c.n && !c.s", "context.n != 0 && context.s == ''"),
            ("function ({ context }) { return context.n > 1; }", "context.n > 1"),
            ("isOpen({ context }) { return context.n > 1 }", "context.n > 1"),
            ("args => args.context.n > 1", "context.n > 1"),
            ("({ event }) => event.type === 'E'", "event.name == 'E'"),
            ("({ context }) => context.first > 1", nil), ("({ context }) => check(context)", nil),
            ("({ context }) => { const n = 1; return context.n > n }", nil), ("({ event }) => event.output > 1", nil),
            ("({ event }) => event.ok", nil), ("({ event }) => event.type === 'xstate.init'", nil),
            ("[native code]", nil),
            ("async ({ context }) => context.n > 1", nil), ("({ context }) => context", nil),
        ] as [(String, String?)])
    func aGuardKeepsItsTextAndMayBeTranslated(code: String, expression: String?) throws {
        let imported = try imported(guard: code)
        #expect(
            imported.definition["states"]?["a"]?["on"]?["E"]?["guard"] == .string(expression ?? "inline_1"),
            "\(imported.notes)")
        #expect(imported.losses.isEmpty == (expression != nil))
        #expect(
            imported.notes.contains { $0.message.hasPrefix("this guard is code") && $0.message.contains("'\(code)'") })
    }

    @Test(arguments: ["(ctx) => ctx.n > 1", "(ctx, ev) => ev.n > ctx.n", "c => c.n > 1"])
    func versionFourGivesContextAndEvent(code: String) throws {
        let imported = try imported(guard: code, first: "\"predictableActionArguments\": true,")
        #expect(imported.losses == [])
    }

    @Test func aTransitionThatIsCodeIsToldAsThat() throws {
        let imported = try XStateImport.definition(
            from: """
                {"id": "m", "initial": "a", "states": {
                  "a": {"always": {"function": "() => 'b'"}, "on": {"E": [{"function": "f"}, "b"]}}, "b": {}}}
                """)
        #expect(imported.losses.count == 2)
        #expect(imported.losses.allSatisfy { $0.message.hasPrefix("this transition is code") })
        #expect(imported.definition["states"]?["a"]?["always"] == nil)
        #expect(imported.definition["states"]?["a"]?["on"]?["E"] == .list([.string("b")]))
    }

    @Test(arguments: [#"{}"#, #"{"actions": {"assign": {"n": 1}}}"#])
    func aRegionThatTakesWhatAnAncestorTakesIsALoss(inner: String) throws {
        let text = """
            {"id": "m", "initial": "p", "context": {"n": 0}, "states": {"q": {}, "p": {"type": "parallel",
              "on": {"e": "q"},
              "states": {"x": {"on": {"e": \(inner)}}, "y": {}}}}}
            """
        let imported = try XStateImport.definition(from: text)
        #expect(
            imported.losses.map(\.description) == [
                "2:15: loss: when the region 'x' takes 'e', this one is taken too; in XState it does not"
            ])
    }

    @Test func whatIsNullIsNotThere() throws {
        let text = """
            {"id": "m", "initial": "a", "states": {"a": {"on": null, "always": null, "after": null, "entry": null,
              "exit": null, "invoke": null, "onDone": null}, "b": {"on": {"E": "a"}}}}
            """
        let imported = try XStateImport.definition(from: text)
        #expect(imported.definition["states"]?["a"] == .map([]))
        #expect(imported.losses == [])
    }

    @Test func targetsFollowARenamedRoot() throws {
        let text = ##"""
            {"id": "New Machine", "initial": "a", "states": {
              "a": {"on": {"E": "#New Machine.b", "F": "#New Machine.b.c d", "G": "#New Machine",
                           "H": {"target": "b", "guard": {"type": "stateIn", "state": "#New Machine.b"}}}},
              "b": {"initial": "c d", "states": {"c d": {}}}}}
            """##
        let imported = try XStateImport.definition(from: text)
        let on = imported.definition["states"]?["a"]?["on"]
        #expect(imported.definition["id"] == .string("New_Machine"))
        #expect(on?["E"] == .string("#New_Machine.b") && on?["F"] == .string("#New_Machine.b.c_d"))
        #expect(on?["G"] == .string("#New_Machine"))
        let unnamed = text.replacing(#""id": "New Machine", "#, with: "").replacing("New Machine", with: "(machine)")
        let other = try XStateImport.definition(from: unnamed).definition
        #expect(other["states"]?["a"]?["on"]?["E"] == .string("#machine.b"))
    }

    @Test func whatXStateReplacesIsLeftOut() throws {
        let text = """
            {"id": "m", "initial": "a", "states": {
              "a": {"invoke": {"src": "x", "id": "x", "onDone": "b", "onError": "b"},
                    "on": {"xstate.done.actor.x": "c", "xstate.error.actor.x": "c", "E": "c"}},
              "b": {}, "c": {}}}
            """
        let imported = try XStateImport.definition(from: text)
        #expect(imported.definition["states"]?["a"]?["on"]?.members?.map(\.key) == ["E"])
        #expect(imported.losses == [])
        #expect(
            imported.notes.map(\.message).filter { $0.contains("replaces") } == [
                "'onDone' replaces 'xstate.done.actor.x' in XState; this is never taken and is left out",
                "'onError' replaces 'xstate.error.actor.x' in XState; this is never taken and is left out",
            ])
    }

    @Test func condIsToldOnce() throws {
        let text = """
            {"id": "m", "initial": "a", "states": {"a": {"on": {"E": {"target": "b", "cond": "g"},
              "F": {"target": "b", "cond": "h"}}}, "b": {}}}
            """
        let told = try XStateImport.definition(from: text).notes.filter { $0.message.contains("'cond'") }
        #expect(told.map(\.description) == ["1:74: info: 'cond' of version 4 is written as 'guard'"])
    }

    @Test(arguments: [
        #""a": {"type": "final", "output": {"function": "() => 1"}}"#,
        #""a": {"type": "final", "output": {"n": {"function": "() => 1"}}}"#,
        #""a": {"invoke": {"src": "x", "input": {"function": "() => 1"}}}"#,
    ])
    func whatOthersGetIsALoss(state: String) throws {
        let imported = try XStateImport.definition(from: #"{"id": "m", "initial": "a", "states": {\#(state)}}"#)
        #expect(imported.losses.count == 1, "\(imported.notes)")
    }
}
