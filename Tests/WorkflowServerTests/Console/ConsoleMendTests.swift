import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowJSON
import WorkflowServer

/// Tests that each verb mends an instance by real forms: asked for, rehearsed, and done once.
@Suite(.timeLimit(.minutes(20))) struct ConsoleMendTests {
    /// A verb, the instance that it fits, what is typed, and what is true then.
    struct Way: Sendable {
        let word: String
        let situation: ConsoleActor.Situation
        var query = ""
        var values: [String: String] = [:]
        /// A text of the rehearsal.
        let shown: String
        let status: Instance.Status
        let configuration: [String]
        var version: Int64 = 1
    }

    static let ways: [Way] = [
        Way(
            word: "retry", situation: .mended, values: ["reason": "r1"],
            shown: "<dt>To</dt><dd><code>b</code></dd>", status: .running, configuration: ["b"]),
        Way(
            word: "skip", situation: .failed, values: ["reason": "r1"], shown: "<dt>To</dt><dd>stays</dd>",
            status: .running, configuration: ["c"]),
        Way(
            word: "set", situation: .failed,
            values: ["set": "list[0] = 7\r\nwho.name=\"a=b\"", "unset": "who.phone\r\n", "reason": "r1"],
            shown: "wfctl set --unset who.phone --reason r1 --dry-run x &#39;list[0] = 7&#39; ", status: .failed,
            configuration: ["c"]),
        Way(
            word: "suspend", situation: .running, values: ["reason": "r1"], shown: "suspended", status: .suspended,
            configuration: ["a"]),
        Way(
            word: "resume", situation: .suspended, values: ["reason": "r1"],
            shown: "wfctl resume --reason r1 --expect-seq 2 x", status: .running, configuration: ["a"]),
        Way(
            word: "cancel", situation: .running, values: ["reason": "r1", "noActions": "yes"],
            shown: "wfctl cancel --no-actions --reason r1 --dry-run x", status: .cancelled, configuration: ["a"]),
        Way(
            word: "reset", situation: .failed, query: "?to=1", values: ["reason": "r1", "timers": "due"],
            shown: "<code>after.30d.a</code></td><td>due ", status: .running, configuration: ["a"]),
        Way(
            word: "migrate", situation: .running, values: ["to": "2", "reason": "r1", "map": "b = b"],
            shown: "<dt>Version</dt><dd>1 → 2</dd>", status: .running, configuration: ["a"], version: 2),
        Way(
            word: "undo", situation: .migrated, values: ["reason": "r1"], shown: "<dt>Version</dt><dd>2 → 1</dd>",
            status: .running, configuration: ["a"]),
        Way(
            word: "retry-effect", situation: .waiting, values: ["reason": "r1", "newKey": "yes"],
            shown: "Tries the effect at once", status: .running, configuration: ["t"]),
        Way(
            word: "skip-effect", situation: .waiting, values: ["reason": "r1", "result": "{\"ok\": true}"],
            shown: "<dt>Enters</dt><dd><code>b</code></dd>",
            status: .running, configuration: ["b"]),
        Way(
            word: "cancel-effect", situation: .waiting, values: ["reason": "r1"],
            shown: "<dt>Enters</dt><dd><code>c</code></dd>",
            status: .failed, configuration: ["c"]),
    ]

    @Test(arguments: ways) func aVerbIsRehearsedThenDoneOnce(way: Way) async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", way.situation)
        let before = try await actor.history("x").count
        var query = way.query
        if way.word.hasSuffix("-effect") { query = "?effect=\(try await actor.effect(of: "x"))" }
        let rehearsal = try await actor.rehearse(way.word, "x", query, way.values)
        #expect(rehearsal.status == 200 && rehearsal.text.contains("Nothing has changed yet"), "\(rehearsal.text)")
        #expect(rehearsal.text.contains(way.shown), "\(rehearsal.text)")
        #expect(try await actor.history("x").count == before)
        for _ in 0..<2 {
            let answer = try await actor.press(way.word, "x", in: rehearsal)
            #expect(answer.status == 303 && answer.headers["location"] == "/console/instances/x?done=\(way.word)")
        }
        let rows = try await actor.history("x")
        let own = rows.dropFirst(before).filter { $0.actor == "token:person" }
        #expect(own.count == 1 && own.first?.note?.object?["reason"] == "r1", "\(rows)")
        // A timer of 1 ms then acts by itself.
        if way.word != "cancel-effect" {
            let instance = try await actor.instance("x")
            #expect(instance.status == way.status && instance.version == way.version)
            #expect(instance.configuration == way.configuration)
        }
        try await actor.host.server.stop()
    }

    /// The drawing of a rehearsal lights the transitions that a retry would take.
    @Test func theTransitionsOfARetryAreLit() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", .mended)
        let rehearsal = try await actor.rehearse("retry", "x", "", ["reason": "r1"])
        #expect(rehearsal.text.contains(/data-taken="[0-9]+"/), "\(rehearsal.text)")
        try await actor.host.server.stop()
    }

    @Test(arguments: ["skip", "set", "cancel", "reset", "migrate", "undo"])
    func aReasonIsAskedFor(word: String) async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", .failed)
        let answer = try await actor.rehearse(word, "x", "", word == "reset" ? ["to": "1"] : [:])
        #expect(answer.status == 400 && answer.text.contains("The reason is missing"), "\(answer.text)")
        #expect(try ConsoleForm(in: answer, to: "/console/act/\(word)/x")["reason"] == "")
        #expect(try await actor.history("x").count == 3)
        try await actor.host.server.stop()
    }

    @Test(arguments: [
        ("reset", ["to": "0", "reason": "r"], 400, "It must be a number: 1, 2, …."),
        ("reset", ["to": "9", "reason": "r"], 404, "9"),
        ("set", ["set": "a", "reason": "r"], 400, "&#39;a&#39; has no &#39;=&#39; with something on both sides."),
        ("set", ["set": "a=1\r\na=2", "reason": "r"], 400, "&#39;a&#39; stands twice."),
        ("set", ["set": "a=Ann", "reason": "r"], 400, "The value of &#39;a&#39; is not JSON: line 1, column 1"),
        ("set", ["reason": "r"], 400, "Nothing to change"),
        ("migrate", ["to": "9", "reason": "r"], 404, "version 9"),
        ("migrate", ["assign": "n=", "reason": "r"], 400, "has no &#39;=&#39;"),
        ("undo", ["reason": "r"], 409, "and no migration"),
        ("retry", ["reason": String(repeating: "a", count: 2_000)], 400, "The reason must have 1 to"),
    ])
    func aFormThatIsWrongComesBack(
        word: String, values: [String: String], status: Int, words: String
    ) async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", .failed)
        let answer = try await actor.rehearse(word, "x", "", values)
        #expect(answer.status == status && answer.text.contains(words), "\(answer.status) \(answer.text)")
        let form = try ConsoleForm(in: answer, to: "/console/act/\(word)/x")
        for (name, value) in values { #expect(form[name] == value) }
        #expect(try await actor.history("x").count == 3)
        try await actor.host.server.stop()
    }

    @Test func theVerbsThatFitAreOfferedFirstAndTheOthersSayWhyNot() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", .failed)
        let page = try await actor.get("/console/instances/x")
        let order = page.text.matches(of: /class="lead" method="get" action="\/console\/instances\/x\/([a-z-]+)"/)
            .map { String($0.1) }
        #expect(order == ["retry", "skip", "set", "reset", "migrate", "cancel", "send", "suspend", "resume", "undo"])
        for word in order {
            let form = try ConsoleForm(in: page, to: "/console/instances/x/\(word)")
            #expect(form.isDisabled == ["send", "suspend", "resume", "undo"].contains(word), "\(word)")
        }
        for words in [
            "it is failed", "it is not suspended", "it has failed, and refuses events until a retry or a skip",
            "its last step is &#39;after.1ms.c&#39;, and no migration",
        ] {
            #expect(page.text.contains("Not now: \(words)."), "\(words)")
        }
        // A moment leads back to itself.
        let past = try await actor.get("/console/instances/x?seq=2")
        let form = try ConsoleForm(in: past, to: "/console/instances/x/reset")
        #expect(form["to"] == "2")
        let asked = try await form.press(on: actor.host, actor.cookie)
        #expect(try ConsoleForm(in: asked, to: "/console/act/reset/x")["to"] == "2")
        #expect(asked.text.contains("<code>wfctl reset --to 2 x</code>"))
        try await actor.host.server.stop()
    }

    @Test func aRetryCanMoveToAVersionFirst() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", .failed)
        let failing = try await actor.rehearse("retry", "x")
        #expect(failing.text.contains("would still be failed"))
        try await actor.ask("/v1/instances/x/set", #"{"set": {"list": [1]}, "reason": "a test"}"#)
        let rehearsal = try await actor.rehearse("retry", "x", "", ["to": "2"])
        #expect(rehearsal.text.contains("<dt>Version</dt><dd>1 → 2</dd>"), "\(rehearsal.text)")
        #expect(try await actor.press("retry", "x", in: rehearsal).status == 303)
        let instance = try await actor.instance("x")
        #expect(instance.version == 2 && instance.status == .running && instance.configuration == ["b"])
        try await actor.host.server.stop()
    }

    @Test func aMigrationNeedsAnotherVersionAndItsUndoAMigration() async throws {
        let actor = try await ConsoleActor()
        try await actor.ask("/v1/machines", #"{"id": "one", "initial": "a", "states": {"a": {}}}"#)
        try await actor.ask("/v1/instances", #"{"machine": "one", "instance": "y"}"#)
        let page = try await actor.get("/console/instances/y")
        #expect(page.text.contains("Not now: its machine has no other version."))
        #expect(try ConsoleForm(in: page, to: "/console/instances/y/migrate").isDisabled)
        try await actor.start("x", .migrated)
        let moved = try await actor.get("/console/instances/x")
        for word in ["migrate", "undo"] {
            #expect(try !ConsoleForm(in: moved, to: "/console/instances/x/\(word)").isDisabled, "\(word)")
        }
        try await actor.host.server.stop()
    }

    @Test func valuesAreSetBesideTheContext() async throws {
        let actor = try await ConsoleActor()
        try await actor.ask(
            "/v1/machines",
            #"{"id": "typed", "initial": "a", "context": {"n": {"type": "int", "value": 71}}, "states": {"a": {}}}"#)
        try await actor.ask("/v1/instances", #"{"machine": "typed", "instance": "y"}"#)
        let page = try await actor.get("/console/instances/y/set")
        #expect(page.text.contains("Context now</h2>") && page.text.contains("71"))
        #expect(!(try await actor.get("/console/instances/y/cancel")).text.contains("Context now"))
        // A refusal by the API stands beside the field, too.
        let answer = try await actor.rehearse("set", "y", "", ["set": "n.value.x=1", "reason": "r"])
        #expect((400..<500).contains(answer.status) && answer.text.contains("aria-invalid"), "\(answer.text)")
        try await actor.host.server.stop()
    }

    @Test func whatWasDoneIsSaidOnTheNextPage() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let page = try await actor.get("/console/instances/x?done=suspend")
        #expect(page.text.contains("<p id=\"done\" role=\"status\">Done: Suspend.</p>"))
        for word in ["<b>", "other"] {
            let page = try await actor.get("/console/instances/x?done=\(ConsoleForm.encoded(word))")
            #expect(page.status == 200 && !page.text.contains("id=\"done\""))
        }
        try await actor.host.server.stop()
    }

    @Test func theListOfEffectsLeadsToTheirForms() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", .waiting)
        let page = try await actor.get("/console/effects")
        let links = page.text.matches(of: /href="([^"]+\/(?:retry|skip|cancel)-effect\?effect=[^"]+)"/).map {
            String($0.1)
        }
        #expect(links.count == 3, "\(page.text)")
        for link in links {
            let form = try await actor.get(link).text
            #expect(form.contains("name=\"reason\"") && form.contains("A rehearsal changes nothing."))
        }
        try await actor.host.server.stop()
    }

    @Test func anEffectThatIsGoneIsTold() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let page = try await actor.rehearse("retry-effect", "x", "?effect=none")
        #expect(page.text.contains("waits for no effect &#39;none&#39;"))
        #expect(!page.text.contains("value=\"do\""))
        try await actor.host.server.stop()
    }
}
