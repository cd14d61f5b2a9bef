import Statechart
import Testing
import WorkflowInterchange

/// Tests that an omission is a loss exactly if the machine can move differently because of it.
@Suite struct LossTests {
    /// Returns the severities of the notes about omissions.
    private func severities(_ imported: ImportedDefinition) -> [ImportNote.Severity] {
        imported.notes.filter { !$0.message.hasPrefix("in the definition") }.map(\.severity).filter { $0 != .info }
    }

    /// Returns a document with a datum `x`, actions on entry, and other content.
    private func document(_ entry: String, _ rest: String = "", data: String = "<data id='x' expr='0'/>") -> String {
        Documents.scxml(
            """
            <datamodel>\(data)<data id="y" expr="0"/><data id="z" expr="0"/></datamodel>
            <state id="a"><onentry>\(entry)</onentry>\(rest)</state><state id="b"/>
            """)
    }

    private static let readsX = "<transition event='e' cond='x &gt; 1' target='b'/>"

    @Test(arguments: [
        // An assignment matters where something reads its key: a guard, a delay, a list, the data of an event.
        ("<assign location='x' expr='f()'/>", "<transition event='e' cond='z &gt; 1' target='b'/>", true),
        ("<assign location='x' expr='`a`'/>", "<transition event='e' target='b'/>", false),
        ("<assign location='x' expr='y ** 2'/>", readsX, true),
        ("<assign location='x' expr='y ** 2'/>", "<transition event='e' cond='y &gt; 1' target='b'/>", false),
        ("<assign location='x' expr='y ** 2'/><send event='e' delayexpr='x'/>", "", true),
        ("<assign location='x' expr='[...y]'/><foreach array='x' item='z'><log label='l'/></foreach>", "", true),
        (
            "<assign location='x' expr='y ** 2'/><raise event='e'/>",
            "<transition event='e' cond='_event.data.x &gt; 1' target='b'/>", false
        ),
        (
            "<assign location='x' expr='y ** 2'/><send event='e'><param name='x' expr='x'/></send>",
            "<transition event='e' cond='_event.data.x &gt; 1' target='b'/>", true
        ),
        (
            "<assign location='x' expr='y ** 2'/><send event='e'><param name='x' expr='x'/></send>",
            "<transition event='e' target='b'/>", false
        ),
        // Through other keys.
        (
            "<assign location='x' expr='y ** 2'/><assign location='y' expr='x'/><assign location='z' expr='y'/>",
            "<transition event='e' cond='z &gt; 1' target='b'/>", true
        ),
        ("<assign location='x' expr='y ** 2'/><assign location='y' expr='x'/>", "", false),
        // An expression that reads the value may fail, and then the actions behind it do not happen.
        ("<assign location='x' expr='y ** 2'/><log expr='x + 1'/>", "", false),
        ("<assign location='x' expr='y ** 2'/><log expr='x + 1'/><raise event='e'/>", "", true),
        ("<assign location='x' expr='y ** 2'/><log expr='x'/><raise event='e'/>", "", false),
        (
            "<assign location='x' expr='y ** 2'/><log expr='x + 1'/>",
            "<transition event='error.*' target='b'/>", true
        ),
        // A location that nobody knows, and code that nobody reads, may be any key.
        ("<assign location='f()' expr='1'/>", "<transition event='e' cond='y &gt; 1' target='b'/>", true),
        ("<script>x = 1</script>", "<transition event='e' cond='y &gt; 1' target='b'/>", true),
        ("<script>x = 1</script>", "<transition event='e' target='b'/>", false),
        ("<log expr='x++'/>", readsX, true), ("<log expr='x ** 2'/>", readsX, false),
        ("<send event='e' idlocation='x'/>", readsX, true), ("<send event='e' idlocation='y'/>", readsX, false),
        // Events, and what decides about them.
        ("<send event='e' target='#_parent'/>", "", true), ("<cancel sendidexpr='x'/>", "", true),
        ("<if cond='`a`'><raise event='e'/></if>", "", true), ("<if cond='`a`'><log label='l'/></if>", readsX, true),
        ("<if cond='x ** 2'><log label='l'/></if>", readsX, false),
        ("<if cond='x ** 2'><assign location='x' expr='1'/></if>", readsX, true),
        ("<if cond='x ** 2'><assign location='y' expr='1'/></if>", readsX, false),
        ("<send event='e'><param name='x' expr='y ** 2'/></send>", "<transition event='e' target='b'/>", false),
        (
            "<send event='e'><param name='x' expr='y ** 2'/></send>",
            "<transition event='e' cond='_event.data.x' target='b'/>", true
        ),
        ("", "<transition event='e' cond='x ** 2' target='b'/>", true), ("", "<invoke src='http://x'/>", true),
        ("<unknown/>", "", true), ("<x:var xmlns:x='urn:x' name='x'/>", readsX, true),
        ("<x:var xmlns:x='urn:x' name='x'/>", "", false),
    ])
    func whatIsLeftOutIsALossIfItDecides(entry: String, rest: String, isLoss: Bool) throws {
        let found = severities(try SCXMLImport.definition(from: document(entry, rest)))
        #expect(found.contains(.loss) == isLoss && found.contains(.warning) == !isLoss, "\(found)")
    }

    @Test(arguments: [
        ("<data id='x' expr='Math.random()'/>", true), ("<data id='x' src='http://x'/>", true),
        ("<data id='x' expr='1'/><data id='x' expr='2'/>", true),
        ("<data id='x' expr='1'/><data id='w' src='x'/>", false),
    ])
    func anInitialValueIsALossIfItDecides(data: String, isLoss: Bool) throws {
        let imported = try SCXMLImport.definition(from: document("", Self.readsX, data: data))
        #expect(severities(imported) == [isLoss ? .loss : .warning])
    }

    @Test(arguments: [
        (#""guard": "isOpen""#, true), (#""actions": "inc""#, false),
        (#""guard": "context.n > 1", "actions": "inc""#, true),
        (#""actions": {"type": "xstate.sendTo", "to": "x"}"#, true), (#""actions": {"type": "xstate.emit"}"#, false),
        (#""gaurd": "isOpen""#, false),
    ])
    func aNamedGuardIsALossAndANamedActionMayBe(part: String, isLoss: Bool) throws {
        let text = """
            {"id": "m", "initial": "a", "context": {"n": 0},
             "states": {"a": {"on": {"e": {"target": "b", \(part)}}}, "b": {}}}
            """
        #expect(severities(try XStateImport.definition(from: text)) == [isLoss ? .loss : .warning])
    }

    @Test(arguments: [
        (#""invoke": {"src": "x", "onDone": "b"}"#, false), (#""invoke": [{"src": "x"}]"#, false),
        (#""activities": ["x"]"#, false), (#""after": {"soon": "b"}"#, true),
        (#""on": {"xstate.done.actor.x": "b"}"#, true),
        (#""invoke": {"src": "x", "id": "x"}, "on": {"xstate.done.actor.x": "b"}"#, false),
    ])
    func whatAnActorSendsIsALossAndAnActivityIsNot(part: String, isLoss: Bool) throws {
        let states = #"{"a": {"always": {"target": "b", "guard": "In('b')"}, \#(part)}, "b": {}}"#
        let text = #"{"id": "m", "initial": "a", "states": \#(states)}"#
        #expect(severities(try XStateImport.definition(from: text)) == [isLoss ? .loss : .warning])
    }

    /// The issue has two machines: an assignment that is left out, and a condition that is `false`, let another
    /// transition through.
    @Test func theDefinitionDoesOtherThanTheDocument() throws {
        let imported = try SCXMLImport.definition(
            from: Documents.scxml(
                """
                <datamodel><data id="paid" expr="false"/></datamodel>
                <state id="a"><transition event="pay"><script>paid = true</script></transition>
                  <transition event="go" cond="paid" target="shipped"/><transition event="go" target="cancelled"/></state>
                <state id="shipped"/><state id="cancelled"/>
                """))
        #expect(
            imported.losses.map(\.description) == [
                "3:39: loss: scripts have no counterpart; this one is left out with all that it does"
            ])
        // With the script, the order would be shipped.
        var run = try Run(imported)
        try run.send("pay")
        try run.send("go")
        #expect(run.leaves == ["cancelled"])
    }

    @Test func theDescriptionNamesTheLosses() throws {
        let text = """
            {"id": "m", "description": "a door", "initial": "a",
             "states": {"a": {"on": {"e": {"target": "b", "guard": "isOpen"}}, "after": {"soon": "c"}}, "b": {}, "c": {}}}
            """
        let imported = try XStateImport.definition(from: text)
        #expect(
            imported.definition["description"]?.text == """
                a door

                Imported with losses; without what they name the machine can go elsewhere than the original:
                2:56: the guard 'isOpen' is only named; it is 'false' until it is written
                2:78: the delay 'soon' is only named; its transitions are left out
                """)
        #expect(
            imported.notes.map(\.description).contains(
                "2:107: warning: in the definition state 'c' cannot be reached; a loss may be why, the first is at 2:56"
            ))
        #expect(try DefinitionReader.read(imported.definition.text(as: .yaml)).machine.description != nil)
        let plain = try XStateImport.definition(from: #"{"id": "m", "initial": "a", "states": {"a": {}}}"#)
        #expect(plain.losses == [] && plain.definition["description"] == nil)
    }

    @Test func manyLossesAreCounted() throws {
        let transitions = (1...30).map { "<transition event='e' cond='f(\($0))' target='a'/>" }.joined(separator: "\n")
        let imported = try SCXMLImport.definition(from: Documents.scxml("<state id='a'>\(transitions)</state>"))
        #expect(imported.losses.count == 30)
        let lines = imported.definition["description"]?.text?.split(separator: "\n") ?? []
        #expect(lines.count == 22 && lines.last == "and 10 more")
    }
}
