import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowJSON

/// Tests what a past moment of an instance shows: the step, the transitions that it took, and what it changed.
@Suite(.timeLimit(.minutes(20))) struct ConsoleMomentTests {
    private static let definition = """
        {"id": "m", "initial": "a",
         "context": {"n": 0, "order": {"old": 1, "same": 2}, "list": [1, 2], "still": "x"},
         "states": {
          "a": {"on": {"go": {"target": "b",
            "actions": [{"assign": {"n": "context.n + 1", "order": "{'new': 3, 'same': 2}", "list": "[1]"}}]}}},
          "b": {"on": {"back": "a", "boom": "c"}},
          "c": {"after": {"1ms": {"guard": "context.list[5] > 0", "target": "a"}}}}}
        """

    /// A host with the instance `x`, which has gone to `b`, back, and to `b` again.
    private struct Fixture {
        let host: ConsoleHost
        let token: String
        let cookie: String

        init() async throws {
            host = try await ConsoleHost()
            token = try host.token("ops", [.admin])
            cookie = try await host.session(token)
            try await ask("/v1/machines", definition)
            try await ask("/v1/instances", #"{"machine": "m", "instance": "x"}"#)
            for (event, data) in [("go", "first"), ("back", "second"), ("go", "third")] { try await send(event, data) }
        }

        @discardableResult
        func ask(_ target: String, _ body: String) async throws -> RawAnswer {
            let headers = [(name: "Authorization", value: "Bearer \(token)")]
            let answer = try await host.server.answer(to: .post(target, body, headers: headers))
            try #require((200..<300).contains(answer.status), "\(target) \(answer.text)")
            return answer
        }

        func send(_ event: String, _ data: String = "") async throws {
            try await ask("/v1/instances/x/events", #"{"event": "\#(event)", "data": {"by": "the \#(data)"}}"#)
        }

        func page(_ target: String = "x") async throws -> RawAnswer {
            try await host.get("/console/instances/\(target)", cookie)
        }
    }

    /// Returns the pairs of states whose arrows are lit.
    private static func taken(in page: RawAnswer) -> [String] {
        page.text.matches(of: /class="transition taken" data-source="([^"]*)" data-target="([^"]*)"/)
            .map { "\($0.1)→\($0.2)" }
    }

    /// Returns the states that are lit in the drawing.
    private static func active(in page: RawAnswer) -> [String] {
        page.text.matches(of: /class="state[^"]* active" data-state="([^"]*)"/).map { String($0.1) }
    }

    @Test func aPastMomentShowsItsStatesAndTheTransitionsThatWereTaken() async throws {
        let fixture = try await Fixture()
        for (seq, states, arrows) in [
            (1, ["a"], []), (2, ["b"], ["a→b"]), (3, ["a"], ["b→a"]), (4, ["b"], ["a→b"]),
        ] {
            let page = try await fixture.page("x?seq=\(seq)")
            #expect(page.status == 200 && Self.active(in: page) == states, "\(seq)")
            #expect(Self.taken(in: page) == arrows, "\(seq)")
            #expect(page.text.contains("<h1>x at seq \(seq)</h1>"))
            #expect(page.text.contains("wfctl replay --trace --from \(seq) --to \(seq) x"))
        }
        // Now, nothing is lit that was taken before.
        #expect(Self.taken(in: try await fixture.page()) == [])
        try await fixture.host.server.stop()
    }

    @Test func aPastMomentShowsItsRow() async throws {
        let fixture = try await Fixture()
        let page = try await fixture.page("x?seq=3").text
        let step = try #require(page.firstMatch(of: /<h2 id="step">Step 3<\/h2>(.*?)<\/section>/.dotMatchesNewlines()))
        for words in [
            "<dt>Event</dt><dd><code>back</code>", "<dt>Kind</dt><dd>event", "<dt>From</dt><dd><code>b</code>",
            "<dt>To</dt><dd><code>a</code>", "<dt>By</dt><dd>token:ops", "the second",
            "<code>b</code> → <code>a</code> <a href=\"/console/machines/m?version=1#L6\">line 6</a>",
        ] {
            #expect(step.1.contains(words), "\(words) in \(step.1)")
        }
        // Timers and accepted events, which hold for now alone, are not shown for another moment.
        #expect(page.contains("Timers, effects and accepted events are of now alone"))
        #expect(!page.contains("What it waits for") && !page.contains("What it takes now"))
        try await fixture.host.server.stop()
    }

    @Test func whatAStepChangedHasASignAndAWord() async throws {
        let fixture = try await Fixture()
        let page = try await fixture.page("x?seq=2").text
        for (path, change, before, after) in [
            ("context.n", "changed", "0", "1"), ("context.order.old", "removed", "1", ""),
            ("context.order.new", "added", "", "3"), ("context.list[1]", "removed", "2", ""),
        ] {
            let cells = [before, after].map { $0.isEmpty ? "<td></td>" : "<td><code>\($0)</code></td>" }.joined()
            let row = "<code>\(path)</code></th><td>\(change)</td>\(cells)"
            #expect(page.contains(row), "\(row)")
        }
        for line in [
            "<span class=\"changed\">~   &quot;n&quot;: 1,</span>",
            "<span class=\"added\">+     &quot;new&quot;: 3,</span>",
            "<span class=\"removed\">−     &quot;old&quot;: 1,</span>", "\n      &quot;same&quot;: 2\n",
            "\n    &quot;still&quot;: &quot;x&quot;\n",
        ] {
            #expect(page.contains(line), "\(line)")
        }
        #expect(try await fixture.page("x?seq=3").text.contains("This step changed nothing in it."))
        // Nothing was before the first step.
        #expect(!(try await fixture.page("x?seq=1").text.contains("class=\"changes\"")))
        try await fixture.host.server.stop()
    }

    @Test func linksLeadToTheMomentsAround() async throws {
        let fixture = try await Fixture()
        let page = try await fixture.page("x?seq=2").text
        let wind = try #require(page.firstMatch(of: /<div class="wind"([^>]*)>(.*?)<\/div>/.dotMatchesNewlines()))
        #expect(wind.1 == #" data-wind="/console/instances/x" data-newest="4" data-seq="2""#)
        for (seq, word) in [("?seq=1", "First"), ("?seq=1", "Previous"), ("?seq=3", "Next"), ("", "Now")] {
            #expect(wind.2.contains("<a href=\"/console/instances/x\(seq)\">\(word)</a>"), "\(word)")
        }
        try await fixture.host.server.stop()
    }

    @Test func aSeqThatDoesNotExistIsToldWithTheNewest() async throws {
        let fixture = try await Fixture()
        let page = try await fixture.page("x?seq=5")
        #expect(page.status == 404 && page.text.contains("has no seq 5 (latest is 4)"))
        #expect(page.text.contains("<a href=\"/console/instances/x\">Now</a>"))
        for text in ["0", "-1", "x", "9223372036854775808", "1.5"] {
            #expect(try await fixture.page("x?seq=\(text)").status == 400, "\(text)")
        }
        #expect(try await fixture.page("x?seq=9223372036854775807").status == 404)
        try await fixture.host.server.stop()
    }

    @Test func aMigratedInstanceIsDrawnWithTheVersionThatItHad() async throws {
        let fixture = try await Fixture()
        try await fixture.ask(
            "/v1/machines", Self.definition.replacing(#""b": {"#, with: #""later": {}, "b": {"#))
        try await fixture.ask("/v1/instances/x/migrate", #"{"reason": "r"}"#)
        for (target, version) in [("x?seq=4", 1), ("x?seq=5", 2), ("x", 2)] {
            let page = try await fixture.page(target).text
            #expect(page.contains("m version \(version)</a>"), "\(target)")
            #expect(page.contains("data-state=\"later\"") == (version == 2), "\(target)")
        }
        try await fixture.host.server.stop()
    }

    @Test func anErasedMomentSaysSo() async throws {
        let fixture = try await Fixture()
        try await fixture.ask(
            "/v1/machines", Self.definition.replacing(#""b": {"#, with: #""later": {}, "b": {"#))
        try await fixture.ask("/v1/instances/x/redact", #"{"seqs": "2", "reason": "r"}"#)
        let erased = try await fixture.page("x?seq=2")
        #expect(erased.status == 200 && !erased.text.contains("the first"))
        #expect(erased.text.contains("A redaction erased data of this row."))
        #expect(erased.text.contains("A redaction erased the context of this moment."))
        #expect(erased.text.contains("A redaction erased which transitions were taken."))
        #expect(Self.active(in: erased) == ["b"] && Self.taken(in: erased) == [])
        #expect(erased.text.contains("m version 1</a>"))
        // The row after it was not erased, but what it began from was.
        let after = try await fixture.page("x?seq=3")
        #expect(after.status == 200 && after.text.contains("the second") && Self.active(in: after) == ["a"])
        #expect(after.text.contains("A redaction erased the context of this moment."))
        #expect(try await fixture.page("x?seq=1").text.contains("&quot;still&quot;: &quot;x&quot;"))
        try await fixture.host.server.stop()
    }

    @Test func aFailureLeadsToItsLineAndToTheMomentBefore() async throws {
        let fixture = try await Fixture()
        try await fixture.send("boom")
        var wait = RawRequest.get("/v1/instances/x/history?after=5&wait=60")
        wait.headers = [("Authorization", "Bearer \(fixture.token)")]
        #expect(try await fixture.host.server.answer(to: wait).text.contains("\"kind\":\"failed\""))
        for (target, isFailed) in [("x", true), ("x?seq=6", true), ("x?seq=5", false)] {
            let page = try await fixture.page(target).text
            let line = "<dt>Line</dt><dd><a href=\"/console/machines/m?version=1#L7\">line 7</a> of version 1</dd>"
            #expect(page.contains(line) == isFailed, "\(target)")
            let before = "<a href=\"/console/instances/x?seq=5\">The moment before</a>"
            #expect(page.contains(before) == isFailed, "\(target)")
        }
        try await fixture.host.server.stop()
    }
}
