import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowJSON
import WorkflowServer

/// Tests that an event is sent from a page: asked for, rehearsed, and done once.
@Suite(.timeLimit(.minutes(20))) struct ConsoleSendTests {
    @Test func theEventsOfAnInstanceLeadToTheirForms() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let page = try await actor.get("/console/instances/x")
        #expect(page.text.contains("<a href=\"/console/instances/x/send?event=free\"><code>free</code></a>"))
        let choice = try await actor.get("/console/instances/x/send").text
        let places = ["event=free", "event=late"].compactMap { choice.firstRange(of: $0)?.lowerBound }
        #expect(places.count == 2 && places == places.sorted())
        #expect(choice.contains("taken in <code>b</code>"))
        // A name that the table does not have can be typed.
        let other = try ConsoleForm(in: await actor.get("/console/instances/x/send"), to: "/console/instances/x/send")
        let form = try await other.typing(["event": "free"]).press(on: actor.host, actor.cookie)
        #expect(form.status == 200 && form.text.contains("<h1>Send &#39;free&#39; to x</h1>"))
        try await actor.host.server.stop()
    }

    @Test func anEventIsRehearsedThenSentOnce() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let page = try await actor.get("/console/instances/x/send?event=typed")
        #expect(page.text.contains("<code>wfctl send x typed</code>"))
        let rehearsal = try await actor.rehearse(
            "send", "x", "?event=typed", ["data.card": "tok \"1\" <b>", "data.amount": "2", "data.lines": "[1,\r\n2]"])
        #expect(rehearsal.status == 200)
        for words in [
            "Nothing has changed yet", "<code>event.data.amount &gt; 1.5</code>", "<code>event.data.amount</code> = ",
            "<code>after.30d.a</code></td><td>ends</td>", "<code>after.20d.b</code></td><td>begins</td>",
            "<dt>Leaves</dt><dd><code>a</code></dd>", "<dt>Enters</dt><dd><code>b</code></dd>", "1 → 2",
            "wfctl send --data &#39;{&quot;amount&quot;:2,&quot;card&quot;:&quot;tok \\&quot;1\\&quot; &lt;b&gt;&quot;,"
                + "&quot;lines&quot;:[1,2]}&#39; --dry-run --explain x typed", "--expect-seq 1 x typed",
        ] {
            #expect(rehearsal.text.contains(words), "\(words)")
        }
        #expect(try await actor.instance("x").seq == 1)
        let form = try ConsoleForm(in: rehearsal, to: "/console/act/send/x")
        // Two presses of one button, and a reload after them.
        async let first = form.press(on: actor.host, actor.cookie)
        async let second = form.press(on: actor.host, actor.cookie)
        let answers = try await [first, second, form.press(on: actor.host, actor.cookie)]
        #expect(answers.map(\.status) == [303, 303, 303], "\(answers.map(\.text))")
        #expect(answers.allSatisfy { $0.headers["location"] == "/console/instances/x?done=send" })
        let rows = try await actor.history("x")
        #expect(rows.map(\.event) == ["init", "typed"])
        #expect(rows[1].data == ["amount": 2, "card": "tok \"1\" <b>", "lines": [1, 2]])
        #expect(rows[1].actor == "token:person")
        #expect(try await actor.instance("x").configuration == ["b"])
        try await actor.host.server.stop()
    }

    @Test func aFormIsBoundToWhatWasRehearsed() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let rehearsal = try await actor.rehearse("send", "x", "?event=free", ["data": "{\"k\": 1}"])
        try await actor.ask("/v1/instances/x/events", #"{"event": "work"}"#)
        #expect(try await actor.press("send", "x", in: rehearsal).status == 412)
        try await actor.ask("/v1/instances/x/cancel", #"{"reason": "<b>it</b>"}"#)
        let refused = try await actor.press("send", "x", in: rehearsal)
        #expect(refused.status == 409)
        for words in [
            "Nothing was done, because this came between", "<code>work</code>", "<code>cancel</code>", "token:boss",
        ] {
            #expect(refused.text.contains(words), "\(words)")
        }
        #expect(refused.text.contains("href=\"/console/instances/x?seq=2\""))
        #expect(try await actor.history("x").count == 3)
        // The way on is there, with what was typed.
        let again = try ConsoleForm(in: refused, to: "/console/act/send/x", label: "Rehearse again")
        #expect(again["data"] == "{\"k\": 1}")
        let answer = try await again.press(on: actor.host, actor.cookie)
        #expect(answer.status == 409 && answer.text.contains("It does not fit now: it is cancelled."))
        // A form without the seq or the key does nothing.
        for name in ["seq", "key"] {
            var form = try ConsoleForm(in: rehearsal, to: "/console/act/send/x")
            form[name] = nil
            #expect(try await form.press(on: actor.host, actor.cookie).status == 400)
        }
        try await actor.host.server.stop()
    }

    @Test func aKeyThatDoesNotServeIsTold() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let rehearsal = try await actor.rehearse("send", "x", "?event=free", ["data": "0"])
        let form = try ConsoleForm(in: rehearsal, to: "/console/act/send/x")
        #expect(try await form.press(on: actor.host, actor.cookie).status == 303)
        let reused = try await form.typing(["data": "1"]).press(on: actor.host, actor.cookie)
        #expect(reused.status == 422 && reused.text.contains("A new rehearsal makes a new key"))
        let old = "00000000-0001-7000-8000-000000000000"
        let expired = try await form.typing(["key": old, "seq": "2"]).press(on: actor.host, actor.cookie)
        #expect(expired.status == 422 && expired.text.contains("Rehearse again"))
        #expect(try await actor.history("x").count == 2)
        try await actor.host.server.stop()
    }

    @Test(arguments: [
        ("?event=typed", ["data.amount": "2"], 400, "It is missing."),
        ("?event=typed", ["data.card": "c", "data.amount": "many"], 400, "It is not JSON: line 1, column 1"),
        ("?event=typed", ["data.card": "c", "data.amount": "\"2\""], 400, "data.amount is a string, not a double."),
        (
            "?event=typed", ["data.card": "c", "data.amount": "2", "data.lines": "[1, \"2\"]"], 400,
            "data.lines[1] is a string, not an int."
        ),
        ("?event=typed&as=json", ["data": "{\"card\": \"c\"}"], 400, "data.amount is missing."),
        ("?event=free", ["data": "{\r\n  \"a\": tru}"], 400, "It is not JSON: line 2, column 8"),
        ("?event=never", ["data": "1"], 422, "never"),
        ("?event=done.state.a", [:], 422, "done.state.a"),
        ("?event=late", [:], 409, "late"),
        ("?event=typed", ["data.card": "c", "data.amount": "1"], 409, "<code>event.data.amount</code> = "),
    ])
    func aFormThatIsWrongComesBackWithWhatWasTyped(
        query: String, values: [String: String], status: Int, words: String
    ) async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let answer = try await actor.rehearse("send", "x", query, values)
        #expect(answer.status == status)
        #expect(answer.text.contains(words.replacing("\"", with: "&quot;")), "\(answer.text)")
        let form = try ConsoleForm(in: answer, to: "/console/act/send/x")
        for (name, value) in values { #expect(form[name] == value) }
        if status == 400 {
            let field = answer.text.firstMatch(of: /aria-invalid="true" aria-describedby="(f[0-9]+)-wrong/)
            #expect(try answer.text.contains("<p id=\"\(#require(field).1)-wrong\" class=\"bad\">"))
        }
        #expect(try await actor.history("x").count == 1)
        try await actor.host.server.stop()
    }

    @Test func whatWasTypedCanBeChanged() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let typed = "{\"k\": \"a\u{200B}\u{202E}b & <i>\"}"
        let rehearsal = try await actor.rehearse("send", "x", "?event=free", ["data": typed])
        let form = try ConsoleForm(in: rehearsal, to: "/console/act/send/x")
        let back = try await form.press("edit", on: actor.host, actor.cookie)
        #expect(back.status == 200)
        #expect(try ConsoleForm(in: back, to: "/console/act/send/x")["data"] == typed)
        #expect(try await actor.history("x").count == 1)
        #expect(try await form.press(on: actor.host, actor.cookie).status == 303)
        #expect(try await actor.history("x")[1].data == ["k": "a\u{200B}\u{202E}b & <i>"])
        try await actor.host.server.stop()
    }
}
