import Statechart
import Testing
import WorkflowInterchange

/// Tests features that XState and a definition have in different forms.
@Suite struct XStateDifferenceTests {
    private func messages(_ text: String) throws -> [String] {
        try XStateImport.definition(from: text).notes.filter { $0.message != Documents.strictness }.map(\.description)
    }

    @Test func whatXStateDoesOtherwiseIsTold() throws {
        let text = """
            {"id": "m", "initial": "p", "context": {"n": 0}, "states": {"p": {"type": "parallel",
              "on": {"e": {"actions": {"assign": {"n": 1}}}, "f": {"actions": {"assign": {"n": 2}}}},
              "states": {
                "x": {"initial": "x1", "states": {"x1": {"on": {"e": "x2", "g": "#y2"}}, "x2": {}}},
                "y": {"initial": "y1", "states": {
                  "y1": {"always": {"guard": "context.n > 5", "actions": {"log": "'n'"}}}, "y2": {"id": "y2"}}}}}}}
            """
        #expect(
            try messages(text) == [
                "2:16: info: when the region 'x' takes 'e', this transition runs for the other regions too; in XState it does not",
                "4:69: info: this transition between regions leaves 'p' and enters it again; XState stays in it",
                "6:34: info: XState takes an 'always' that changes nothing once; here it is taken until the event fails",
            ])
    }

    @Test func whatIsTheSameIsNotTold() throws {
        let text = """
            {"id": "m", "initial": "p", "context": {"n": 0}, "states": {"q": {}, "p": {"type": "parallel",
              "on": {"e": "q", "f": {"actions": {"assign": {"n": 2}}}},
              "states": {
                "x": {"initial": "x1", "states": {"x1": {"on": {"e": "x2"}}, "x2": {}}},
                "y": {"initial": "y1", "states": {
                  "y1": {"always": {"guard": "context.n > 5", "actions": {"assign": {"n": 0}}}}, "y2": {"id": "y2"}}}}}}}
            """
        #expect(try messages(text).filter { !$0.contains("cannot be reached") } == [])
    }

    @Test func whatIsEnteredOtherwiseIsTold() throws {
        let text = """
            {"id": "m", "initial": "c", "context": {"n": 0}, "states": {
              "c": {"initial": {"target": "b", "actions": {"assign": {"n": 1}}}, "on": {"self": "c", "in": "p.r.y"},
                "states": {
                  "h": {"type": "history"},
                  "b": {"initial": {"target": "x", "actions": {"assign": {"n": 2}}}, "on": {"again": "h"},
                    "states": {"x": {}}}}},
              "d": {"initial": "e", "on": {"to": "c"}, "states": {
                "deep": {"type": "history", "history": "deep", "target": "e.f"},
                "e": {"initial": "f", "on": {"back": "deep"}, "states": {"f": {"on": {"go": "g"}}, "g": {}}}}},
              "p": {"type": "parallel", "on": {"leave": "d"}, "states": {
                "r": {"initial": "x", "on": {"anew": {"target": "r", "reenter": true}}, "states": {"x": {}, "y": {}}},
                "s": {"initial": {"target": "u", "actions": {"assign": {"n": 3}}}, "states": {"u": {}}}}}}}
            """
        #expect(
            try messages(text).filter { !$0.contains("cannot be reached") } == [
                "2:85: info: the actions of the 'initial' of 'c' run at this transition to itself; in XState they do not",
                "5:7: info: where history leads to 'b', the actions of its 'initial' run; in XState they do not",
                "5:90: info: where history leads back to 'b' itself, the state is left and entered; XState stays in it",
                "9:42: info: where history leads to a state below 'e', which is not left, XState enters 'e' again; "
                    + "here it is not entered",
                "11:53: info: this transition leaves 'p' with all its regions and enters it again, and timers begin anew; "
                    + "XState leaves the region alone",
                "12:5: info: where a transition leads into another region, the actions of the 'initial' of 's' run; "
                    + "in XState they do not",
            ])
    }

    /// The state that stays active may be above the transition's own.
    @Test(arguments: [("deep", true), ("shallow", false)])
    func historyBelowAnActiveAncestorIsTold(target: String, isTold: Bool) throws {
        let text = """
            {"id": "m", "initial": "c", "states": {
              "c": {"initial": "a", "on": {"out": "d"}, "states": {
                "deep": {"id": "deep", "type": "history", "history": "deep"},
                "shallow": {"id": "shallow", "type": "history"},
                "a": {"initial": "x", "states": {"x": {"on": {"go": "y", "back": "#\(target)"}}, "y": {}}}}},
              "d": {"on": {"in": "c"}}}}
            """
        let told = try messages(text).filter { $0.contains("history leads to a state below") }
        let note =
            "5:70: info: where history leads to a state below 'a', which is not left, XState enters 'a' again; here it is "
            + "not entered"
        #expect(told == (isTold ? [note] : []))
    }

    @Test func aCancelOfSeveralEventsIsTold() throws {
        func text(_ second: String) -> String {
            """
            {"id": "m", "initial": "a", "states": {"a": {
              "entry": [{"send": {"event": "x", "delay": "5s", "id": "i"}},
                        {"send": {"event": "x", "delay": "6s", "id": "\(second)"}}],
              "on": {"x": "a", "stop": {"actions": {"cancel": "i"}}}}}}
            """
        }
        let told = "this cancels all delayed events with the id 'i'; XState cancels the last of them"
        #expect(try messages(text("i")).filter { $0.hasSuffix(told) }.count == 1)
        #expect(try messages(text("j")).filter { $0.hasSuffix(told) } == [])
    }

    @Test func aMachineWithoutStatesGetsOne() throws {
        let text = ##"""
            {"id": "active", "context": {"n": 0}, "on": {"e": {"actions": {"assign": {"n": 1}}}, "f": "#active"}}
            """##
        let imported = try XStateImport.definition(from: text)
        var run = try Run(imported)
        #expect(run.leaves == ["active_2"])
        try run.send("e")
        try run.send("f")
        #expect(run.context == #"{"n":1}"#)
        #expect(try messages(text) == ["1:1: info: a machine without states gets one, 'active_2'"])
    }

    @Test func namedDelaysBecomeLiterals() throws {
        let text = """
            {"id": "m", "initial": "a", "delays": {"SHORT": 500, "ALSO": 500, "LONG": "1h"},
             "states": {"a": {"entry": {"type": "xstate.raise", "event": "r", "delay": "LONG", "id": "i"},
               "after": {"SHORT": "b", "ALSO": "c", "500": "c"}}, "b": {}, "c": {}}}
            """
        let definition = try XStateImport.definition(from: text).definition
        let state = definition["states"]?["a"]
        #expect(state?["after"]?.members?.map(\.key) == ["500"])
        #expect(state?["after"]?["500"] == .list([.string("b"), .string("c"), .string("c")]))
        #expect(state?["entry"]?["send"]?["delay"] == .string("1h"))
        #expect(definition["delays"] == nil)
    }

    @Test func otherParametersAreOthers() throws {
        let text = """
            {"id": "m", "initial": "a", "states": {"a": {
              "entry": [{"type": "show", "params": {"n": 1}}, {"type": "show", "params": {"n": 2}},
                        {"type": "show", "params": {"n": 1}}, "show"],
              "on": {"e": [{"guard": {"type": "above", "params": {"n": 1}}},
                           {"guard": {"type": "above", "params": {"n": 2}}}]}}}}
            """
        let imported = try XStateImport.definition(from: text)
        #expect(
            imported.definition["states"]?["a"]?["entry"]
                == .list([.string("show"), .string("show_2"), .string("show"), .string("show_3")]))
        #expect(imported.definition["guards"]?.members?.map(\.key) == ["above", "above_2"])
        let found = imported.notes.filter { $0.message.hasPrefix("the parameters of") }.map(\.description)
        #expect(
            found == [
                "2:30: warning: the parameters of the action 'show' are left out",
                "2:68: warning: the parameters of the action 'show' are left out",
                "3:30: warning: the parameters of the action 'show' are left out",
                "4:54: loss: the parameters of the guard 'above' are left out",
                "5:54: loss: the parameters of the guard 'above' are left out",
            ])
    }

    @Test func anInfixWildcardTakesNothing() throws {
        let text =
            #"{"id": "m", "initial": "a", "states": {"a": {"on": {"*.event.*": "a", "x.*.y": "a", "x.*": "a"}}}}"#
        #expect(
            try messages(text) == [
                "1:53: warning: '*' stands for events only at the end; what takes '*.event.*' never runs and is left out",
                "1:71: warning: '*' stands for events only at the end; what takes 'x.*.y' never runs and is left out",
            ])
    }

    @Test func escapedDotsArePartsOfKeys() throws {
        let text = #"""
            {"id": "m", "initial": "a", "states": {"a": {"on": {"e": "b\\.c", "f": "#m.b\\.c.d e", "g": "b\\.c.d e"}},
             "b.c": {"initial": "d e", "states": {"d e": {}}}}}
            """#
        let on = try XStateImport.definition(from: text).definition["states"]?["a"]?["on"]
        #expect(on?["e"] == .string("b.c") && on?["f"] == .string("#m.b.c.d_e") && on?["g"] == .string("b.c.d_e"))
    }
}
