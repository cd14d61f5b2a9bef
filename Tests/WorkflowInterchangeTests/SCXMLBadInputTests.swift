import Statechart
import Testing
import ThreadTesting
import WorkflowInterchange

/// Tests texts that are not SCXML, and SCXML with mistakes.
@Suite(.ownThreads) struct SCXMLBadInputTests {
    private func notes(_ text: String) -> [String] {
        do throws(ImportError) {
            return try SCXMLImport.definition(from: text).notes.map(\.description)
        } catch {
            return error.notes.map(\.description)
        }
    }

    @Test(arguments: [
        ("", "1:1: error: the document is empty"),
        (" \n\u{FEFF}", "2:1: error: not valid XML: it begins with an element, '<scxml …>'"),
        ("\u{FEFF} \n", "1:1: error: the document is empty"),
        ("<?xml version='1.0'?>\n", "1:1: error: the document is empty"),
        ("hello", "1:1: error: not valid XML: it begins with an element, '<scxml …>'"),
        ("{\"id\": \"m\"}", "1:1: error: not valid XML: it begins with an element, '<scxml …>'"),
        (
            "<scxml>\n <state id='a'>\n</scxml>",
            "3:9: error: not valid XML: the element 'state' that begins on line 2 is not closed"
        ),
        (
            "<scxml>\n <state id='a'/>\n",
            "2:17: error: not valid XML: the element 'scxml' that begins on line 1 is not closed"
        ),
        ("<scxml/><scxml/>", "1:9: error: not valid XML: nothing may follow the end of the first element"),
        ("<scxml><state id=a/></scxml>", "1:18: error: not valid XML: the value of an attribute stands in quotes"),
        ("<scxml name='a' name='b'/>", "1:25: error: not valid XML: an attribute stands twice in one element"),
        (
            "<scxml><state id='a&b;'/></scxml>",
            "1:23: error: not valid XML: an entity that XML does not define; write the character itself"
        ),
        (
            "<scxml><transition cond='a < b'/></scxml>",
            "1:28: error: not valid XML: '<' in an attribute is written '&lt;'"
        ),
        ("<scxml>\u{1}</scxml>", "1:8: error: not valid XML: a control character"),
        (
            "<scxml>\n<!-- a -- b --></scxml>",
            "2:8: error: not valid XML: a comment without its end, or with '--' in it"
        ),
        ("<scxml name='m'\n", "2:1: error: not valid XML: a tag without its '>'"),
        (
            "<scxml><?xml version='1.0'?></scxml>",
            "1:13: error: not valid XML: '<?xml …?>' stands at the very beginning or not at all"
        ),
        ("<!-- a ", "1:8: error: not valid XML: a comment without its end, or with '--' in it"),
        ("<x:scxml/>", "1:9: error: not valid XML: a prefix without its namespace"),
        ("<statemachine/>", "1:1: error: the document is no SCXML: it begins with 'statemachine', not with 'scxml'"),
        (
            "<scxml xmlns='urn:x'/>",
            "1:1: error: the document is no SCXML: it begins with 'scxml of the namespace urn:x', not with 'scxml'"
        ),
    ])
    func whatIsNoSCXMLIsRefused(text: String, message: String) {
        #expect(notes(text) == [message])
    }

    @Test func declarationsOfDocumentTypesAreRefused() {
        var bomb = "<?xml version='1.0'?>\n<!DOCTYPE scxml [<!ENTITY a0 'ha'>"
        for level in 1...30 { bomb += "<!ENTITY a\(level) '&a\(level - 1);&a\(level - 1);'>" }
        bomb += "]>\n<scxml><state id='&a30;'/></scxml>"
        let message = "error: declarations of document types ('<!DOCTYPE …>') are not read"
        #expect(notes(bomb) == ["2:1: " + message])
        #expect(
            notes("<!-- x --><!DOCTYPE scxml SYSTEM 'file:///etc/passwd'><scxml><state id='a'/></scxml>") == [
                "1:11: " + message
            ])
        #expect(
            notes("<!DOCTYPE scxml [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><scxml>&a;</scxml>") == ["1:1: " + message]
        )
        // In a comment and in character data, this text is no DOCTYPE.
        #expect(
            notes(
                "<scxml name='m'><!-- <!DOCTYPE x> --><state id='a'><onentry><log label='<![CDATA['/></onentry></state></scxml>"
            )
                == ["1:73: error: not valid XML: '<' in an attribute is written '&lt;'"])
        #expect(
            notes(
                "<scxml name='m'><datamodel><data id='x'><![CDATA[<!DOCTYPE x>]]></data></datamodel><state id='a'/></scxml>"
            )
                == [])
    }

    @Test func everyMistakeIsToldWithItsPlace() {
        let text = Documents.scxml(
            """
            <state id="one" initail="two">
              <transition event="e" target="thre two"/>
              <transision event="e"/>
              <onentry><raise/><send event="x" delya="1s"/>text</onentry>
              <initial><transition target="three"/></initial>
            </state>
            <state id="two"/><state id="two"/>
            <transition event="x"/><onentry/>
            <final id="three"><transition event="e" target="one"/></final>
            """)
        #expect(
            notes(text) == [
                "2:17: loss: unknown attribute 'initail' of 'state' is left out; did you mean 'initial'?",
                "3:15: info: a descriptor below which the document has no event takes exactly its name here; in SCXML it takes every name below it",
                "3:25: error: the state 'thre' does not exist; did you mean 'three'?",
                "4:3: loss: unknown element 'transision' is left out; did you mean 'transition'?",
                "5:3: warning: the text in 'onentry' means nothing and is left out",
                "5:12: loss: 'raise' needs an 'event'; it is left out",
                "5:36: loss: unknown attribute 'delya' of 'send' is left out; did you mean 'delay'?",
                "8:25: error: the id 'two' is also that of the state on line 8",
                "9:1: loss: 'transition' does not belong in 'scxml' and is left out",
                "9:24: loss: 'onentry' does not belong in 'scxml' and is left out",
                "10:19: loss: 'transition' does not belong in 'final' and is left out",
            ])
    }

    @Test func aDocumentWithoutStatesIsRefused() {
        #expect(notes(Documents.scxml("<datamodel/>")) == ["1:1: error: the document has no states"])
    }

    @Test func whatTheDefinitionWouldRefuseIsToldWhereItCameFrom() {
        let text = Documents.scxml(
            """
            <state id="a"><transition target="b"/></state>
            <state id="b">
              <transition target="a"/></state>
            <state id="c"><history id="h"><transition target="a"/></history><state id="d"/></state>
            """)
        #expect(
            notes(text) == [
                "2:27: error: as a definition this is refused: 'always' goes round without end: a -> b -> a",
                "5:43: error: as a definition this is refused: 'target' of state 'c.h' must lie below state 'c'",
            ])
    }

    @Test(.timeLimit(.minutes(20)), arguments: [10_000, 101])
    func deepNestingIsRefused(depth: Int) {
        let states = (1...depth).map { "<state id='s\($0)'>" }.joined() + String(repeating: "</state>", count: depth)
        let found = notes(Documents.scxml(states))
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix("error: elements are nested deeper than 100 levels") == true)
    }

    @Test func aDefinitionThatWouldBeTooDeepIsRefused() {
        let states =
            (1...60).map { "<state id='s\($0)'>" }.joined(separator: "\n") + String(repeating: "</state>", count: 60)
        #expect(
            notes(Documents.scxml(states)) == [
                "51:1: error: the definition of this would be nested deeper than 100 levels"
            ])
        let few = (1...45).map { "<state id='s\($0)'>" }.joined() + String(repeating: "</state>", count: 45)
        #expect(notes(Documents.scxml(few)) == [])
    }

    @Test(.timeLimit(.minutes(20))) func largeDocumentsAreReadUpToABound() throws {
        let document = { (count: Int) in
            Documents.scxml(
                (0..<count).map { "<state id='s\($0)'><transition event='e' target='s\($0)'/></state>" }.joined(
                    separator: "\n"))
        }
        let imported = try SCXMLImport.definition(from: document(10_000))
        #expect(imported.definition["states"]?.members?.count == 10_000)
        // A definition needs more room for the same.
        let larger = document(15_500)
        #expect(larger.utf8.count < 1 << 20)
        #expect(notes(larger).contains { $0.contains("as a definition this is refused: the definition has") })
        let message = notes(document(20_000)).first
        #expect(message?.hasPrefix("1:1: error: the document has ") == true)
        #expect(message?.hasSuffix(" bytes; at most 1048576 are read") == true)
    }

    @Test(.timeLimit(.minutes(20))) func manyMistakesAreCounted() {
        let text = Documents.scxml(
            "<state id='a'>" + String(repeating: "<transition target='b'/>", count: 20_000) + "</state>")
        let found = notes(text)
        #expect(found.count == ImportLimits.notes + 1)
        #expect(found.last?.hasSuffix("error: and 19000 more notes") == true)
        #expect(
            notes("<scxml " + (0..<50_000).map { "a\($0)='1'" }.joined(separator: " ") + "/>") == [
                "1:798: error: an element has at most 100 attributes"
            ])
    }

    @Test(.timeLimit(.minutes(20))) func overlappingDescriptorsStayBounded() throws {
        let wide = String(repeating: "<transition event='*' cond='x' target='a'/>", count: 2_000)
        let narrow = (0..<2_000).map { "<transition event='e\($0)' target='a'/>" }.joined()
        let imported = try SCXMLImport.definition(
            from: Documents.scxml(
                "<datamodel><data id='x' expr='true'/></datamodel><state id='a'>\(wide)\(narrow)</state>"))
        #expect(imported.definition["states"]?["a"]?["on"]?.members?.count == 2_001)
        #expect(imported.notes.count == ImportLimits.notes + 1)
    }
}
