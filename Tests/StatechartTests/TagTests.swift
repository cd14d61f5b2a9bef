import Statechart
import Testing

/// Tests tags of states, as `hasTag` finds them.
@Suite struct TagTests {
    static let definition = """
        id: m
        initial: idle
        tags: machine
        guards: {busy: hasTag('busy') && !hasTag('idle')}
        states:
          idle: {tags: [idle, 5], on: {work: working, look: {guard: busy, target: seen}}}
          working:
            type: parallel
            tags: [busy]
            on: {look: {guard: busy, target: seen}, idle: {guard: "hasTag('idle')", target: seen}, rest: idle}
            states:
              a: {tags: [busy, slow], initial: x, states: {x: {tags: [deep]}, y: {tags: never}}}
              b: {}
          seen: {entry: {log: "hasTag('machine')"}}
        """

    @Test func expressionsSeeTheTagsOfActiveStates() throws {
        var run = try Run(Self.definition)
        guard case .guardRejected = run.refusal(of: "look") else {
            Issue.record("'busy' must say no in 'idle'")
            return
        }
        try run.send("work")
        guard case .guardRejected = run.refusal(of: "idle") else {
            Issue.record("'idle' is no tag of 'working'")
            return
        }
        try run.send("look")
        #expect(run.configuration == ["seen"])
    }

    @Test func tagsAreToldFromTheRootDownAndOnce() throws {
        var run = try Run(Self.definition)
        #expect(run.machine.tags(of: run.last.snapshot.configuration) == ["machine", "idle", "5"])
        try run.send("work")
        #expect(run.machine.tags(of: run.last.snapshot.configuration) == ["machine", "busy", "slow", "deep"])
    }

    @Test func askingSaysWhatTheGuardWouldSay() throws {
        let run = try Run(Self.definition)
        let answers = run.machine.acceptance(in: run.last.snapshot, as: .test, at: .zero)
        #expect(answers.first { $0.descriptor == "look" }?.isAccepted == .some(false))
    }

    @Test func aTagThatNoStateHasIsAMistake() {
        let text = Self.definition.replacing("hasTag('idle')\"", with: "hasTag('buzy')\"")
        #expect(diagnostics(of: text).first == "10:67: error: there is no tag 'buzy'; did you mean 'busy'?")
    }

    @Test func aTagThatIsComputedMayBeNone() throws {
        let text = Self.definition.replacing("log: \"hasTag('machine')\"", with: "log: \"hasTag('no' + 'ne')\"")
        var run = try Run(text)
        try run.send("work")
        try run.send("look")
        #expect(run.configuration == ["seen"])
    }

    @Test func tagsAreNames() {
        let text = "{id: m, initial: a, tags: {a: b}, states: {a: {tags: [x, [y], ~]}}}"
        #expect(
            diagnostics(of: text) == [
                "1:27: error: 'tags' must be a name, not a map", "1:58: error: a tag must be a name, not a list",
                "1:63: error: a tag must be a name, not null",
            ])
    }
}
