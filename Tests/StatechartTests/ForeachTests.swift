import Statechart
import Testing

/// Tests the keys that `foreach` makes under `strict: false` (SCXML 4.6: "if the variable does not exist, it is
/// declared").
@Suite struct ForeachTests {
    static func definition(array: String, strict: Bool = false) -> String {
        """
        id: m
        strict: \(strict)
        initial: a
        context: {list: [1.5, 2], empty: [], seen: []}
        states:
          a:
            on:
              go:
                target: b
                actions:
                  foreach:
                    array: \(array)
                    item: each
                    index: number
                    actions:
                      - assign: {seen: 'context.seen + [context.each, context.number]'}
                      - assign: {each: 0}
          b: {on: {error.execution: failed}, always: {guard: 'has(context.each)', target: c}}
          c: {entry: {assign: {each: "'still there'"}}}
          failed: {}
        """
    }

    @Test func missingItemAndIndexAreMade() throws {
        let reading = try DefinitionReader.read(Self.definition(array: "context.list"))
        #expect(reading.warnings.map(\.description) == [])
        var run = try Run(Self.definition(array: "context.list"))
        try run.send("go")
        #expect(run.configuration == ["c"])
        // The second element stays an int, although the first was none.
        #expect(
            run.context
                == #"{"each":"still there","empty":[],"list":[1.5,2],"number":1,"seen":[1.5,0,2,1]}"#)
    }

    /// A loop may come after an action that writes its keys.
    @Test func anAssignmentBeforeTheLoopIsNoSlip() throws {
        let before = Self.definition(array: "context.list").replacing(
            "  a:\n", with: "  a:\n    entry: {assign: {each: 1, eahc: 2}}\n", maxReplacements: 1)
        let warnings = try DefinitionReader.read(before).warnings.map(\.description)
        #expect(warnings == ["7:31: warning: the context has no key 'eahc'; declare it in 'context'"])
    }

    @Test func anEmptyListMakesThemToo() throws {
        var run = try Run(Self.definition(array: "context.empty"))
        try run.send("go")
        #expect(run.configuration == ["c"])
        #expect(
            run.context
                == #"{"each":"still there","empty":[],"list":[1.5,2],"number":null,"seen":[]}"#)
    }

    @Test func whatIsNoListMakesNone() throws {
        var run = try Run(Self.definition(array: "context.list[0]"))
        try run.send("go")
        #expect(run.configuration == ["failed"])
        #expect(run.context == #"{"empty":[],"list":[1.5,2],"seen":[]}"#)
    }

    @Test func madeKeysAreStoredAndLoaded() throws {
        var run = try Run(Self.definition(array: "context.list"))
        let before = run.last.snapshot
        var text = run.machine.text(of: before)
        try run.send("go")
        run.machine.update(&text, of: before, to: run.last.snapshot)
        #expect(text == run.machine.text(of: run.last.snapshot))
        #expect(try run.machine.snapshot(of: text, status: .running, seq: 2) == run.last.snapshot)
    }

    @Test func underStrictTheyMustBeDeclared() {
        let told = diagnostics(of: Self.definition(array: "context.list", strict: true))
        #expect(
            told.prefix(2) == [
                "13:19: error: the context has no key 'each'; declare it in 'context'",
                "14:20: error: the context has no key 'number'; declare it in 'context'",
            ])
    }
}
