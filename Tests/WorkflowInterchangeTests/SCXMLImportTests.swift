import Statechart
import Testing
import WorkflowInterchange

/// Tests the definitions that are made from SCXML documents.
@Suite struct SCXMLImportTests {
    @Test func everythingBecomesItsDefinition() throws {
        let imported = try SCXMLImport.definition(from: Documents.text("everything.scxml"))
        let (definition, notes) = Documents.lines(imported)
        #expect(definition == (try Documents.text("everything.yaml")))
        #expect(notes == (try Documents.text("everything.txt")))
    }

    @Test func aMachineWithoutAnythingSaysLittle() throws {
        let imported = try SCXMLImport.definition(from: "<scxml><state id='a'/></scxml>")
        #expect(
            Documents.lines(imported) == (
                "id: machine\ninitial: a\nstrict: false\nstates:\n  a: {}\n",
                "1:1: info: the document has no name; the machine is called 'machine'\n"
            ))
    }

    @Test func namesThatAreNoneAreChanged() throws {
        let document = Documents.scxml(
            """
            <state id="état"><transition event="éteindre.a:b" target="état"/><transition event="7up" target="état2"/></state>
            <state id="état2"/><state id="_tat"/><state/><final/>
            """)
        let imported = try SCXMLImport.definition(from: document.replacing("\"m\"", with: "\"my machine\""))
        let (definition, notes) = Documents.lines(imported)
        #expect(
            definition == """
                id: my_machine
                initial: _tat_2
                strict: false
                states:
                  _tat_2:
                    on:
                      _teindre.a_b:
                        target: '#_tat_2'
                        reenter: true
                      _7up: '#_tat2'
                  _tat2: {}
                  _tat: {}
                  state_1: {}
                  final_1:
                    type: final

                """)
        #expect(
            notes == """
                1:48: info: the machine 'my machine' is called 'my_machine' here
                2:8: info: the state 'état' is called '_tat_2' here
                2:30: info: the event 'éteindre.a:b' is called '_teindre.a_b' here
                2:30: info: a descriptor below which the document has no event takes exactly its name here; in SCXML it takes every name below it
                2:78: info: the event '7up' is called '_7up' here
                3:8: info: the state 'état2' is called '_tat2' here

                """)
    }

    @Test func pathsAndIDsNeverCollide() throws {
        let imported = try SCXMLImport.definition(
            from: Documents.scxml(
                "<state id='a'><state id='b'/></state><state id='a.b'><transition event='e' target='b'/></state>"))
        #expect(
            Documents.lines(imported).definition == """
                id: m
                initial: a
                strict: false
                states:
                  a:
                    initial: b_2
                    states:
                      b_2:
                        id: b
                  a.b:
                    on:
                      e: '#b'

                """)
    }

    @Test(arguments: [
        ("<initial><transition target='b'/></initial>", "b"), ("", "a"),
        ("<initial><transition target='b1'/></initial>", "'#b1'"),
        (
            "<initial><transition target='b'><log label='x'/></transition></initial>",
            "\n        target: b\n        actions:\n          - log: \"'x'\""
        ),
        (
            "<initial><transition target='p1b p2b'/></initial>",
            "\n        target:\n          - '#p1b'\n          - '#p2b'"
        ),
    ])
    func aStateBeginsWhereItSays(initial: String, written: String) throws {
        let document = Documents.scxml(
            """
            <state id="s">\(initial)
            <state id="a"/><state id="b"><state id="b0"/><state id="b1"/></state>
            <parallel id="p"><state id="p1"><state id="p1a"/><state id="p1b"/></state>
            <state id="p2"><state id="p2a"/><state id="p2b"/></state></parallel></state>
            """)
        let definition = Documents.lines(try SCXMLImport.definition(from: document)).definition
        #expect(
            definition.contains(
                "  s:\n    initial:\(written.hasPrefix("\n") ? "" : " ")\(written.replacing("\n  ", with: "\n"))"))
    }

    @Test(arguments: [
        ("a", "", true), ("a", "internal", true), ("a1", "", true), ("a1", "internal", false), ("b", "", false),
        ("h", "", true), ("h", "internal", false), ("a1 x1", "", true), ("top", "", true), ("top", "internal", false),
    ])
    func aTransitionToItsOwnStateExitsIt(target: String, type: String, reenters: Bool) throws {
        let isOfParallel = target == "a1 x1"
        let attribute = type.isEmpty ? "" : "type='\(type)'"
        let document = Documents.scxml(
            """
            <state id="all"><history id="top"/><parallel id="w">
            <state id="a"><transition event="e" target="\(isOfParallel ? "b" : target)" \(attribute)/>
            <state id="a1"/><history id="h" type="deep"/></state><state id="x"><state id="x1"/></state>
            <transition event="e" target="\(isOfParallel ? target : "b")"/></parallel><state id="b"/></state>
            """)
        let imported = try SCXMLImport.definition(from: document)
        let state = imported.definition["states"]?["all"]?["states"]?["w"]
        let transition = isOfParallel ? state?["on"]?["e"] : state?["states"]?["a"]?["on"]?["e"]
        #expect((transition?["reenter"] == .bool(true)) == reenters)
    }

    /// Appendix D enters a state again that is above what history stands for, also one that has not been left.
    @Test(
        arguments: [
            ("a", "h", "internal", "a"), ("a", "h", "", nil), ("x", "h", "", "a"), ("x", "h", "internal", "a"),
            ("x", "shallow", "", nil), ("d", "h", "", nil),
        ] as [(String, String, String, String?)])
    func historyBelowAnActiveStateIsTold(source: String, target: String, type: String, entered: String?) throws {
        let written =
            "<transition event='back' target='\(target)'" + (type.isEmpty ? "/>" : " type='\(type)'/>")
        func transition(_ state: String) -> String { state == source ? written : "" }
        let imported = try SCXMLImport.definition(
            from: Documents.scxml(
                """
                <state id="c"><history id="h" type="deep"><transition target="x"/></history>
                <history id="shallow"><transition target="a"/></history><transition event="out" target="d"/>
                <state id="a">\(transition("a"))
                <state id="x">\(transition("x"))<transition event="go" target="y"/></state>
                <state id="y"/></state></state>
                <state id="d">\(transition("d"))<transition event="in" target="c"/></state>
                """))
        let told = imported.notes.map(\.message).filter { $0.hasPrefix("where history leads") }
        let wanted = entered.map { state in
            "where history leads to a state below '\(state)', which is not left, SCXML enters '\(state)' again; here "
                + "it is not entered"
        }
        #expect(told == [wanted].compactMap(\.self), "\(imported.notes)")
    }

    @Test func dataIsLateOnlyInTheDocument() throws {
        let document = Documents.scxml(
            "<state id='a'><datamodel><data id='x' expr='1'/></datamodel></state><state id='b'><datamodel><data id='y'/><data id='x'/></datamodel></state>",
            " binding='late'")
        let (definition, notes) = Documents.lines(try SCXMLImport.definition(from: document))
        #expect(definition.contains("context:\n  x: 1\n  y: null\n"))
        #expect(
            notes == """
                2:26: warning: all data are bound when the machine starts, those of states too
                2:114: warning: the data 'x' is declared before; this is left out

                """)
    }

    @Test func theNullDataModelHasOnlyIn() throws {
        let document = Documents.scxml(
            "<state id='a'><transition cond=\"In('b')\" target='b'/><transition cond='true' target='b'/></state><state id='b'/>",
            " datamodel='null'")
        let (definition, notes) = Documents.lines(try SCXMLImport.definition(from: document))
        #expect(definition.contains("guard: In('b')\n"))
        #expect(definition.contains("guard: false\n"))
        #expect(
            notes == "2:66: loss: the condition 'true' has no counterpart "
                + "(the null data model has nothing but 'In'); 'false' stands in its place\n")
    }

    @Test func otherDataModelsAreNotRead() throws {
        let document = Documents.scxml(
            "<state id='a'><transition cond='x ~= 1' target='b'/></state><state id='b'/>", " datamodel='lua'")
        let notes = Documents.lines(try SCXMLImport.definition(from: document)).notes
        #expect(
            notes == """
                1:71: warning: expressions in the data model 'lua' have no counterpart; only ECMAScript's are read
                2:27: loss: the condition 'x ~= 1' has no counterpart ('~'); 'false' stands in its place
                2:61: warning: in the definition state 'b' cannot be reached; a loss may be why, the first is at 2:27

                """)
    }

    @Test(arguments: [
        (
            "event='e' target='#_internal' delay='1s'",
            "an event of the internal queue cannot be delayed; the 'send' is left out"
        ),
        ("event='e' delay='soon'", "the delay 'soon' is no number of 's' or 'ms'; the 'send' is left out"),
        ("event='e' delayexpr='f()'", "the delay 'f()' has no counterpart (a call of 'f'); the 'send' is left out"),
        ("event='done.state.a'", "only the engine uses names under 'done.state.'; the 'send' is left out"),
        ("event='error.x'", "only the engine uses names under 'error.'; the 'send' is left out"),
        (
            "targetexpr='x' event='e'",
            "'targetexpr' has no counterpart: events, targets and types are literal; the 'send' is left out"
        ),
        ("id='x'", "a 'send' without 'event' has no counterpart; the 'send' is left out"),
    ])
    func aSendWithoutCounterpartIsLeftOut(attributes: String, message: String) throws {
        let document = Documents.scxml("<state id='a'><onentry><send \(attributes)/></onentry></state>")
        let (definition, notes) = Documents.lines(try SCXMLImport.definition(from: document))
        #expect(!definition.contains("entry"))
        #expect(notes.hasSuffix("loss: \(message)\n"))
    }

    @Test func eventsOfTimersAreCalledOtherwise() throws {
        let document = Documents.scxml(
            "<state id='a'><transition event='after.lunch'/><transition event='after'/><onentry><send event='after.lunch'/></onentry></state>"
        )
        let definition = Documents.lines(try SCXMLImport.definition(from: document)).definition
        #expect(definition.contains("- send: after_.lunch\n"))
        #expect(definition.contains("on:\n      after_.lunch: {}\n      after_.*: {}\n"))
    }
}
