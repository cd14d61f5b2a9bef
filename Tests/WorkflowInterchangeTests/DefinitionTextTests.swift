import Statechart
import Testing
import ThreadTesting

/// Tests that definitions are written again without loss.
@Suite(.ownThreads) struct DefinitionTextTests {
    @Test func examplesComeBackTheSame() throws {
        let examples = try DefinitionFolders.examples()
        #expect(examples.count >= 4)
        for (name, text) in examples { try expectRoundTrip(text, name) }
    }

    @Test func vectorsComeBackTheSame() throws {
        guard let vectors = try DefinitionFolders.vectors() else {
            print("vectorsComeBackTheSame: skipped, there is no folder of conformance vectors")
            return
        }
        #expect(!vectors.isEmpty)
        for (name, text) in vectors { try expectRoundTrip(text, name) }
    }

    /// Expects that YAML and JSON of a text have its tree, and that each of them gives its own text again.
    private func expectRoundTrip(_ text: String, _ name: String) throws {
        let tree = try DefinitionText.tree(of: text)
        let yaml = try DefinitionText.rewritten(text, as: .yaml)
        let json = try DefinitionText.rewritten(yaml, as: .json)
        #expect(try DefinitionText.tree(of: yaml, syntax: .yaml) == tree, "\(name)")
        #expect(try DefinitionText.tree(of: json, syntax: .json) == tree, "\(name)")
        #expect(try DefinitionText.rewritten(json, as: .yaml) == yaml, "\(name)")
        #expect(try DefinitionText.rewritten(json, as: .json) == json, "\(name)")
    }

    @Test func keysStayInTheirOrder() throws {
        let text = #"{"states": {"z": {}, "b": {"on": {"x": "z"}}, "a": {}}, "initial": "b", "id": "m"}"#
        #expect(
            try DefinitionText.rewritten(text, as: .yaml) == """
                states:
                  z: {}
                  b:
                    on:
                      x: z
                  a: {}
                initial: b
                id: m

                """)
    }

    @Test func everyFormIsWritten() throws {
        let text = """
            id: forms   # comments are lost
            context: {empty: [], nothing: ~, list: [1, [2.50, [x]], {a: b, c: [d]}], text: "two\\nlines", deep: {}}
            states:
                a: {entry: [{log: "'it''s'"}], tags: [on, "on", 'NO', null, .5, 0x10, True]}
            """
        #expect(
            try DefinitionText.rewritten(text, as: .yaml) == """
                id: forms
                context:
                  empty: []
                  nothing: null
                  list:
                    - 1
                    - - 2.50
                      - - x
                    - a: b
                      c:
                        - d
                  text: |-
                    two
                    lines
                  deep: {}
                states:
                  a:
                    entry:
                      - log: "'it''s'"
                    tags:
                      - on
                      - on
                      - NO
                      - null
                      - 0.5
                      - 16
                      - true

                """)
        #expect(
            try DefinitionText.rewritten(text, as: .json).hasPrefix(
                """
                {
                  "id": "forms",
                  "context": {
                    "empty": [],
                    "nothing": null,
                    "list": [
                      1,
                      [
                        2.50,
                """))
    }

    @Test func wordsAreTextAndDataAreValues() throws {
        let text = "{id: m, initial: True, states: {True: {on: {x: 'True'}, meta: True, entry: {cancel: 007}}}}"
        let json = try DefinitionText.rewritten(text, as: .json)
        #expect(json.contains(#""initial": "True""#))
        #expect(json.contains(#""meta": true"#))
        #expect(json.contains(#""cancel": "007""#))
        #expect(try DefinitionReader.read(json).machine.state(atPath: "True") != nil)
    }

    @Test func statesMayBeNamedLikeKeys() throws {
        let text = """
            {id: m, initial: context, states: {context: {initial: TRUE, states: {TRUE: {}}}, on: {entry: {cancel: 01}}}}
            """
        let json = try DefinitionText.rewritten(text, as: .json)
        #expect(json.contains(#""initial": "TRUE""#))
        #expect(json.contains(#""cancel": "01""#))
    }

    @Test func whatIsNotReadIsNotWritten() {
        #expect(throws: DefinitionError.self) { try DefinitionText.rewritten("a: *x", as: .yaml) }
        let twice = #expect(throws: DefinitionError.self) { try DefinitionText.rewritten("{a: 1, a: 2}", as: .json) }
        #expect(twice?.diagnostics.map(\.description) == ["1:8: error: the key 'a' stands twice, first on line 1"])
        let large = #expect(throws: DefinitionError.self) {
            try DefinitionText.rewritten("context: {a: 1, b: 123456789012345678901}", as: .json)
        }
        #expect(
            large?.diagnostics.map(\.description)
                == ["1:20: error: '123456789012345678901' is not a number that can be kept"])
    }

    @Test func aTextThatWouldNotBeReadAgainIsRefused() {
        // YAML readers take a byte order mark at the beginning of a text for no part of it.
        let mark = #expect(throws: DefinitionError.self) {
            try DefinitionText.rewritten(#"{"id": "m", "meta": "\uFEFFx"}"#, as: .yaml)
        }
        #expect(mark?.diagnostics.map(\.message) == ["the definition cannot be written as YAML"])
        // In YAML these could be anchors and aliases.
        let words = (0..<200).map { "\"&a\($0) *a\($0)\"" }.joined(separator: ", ")
        let error = #expect(throws: DefinitionError.self) {
            try DefinitionText.rewritten(#"{"id": "m", "meta": [\#(words)]}"#, as: .yaml)
        }
        #expect(error?.diagnostics.first?.message.contains("to rule out anchors and aliases") == true)
    }
}
