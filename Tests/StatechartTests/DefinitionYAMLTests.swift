import Statechart
import Testing

struct DefinitionYAMLTests {
    private static let braces =
        "what begins with '{' is a map: write an expression without braces, as in context.url + '/x', "
        + #"and a url in quotes, as in "https://example.org/{context.id}""#

    @Test(arguments: [
        (
            "id: m\n  initial: a\n",
            "2:10: error: not valid YAML: mapping values are not allowed in this context"
        ),
        (
            "id: m\nstates:\n\ta: {}\n",
            "3:1: error: not valid YAML: a tab cannot indent; use spaces"
        ),
        (
            "id: m\ninitial: @a\n",
            "2:10: error: not valid YAML: text cannot begin with '@' outside of quotes"
        ),
        (
            "id: m\nstates: {a: {}\n",
            "3:1: error: not valid YAML: while parsing a flow mapping that begins on line 2, "
                + "did not find expected ',' or '}'"
        ),
        (
            "id: m\ninitial: 'a\n",
            "3:1: error: not valid YAML: while scanning a quoted scalar that begins on line 2, "
                + "found unexpected end of stream"
        ),
        (
            "id: m\nurl: {context.url}/x\n",
            "2:19: error: not valid YAML: while parsing a block mapping that begins on line 1, "
                + "did not find expected key; \(braces)"
        ),
        (
            "id: m\nx: {url: {context.url}/x}\n",
            "2:23: error: not valid YAML: while parsing a flow mapping that begins on line 2, "
                + "did not find expected ',' or '}'; \(braces)"
        ),
        (
            "id: m\nlog: [1, 2].size()\n",
            "2:12: error: not valid YAML: while parsing a block mapping that begins on line 1, "
                + "did not find expected key; what begins with '[' is a list: "
                + #"write quotes around all of it, as in "[1, 2].size()""#
        ),
        (
            "id: m\nx: {log: '%d'.format([1])}\n",
            "2:14: error: not valid YAML: while parsing a flow mapping that begins on line 2, "
                + "did not find expected ',' or '}'; what begins with a quote ends with it: "
                + #"write quotes around all of it, as in "'%d'.format([1])""#
        ),
        (
            "id: m\non: {x: {target: #a.b}}\ny: z\n",
            "3:2: error: not valid YAML: while parsing a flow mapping that begins on line 2, "
                + "did not find expected ',' or '}'; '#' begins a comment: "
                + "a text that begins with one stands in quotes, as in '#review'"
        ),
        (
            "id: m\non:\n  *: a\n",
            "3:4: error: not valid YAML: '*' must stand in quotes"
        ),
        (
            "id: m\non: *all\n",
            "2:5: error: anchors and aliases are not supported; a text that begins with '*' must stand in quotes"
        ),
        (
            "id: m\n---\nid: n\n",
            "2:1: error: the text must be one YAML document; another one begins here"
        ),
        (
            "id: m\nx: \u{7}\n",
            "2:4: error: not valid YAML: control characters are not allowed"
        ),
    ])
    func textThatIsNotYAMLIsRefusedWithItsPlace(text: String, message: String) {
        #expect(diagnostics(of: text) == [message])
    }

    @Test func anchorsAliasesTagsAndMergeKeysAreRefusedOnceEach() {
        let text = """
            id: m
            initial: a
            states:
              a: &base {on: {x: .b}}
              b: *base
              c:
                <<: *base
                entry: !list []
              d: !!map {}
              e: !state {}
            strict: !!bool true
            """
        #expect(
            diagnostics(of: text) == [
                "4:6: error: anchors and aliases are not supported: write the value of '&base' out where it is used",
                "7:5: error: merge keys ('<<') are not supported; write the keys out",
                "8:12: error: tags such as '!list' are not supported",
                "9:6: error: tags such as 'tag:yaml.org,2002:map' are not supported",
                "10:6: error: tags such as '!state' are not supported",
                "11:9: error: tags such as 'tag:yaml.org,2002:bool' are not supported",
            ])
    }

    @Test func keysThatStandTwiceAreAllFound() {
        let text = """
            id: m
            initial: a
            states:
              a: {on: {x: b, y: b, x: a, x: b}, entyr: 1}
              b: {}
              "a": {}
            initial: b
            """
        #expect(
            diagnostics(of: text) == [
                "4:24: error: the key 'x' stands twice, first on line 4",
                "4:30: error: the key 'x' stands twice, first on line 4",
                "4:37: error: unknown key 'entyr' in state 'a'; did you mean 'entry'?",
                "6:3: error: the key 'a' stands twice, first on line 4",
                "7:1: error: the key 'initial' stands twice, first on line 2",
            ])
    }

    @Test func keysMustBeText() {
        #expect(
            diagnostics(of: "{id: m, initial: a, states: {a: {}, ? [x] : {}}}") == [
                "1:39: error: a key must be text, not a list or a map"
            ])
    }

    @Test func keysAndNamesAreTheTextAsWritten() throws {
        let machine = try DefinitionReader.read("id: no\ninitial: on\nstates: {on: {on: {true: off}}, off: {}}").machine
        #expect(machine.name == "no")
        #expect(machine.states.map(\.path) == ["", "on", "off"])
        #expect(machine.events == ["true"])
    }
}
