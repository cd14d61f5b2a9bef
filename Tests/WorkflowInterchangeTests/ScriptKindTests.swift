import Statechart
import Testing
import WorkflowInterchange

/// Tests implicit conversions of ECMAScript.
@Suite struct ScriptKindTests {
    private func imported(_ condition: String, _ rest: String = "") throws -> ImportedDefinition {
        let escaped = condition.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return try SCXMLImport.definition(
            from: Documents.scxml(
                """
                <datamodel><data id="n" expr="1"/><data id="s" expr="''"/><data id="b" expr="false"/>
                <data id="r" expr="0.5"/><data id="q" expr="'1'"/><data id="z"/><data id="u"/></datamodel>
                <state id="a"><onentry>\(rest)</onentry><transition event="e" cond="\(escaped)" target="b"/></state>
                <state id="b"/>
                """))
    }

    /// Each holds in ECMAScript with the first values.
    @Test(
        arguments: [
            ("n", "context.n != 0"), ("!s", "context.s == ''"), ("n && !b", "context.n != 0 && !context.b"),
            ("s + n == '1'", "context.s + string(context.n) == '1'"), ("n == '1'", "context.n == 1"),
            ("n / 2 == 0.5", "double(context.n) / 2.0 == 0.5"), ("r", "context.r != 0.0"), ("n + r > 1", nil),
            ("!(s || b)", nil), ("'1' == n", "1 == context.n"), ("n < '2'", "context.n < 2"),
            ("!!q", "context.q != ''"),
            ("n + 1", "context.n + 1 != 0"), ("s.length == 0", nil), ("r * 2 == n", "context.r * 2.0 == context.n"),
        ] as [(String, String?)])
    func aKnownKindIsWritten(condition: String, expression: String?) throws {
        let imported = try imported(condition)
        #expect(imported.losses == [])
        if let expression {
            #expect(imported.definition["states"]?["a"]?["on"]?["e"]?["guard"] == .string(expression))
        }
        var run = try Run(imported)
        try run.send("e")
        #expect(run.leaves == ["b"])
    }

    @Test(arguments: [
        ("_event.data.ok", "whether this counts as true is not known"),
        ("u", "whether this counts as true is not known"),
        ("!u", "whether this counts as true is not known"), ("b == 'x'", "values of two kinds are compared"),
        ("u + 1 == 2", "what this computes with is not known to be numbers"),
        ("(n || u) == b", "'||' and '&&' give true or false here"),
    ])
    func anUnknownKindIsALoss(condition: String, message: String) throws {
        let rest = "<assign location=\"u\" expr=\"1\"/><assign location=\"u\" expr=\"'x'\"/>"
        let losses = try imported(condition, rest).losses
        #expect(losses.contains { $0.message.hasPrefix(message) }, "\(losses)")
    }

    @Test func assignmentsDecideTheKind() throws {
        let number = try imported("n", "<assign location=\"n\" expr=\"n / 2\"/>")
        #expect(number.losses == [])
        #expect(number.definition["states"]?["a"]?["on"]?["e"]?["guard"] == .string("context.n != 0"))
        let late = try imported("z", "<assign location=\"z\" expr=\"n + 1\"/>")
        #expect(late.losses == [])
        #expect(
            late.definition["states"]?["a"]?["on"]?["e"]?["guard"]
                == .string("context.z != null && context.z != 0"))
        let text = try imported("n", "<assign location=\"n\" expr=\"'x'\"/>")
        #expect(text.losses.count == 1)
    }

    /// W3C tests 311 to 314 and 346 are of this kind: the omitted assignment would have failed.
    @Test(arguments: [("error.execution", true), ("error.*", true), ("*", true), ("other", false)])
    func anAssignThatFailsMattersWhereErrorsAreTaken(event: String, isLoss: Bool) throws {
        for assign in ["location='foo.bar()' expr='0'", "location='x' expr='f()'", "location='_sessionid' expr='1'"] {
            let imported = try SCXMLImport.definition(
                from: Documents.scxml(
                    """
                    <datamodel><data id="x" expr="0"/></datamodel>
                    <state id="a"><onentry><assign \(assign)/></onentry>
                    <transition event="\(event)" target="b"/></state>
                    <state id="b"/>
                    """))
            #expect(imported.losses.isEmpty != isLoss, "\(assign): \(imported.notes)")
        }
    }

    @Test func aLostOutputIsALoss() throws {
        let imported = try SCXMLImport.definition(
            from: Documents.scxml(
                "<final id='a'><donedata><content expr='Math.random()'/></donedata></final>"))
        #expect(imported.losses.count == 1)
    }
}
