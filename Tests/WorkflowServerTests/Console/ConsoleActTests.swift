import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowServer

/// Tests that a form does what its button says, for whom the API lets, and only from a page of its own session.
@Suite(.timeLimit(.minutes(20))) struct ConsoleActTests {
    /// Begins a run that waits, because it was stopped, and returns the cookie of a session.
    private func stoppedRun(_ host: ConsoleHost, _ roles: [Role]) async throws -> String {
        let token = try host.token("admin", [.admin])
        let headers = [("Authorization", "Bearer \(token)")]
        for (target, body) in [
            ("/v1/machines", #"{"id": "m", "initial": "a", "states": {"a": {}}}"#),
            ("/v1/instances", #"{"machine": "m", "instance": "x"}"#),
            (
                "/v1/bulk",
                #"{"run": "r", "action": {"verb": "suspend"}, "select": {"machine": "m"}, "reason": "a test"}"#
            ),
        ] {
            let answer = try await host.server.answer(to: .post(target, body, headers: headers))
            try #require((200..<300).contains(answer.status), "\(answer.text)")
        }
        return try await host.session(host.token("person", roles))
    }

    @Test func aFormIsTakenOnceFromAPageOfItsSession() async throws {
        let host = try await ConsoleHost()
        let cookie = try await stoppedRun(host, [.operate])
        let value = try ConsoleHost.formValue(in: await host.get("/console/runs/r", cookie))
        let answer = try await host.post("/console/act/stop-run/r", "form=\(value)", cookie)
        #expect(answer.status == 303)
        #expect(answer.headers["location"] == "/console/runs/r?done=stop-run")
        // A link, another session's value, no value, a value that stands twice, another site, and no session.
        #expect(try await host.get("/console/act/stop-run/r", cookie).status == 405)
        let other = try await host.session(host.token("other", [.operate]))
        let changed = try await host.post("/console/act/stop-run/r", "form=\(value)", other)
        #expect(changed.status == 403 && changed.text.contains("<h1>The session has changed</h1>"))
        #expect(changed.text.contains("href=\"/console/runs/r\""))
        #expect(try await host.post("/console/act/stop-run/r", "", cookie).status == 403)
        let twice = "form=\(value)&form=\(value)"
        let repeated = try await host.post("/console/act/stop-run/r", twice, cookie)
        #expect(repeated.status == 400 && repeated.text.contains("Field &#39;form&#39; stands twice in the form"))
        let foreign = [(name: "Origin", value: "http://evil.example")]
        #expect(try await host.post("/console/act/stop-run/r", "form=\(value)", cookie, headers: foreign).status == 403)
        let nobody = try await host.post("/console/act/stop-run/r", "form=\(value)")
        #expect(nobody.status == 401 && nobody.text.contains("name=\"next\" value=\"/console/runs/r\""))
        #expect(try await host.post("/console/act/other/r", "form=\(value)", cookie).status == 404)
        try await host.server.stop()
    }

    @Test func whatARoleMayNotDoIsDisabledAndRefused() async throws {
        let host = try await ConsoleHost()
        let cookie = try await stoppedRun(host, [.view])
        let page = try await host.get("/console/runs/r", cookie)
        let value = try ConsoleHost.formValue(in: page)
        let answer = try await host.post("/console/act/resume-run/r", "form=\(value)", cookie)
        #expect(answer.status == 403)
        #expect(answer.text.contains("Roles that may: operate, admin"))
        try await host.server.stop()
    }
}
