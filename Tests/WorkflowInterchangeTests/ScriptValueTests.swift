import Statechart
import Testing
import WorkflowInterchange

/// Tests that functions of ECMAScript have the same results as there.
@Suite struct ScriptValueTests {
    /// With the values that node 20 prints.
    @Test(arguments: [
        ("Math.round(v)", "-0.5", "0"), ("Math.round(v)", "-1.5", "-1"), ("Math.round(v)", "2.5", "3"),
        ("Math.round(v)", "0.49999999999999994", "0"), ("Math.round(v)", "-0.7", "-1"), ("Math.round(v)", "7", "7"),
        ("Math.round(v / 2)", "5", "3"), ("Math.round(v / 2)", "-5", "-2"), ("Math.floor(v)", "-1.5", "-2"),
        ("Math.floor(v / 2)", "7", "3"), ("Math.floor(v / 2)", "-7", "-4"), ("Math.ceil(v / 2)", "7", "4"),
        ("Math.ceil(v)", "-1.5", "-1"), ("Math.abs(v)", "-3", "3"), ("Math.min(v, 3, 5)", "4", "3"),
        ("Math.max(v, 3)", "4", "4"), ("parseInt(v)", "-3.7", "-3"), ("parseInt(v)", "'12'", "12"),
        ("parseInt(v / 2)", "-7", "-3"), ("v % 3", "-7", "-1"), ("v % -3", "7", "1"), ("v.length", "'text'", "4"),
        ("Math.pow(v, 3)", "2", "8.0"),
        ("v.length", "[1, 2]", "2"), ("v.includes(2)", "[1, 2]", "true"), ("v.includes(2)", "[1, '2']", "false"),
        ("v.includes('b')", "'abc'", "true"), ("v.includes('x')", "'abc'", "false"),
    ])
    func functionGivesTheSame(script: String, value: String, result: String) throws {
        for declared in ["<data id='v' expr=\"\(value)\"/>", "<data id='v'/>"] {
            let imported = try SCXMLImport.definition(
                from: Documents.scxml(
                    """
                    <datamodel>\(declared)<data id="y"/></datamodel>
                    <state id="a"><onentry><assign location="v" expr="\(value)"/>
                      <assign location="y" expr="\(script)"/></onentry></state>
                    """))
            #expect(imported.losses == [])
            let run = try Run(imported)
            #expect(run.context.hasSuffix("\"y\":\(result)}"), "\(run.context)")
        }
    }

    @Test func aBlankConditionIsNone() throws {
        let imported = try SCXMLImport.definition(
            from: Documents.scxml(
                """
                <state id="a"><transition event="e" cond=" " target="b"/></state>
                <state id="b"><onentry><if cond=""><raise event="f"/></if></onentry>
                  <transition event="f" target="c"/></state><state id="c"/>
                """))
        #expect(imported.notes.allSatisfy { $0.severity == .info })
        var run = try Run(imported)
        try run.send("e")
        #expect(run.leaves == ["c"])
    }

    @Test func aCommentMayStandBeforeTheDeclaration() throws {
        let text =
            "<!-- made by hand -->\n<?xml version='1.0' encoding='UTF-16'?>\n<scxml name='m'><state id='a'/></scxml>"
        #expect(try SCXMLImport.definition(from: text).notes == [])
    }
}
