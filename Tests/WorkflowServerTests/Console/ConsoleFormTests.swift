import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowJSON
import WorkflowServer

/// Tests that nothing that is typed into a form, or stands in its address, becomes a part of the page.
@Suite(.timeLimit(.minutes(20))) struct ConsoleFormTests {
    private static let forms = [
        "send", "retry", "skip", "set", "suspend", "resume", "cancel", "reset", "migrate", "undo", "retry-effect",
        "skip-effect", "cancel-effect",
    ]

    @Test(arguments: forms) func whatIsTypedStaysText(word: String) async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", .waiting)
        let query = word == "send" ? "?event=typed" : "?effect=\(try await actor.effect(of: "x"))"
        let page = try await actor.get("/console/instances/x/\(word)\(query)")
        #expect(page.status == 200 && ConsolePageTests.mistakes(in: page.text) == [], "\(page.text)")
        var form = try ConsoleForm(in: page, to: "/console/act/\(word)/x")
        let typed = form.fields.filter { !["form", "step"].contains($0.name) && $0.value.isEmpty }.map(\.name)
        for name in typed { form[name] = ConsolePageTests.all }
        let answer = try await form.press(on: actor.host, actor.cookie)
        #expect(ConsolePageTests.mistakes(in: answer.text) == [])
        // A field of one line has no line ends, so the text comes back as it is.
        if answer.status == 400 {
            let back = try ConsoleForm(in: answer, to: "/console/act/\(word)/x")
            for name in typed where back[name] != "" { #expect(back[name] == ConsolePageTests.all, "\(name)") }
        }
        try await actor.host.server.stop()
    }

    @Test(arguments: forms) func whatStandsInTheAddressStaysText(word: String) async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x", .waiting)
        let text = ConsoleForm.encoded(ConsolePageTests.all)
        for name in ["event", "effect", "data", "as", "to", "reason", "set", text] {
            for query in ["\(name)=\(text)", "event=free&effect=t&\(name)=\(text)"] {
                let page = try await actor.get("/console/instances/x/\(word)?\(query)")
                #expect([200, 400].contains(page.status) && ConsolePageTests.mistakes(in: page.text) == [])
            }
        }
        for target in ["\(text)/\(word)", "x/\(text)"] {
            let page = try await actor.get("/console/instances/\(target)")
            #expect(page.status == 404 && ConsolePageTests.mistakes(in: page.text) == [], "\(page.text)")
        }
        try await actor.host.server.stop()
    }

    @Test func aRehearsalShowsDataAsText() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let data = "{\"k\": \(ConsolePageTests.json(.string(ConsolePageTests.all)))}"
        let rehearsal = try await actor.rehearse("send", "x", "?event=free", ["data": data])
        #expect(rehearsal.status == 200 && ConsolePageTests.mistakes(in: rehearsal.text) == [])
        #expect(rehearsal.text.contains("&lt;img src=x onerror=alert(1)&gt;"))
        let form = try ConsoleForm(in: rehearsal, to: "/console/act/send/x")
        #expect(form["data"] == data)
        #expect(try await form.press(on: actor.host, actor.cookie).status == 303)
        let rows = try await actor.history("x")
        #expect(rows[1].data == ["k": .string(ConsolePageTests.all)])
        // The rows that came between are text too.
        try await actor.ask("/v1/instances/x/events", #"{"event": "late"}"#)
        let late = try await form.typing(["key": "another"]).press(on: actor.host, actor.cookie)
        #expect(late.status == 412 && ConsolePageTests.mistakes(in: late.text) == [])
        try await actor.host.server.stop()
    }

    @Test func aFormOfASessionThatEndedSaysThatNothingWasDone() async throws {
        let actor = try await ConsoleActor()
        try await actor.start("x")
        let rehearsal = try await actor.rehearse("send", "x", "?event=free", ["data": "[1]"])
        let form = try ConsoleForm(in: rehearsal, to: "/console/act/send/x")
        actor.host.advance(seconds: 13 * 3_600)
        let answer = try await form.press(on: actor.host, actor.cookie)
        #expect(answer.status == 401)
        #expect(answer.text.contains("Nothing was done, and what was typed into the form was not kept"))
        #expect(answer.text.contains("name=\"next\" value=\"/console/instances/x/send\""))
        // In a new session, the form of the old one is not taken.
        let cookie = try await actor.host.session(actor.host.token("other", [.operate]))
        let foreign = try await form.press(on: actor.host, cookie)
        #expect(foreign.status == 403 && foreign.text.contains("<h1>The session has changed</h1>"))
        #expect(foreign.text.contains("Nothing was done: field &#39;form&#39; is not of this session."))
        #expect(foreign.text.contains("href=\"/console/instances/x/send\""))
        // The form keeps the typed text; a rehearsal of another session is made again.
        let kept = try ConsoleForm(in: foreign, to: "/console/act/send/x")
        #expect(kept["event"] == "free" && kept["data"] == "[1]" && kept["key"] == nil)
        let again = try await kept.press(on: actor.host, cookie)
        #expect(again.status == 200 && again.text.contains("Nothing has changed yet"))
        #expect(try await actor.history("x").count == 1)
        try await actor.host.server.stop()
    }
}
