import Statechart
import Testing
import WorkflowInterchange
import WorkflowJSON

/// Tests that imported documents behave as SCXML says.
@Suite struct SCXMLRunTests {
    @Test func everythingRuns() throws {
        var run = try Run(SCXMLImport.definition(from: Documents.text("everything.scxml")))
        #expect(run.leaves == ["idle"])
        #expect(run.snapshot.context["sum"] == 1)
        try run.send("unknown")
        try run.send("go.fast")
        #expect(run.leaves == ["work.work.b"])
        #expect(run.snapshot.context["sum"] == 2)
        // The delay is '0s' as yet.
        #expect(run.snapshot.armed.isEmpty)
        try run.send("in")
        #expect(run.context.contains(#""count":0"#))
        try run.send("out")
        #expect(run.snapshot.armed.map(\.event) == ["later"])
        #expect(run.context.contains(#""count":1"#))
        #expect(run.context.contains(#"{"name":{"k":1,"m n":"text","u":null},"tags":[]}"#))
        // Dividing integers gives no more than the price.
        try run.send("halt")
        #expect(run.leaves == ["work.work.b"])
    }

    @Test func conditionsOfTheDocumentsOrderAreAskedInIt() throws {
        var run = try Run(
            SCXMLImport.definition(
                from: Documents.scxml(
                    """
                    <datamodel><data id="open" expr="true"/></datamodel>
                    <state id="a">
                      <transition event="*" cond="_event.name == 'x.y' &amp;&amp; open" target="any"/>
                      <transition event="x" cond="open" target="general"/>
                      <transition event="x.y.z" target="special"/>
                      <transition event="x.y" target="special"/>
                      <transition event="close"><assign location="open" expr="false"/></transition>
                    </state>
                    <state id="any"><transition event="back" target="a"/></state>
                    <state id="general"><transition event="back" target="a"/></state><state id="special"/>
                    """)))
        try run.send("x.y")
        #expect(run.leaves == ["any"])
        try run.send("back")
        try run.send("x.y.z")
        #expect(run.leaves == ["general"])
        try run.send("back")
        try run.send("close")
        try run.send("x")
        #expect(run.leaves == ["a"])
        try run.send("x.y.z")
        #expect(run.leaves == ["special"])
    }

    @Test func eventsComeLaterAndCanBeCancelled() throws {
        var run = try Run(
            SCXMLImport.definition(
                from: Documents.scxml(
                    """
                    <datamodel><data id="n" expr="2"/></datamodel>
                    <state id="waiting">
                      <onentry>
                        <send event="tick" delay="1s" id="first"/><send event="late" delayexpr="n * 1000 + 'ms'"/>
                        <send event="now"><param name="n" expr="n"/></send><raise event="inside"/>
                      </onentry>
                      <transition event="inside"><assign location="n" expr="n * 10"/></transition>
                      <transition event="now"><assign location="n" expr="n + _event.data.n"/></transition>
                      <transition event="stop"><cancel sendid="first"/></transition>
                      <transition event="tick" target="ticked"/><transition event="late" target="over"/>
                    </state>
                    <state id="ticked"/><final id="over"><donedata><param name="n" expr="n"/></donedata></final>
                    """)))
        #expect(run.snapshot.context["n"] == 22)
        try run.send("stop")
        try run.advance(1_500)
        #expect(run.leaves == ["waiting"])
        try run.advance(500)
        #expect(run.leaves == ["over"])
        #expect(run.snapshot.status == .done)
        #expect(run.snapshot.output == ["n": 22])
    }

    @Test func historyAndRegionsComeBack() throws {
        var run = try Run(
            SCXMLImport.definition(
                from: Documents.scxml(
                    """
                    <parallel id="work"><history id="deep" type="deep"><transition target="left right"/></history>
                      <state id="left"><state id="l1"><transition event="go" target="l2"/></state><state id="l2"/></state>
                      <state id="right"><state id="r1"><transition event="go" cond="In('l1')" target="r2"/></state>
                        <final id="r2"/></state>
                      <transition event="pause" target="pause"/><transition event="done.state.right" type="internal"/>
                    </parallel>
                    <state id="pause"><transition event="resume" target="deep"/></state>
                    """)))
        try run.send("go")
        #expect(run.leaves == ["work.left.l2", "work.right.r2"])
        try run.send("pause")
        try run.send("resume")
        #expect(run.leaves == ["work.left.l2", "work.right.r2"])
    }

    @Test func whatCannotBeTranslatedNeverHappens() throws {
        var run = try Run(
            SCXMLImport.definition(
                from: Documents.scxml(
                    """
                    <datamodel><data id="n" expr="0"/></datamodel>
                    <state id="a"><transition event="e" cond="!f()" target="b"/>
                      <transition event="e"><if cond="g()"><raise event="x"/><else/><raise event="y"/></if>
                        <assign location="n" expr="n++"/><assign location="n" expr="n + 1"/></transition>
                      <transition event="x" target="b"/><transition event="y" target="b"/>
                    </state><state id="b"/>
                    """)))
        try run.send("e")
        #expect(run.leaves == ["a"])
        #expect(run.context == #"{"n":1}"#)
    }

    @Test func readingWhatIsNotDeclaredIsAnError() throws {
        let imported = try SCXMLImport.definition(
            from: Documents.scxml(
                """
                <state id="a"><transition cond="missing > 1" target="a"/><transition event="error.execution" target="b"/></state>
                <state id="b"/>
                """))
        #expect(
            imported.notes.map(\.description) == [
                "2:27: warning: the data 'missing' is not declared: reading it is an error, as in SCXML"
            ])
        #expect(try Run(imported).leaves == ["b"])
    }
}
