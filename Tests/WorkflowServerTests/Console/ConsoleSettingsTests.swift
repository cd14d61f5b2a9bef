import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowServer

/// Tests the forms of machines, queues and held effects: each says first what would happen.
@Suite(.timeLimit(.minutes(20))) struct ConsoleSettingsTests {
    private static let machine = #"{"id": "m", "initial": "a", "states": {"a": {"invoke": {"task": "q"}}}}"#

    private func host() async throws -> (ConsoleHost, headers: [(name: String, value: String)]) {
        let host = try await ConsoleHost()
        let headers = [(name: "Authorization", value: "Bearer \(try host.token("admin", [.admin]))")]
        for (target, body) in [
            ("/v1/machines", Self.machine),
            ("/v1/machines", Self.machine.replacing("\"a\": {", with: "\"b\": {}, \"a\": {")),
            ("/v1/instances", #"{"machine": "m", "instance": "x"}"#),
        ] {
            let answer = try await host.server.answer(to: .post(target, body, headers: headers))
            try #require((200..<300).contains(answer.status), "\(answer.text)")
        }
        return (host, headers)
    }

    /// Fills in the form of an act, looks at what it would do, and does it.
    private func carryOut(
        _ act: String, on page: String, _ values: [(String, String)], saying words: [String], _ host: ConsoleHost,
        _ cookie: String
    ) async throws -> RawAnswer {
        var form = try PageForm("/console/act/\(act)", in: await host.get(page, cookie))
        for (name, value) in values { form[name] = value }
        let asked = try await form.send(to: host, cookie)
        #expect(asked.status == 200, "\(asked.text)")
        for words in words { #expect(asked.text.contains(words), "\(words) \(asked.text)") }
        return try await PageForm("/console/act/\(act)", in: asked).send(to: host, cookie)
    }

    @Test func aMachineIsSuspendedResumedActivatedAndGivenARetention() async throws {
        let (host, _) = try await host()
        let cookie = try await host.session(host.token("person", [.admin]))
        let page = "/console/machines/m"
        let suspended = try await carryOut(
            "suspend-machine/m", on: page, [("reason", "<i>stock</i>")],
            saying: ["1 running ones would take nothing", "wfctl suspend --machine m --reason &#39;&lt;i&gt;"], host,
            cookie)
        #expect(suspended.status == 303 && suspended.headers["location"] == "\(page)?done=suspend-machine")
        let shown = try await host.get(page, cookie).text
        #expect(shown.contains(": &lt;i&gt;stock&lt;/i&gt;") && !shown.contains("suspend-machine"))
        let resumed = try await carryOut(
            "resume-machine/m", on: page, [], saying: ["would go on", "wfctl resume --machine m"], host, cookie)
        let run = try #require(resumed.headers["location"])
        #expect(run.hasPrefix("/console/runs/resume-20"))
        #expect(try await host.get(run, cookie).status == 200)
        let activated = try await carryOut(
            "activate-machine/m", on: page, [("version", "1")],
            saying: ["would take version 1", "the latest version, 2", "wfctl machine activate m 1"], host, cookie)
        #expect(activated.status == 303)
        #expect(try await host.get(page, cookie).text.contains("<dd>version 1</dd>"))
        let retained = try await carryOut(
            "retain-machine/m", on: page, [("retention", "90d")],
            saying: ["0 finished instances", "wfctl machine set m --retention 90d"], host, cookie)
        #expect(retained.status == 303)
        #expect(try await host.get(page, cookie).text.contains("<dd>90d</dd>"))
        // A mistake leaves what was typed.
        for (act, name, value, words) in [
            ("activate-machine", "version", "<b>", "must be &#39;latest&#39;"),
            ("activate-machine", "version", "7", "no version"),
            ("retain-machine", "retention", "soon<b>", "retention"),
        ] {
            var form = try PageForm("/console/act/\(act)/m", in: await host.get(page, cookie))
            form[name] = value
            let refused = try await form.send(to: host, cookie)
            #expect((400..<500).contains(refused.status) && refused.text.contains(words), "\(refused.text)")
            #expect(try PageForm("/console/act/\(act)/m", in: refused)[name] == value)
            #expect(!refused.text.contains("<b>"))
        }
        try await host.server.stop()
    }

    @Test func aQueueIsLimitedAndPaused() async throws {
        let (host, _) = try await host()
        let cookie = try await host.session(host.token("person", [.operate]))
        let page = "/console/queues/task%3Aq"
        #expect(try await host.get("/console/queues", cookie).text.contains("href=\"\(page)\""))
        let values = [("concurrency", "4"), ("count", "5"), ("span", "10m"), ("paused", "yes")]
        let set = try await carryOut(
            "set-queue/task%3Aq", on: page, values,
            saying: [
                "Then: paused, 4 at once, 5 in 10m", "wfctl queue task:q --concurrency 4 --rate 5/10m --pause",
            ], host, cookie)
        #expect(set.status == 303 && set.headers["location"] == "\(page)?done=set-queue", "\(set.text)")
        let form = try PageForm("/console/act/set-queue", in: await host.get(page, cookie))
        for (name, value) in values { #expect(form[name] == value, "\(name)") }
        for (name, value, words) in [
            ("concurrency", "many", "must be a number"), ("concurrency", "0", "concurrency"),
            ("span", "<b>", "The span"),
        ] {
            var form = form
            form[name] = value
            let refused = try await form.send(to: host, cookie)
            #expect(refused.status == 400 && refused.text.contains(words), "\(refused.text)")
            #expect(try PageForm("/console/act/set-queue", in: refused)[name] == value)
        }
        // Empty fields are the defaults.
        var empty = form
        for name in ["concurrency", "count", "span", "paused"] { empty[name] = nil }
        let asked = try await empty.send(to: host, cookie)
        #expect(asked.text.contains("Then: –") && asked.text.contains("--concurrency default --rate default --resume"))
        #expect(try await PageForm("/console/act/set-queue", in: asked).send(to: host, cookie).status == 303)
        #expect(try await host.get("/console/queues/task%3Anone", cookie).status == 404)
        try await host.server.stop()
    }

    @Test func eachButtonSaysWhoMay() async throws {
        let (host, _) = try await host()
        let viewer = try await host.session(host.token("viewer", [.view]))
        let value = try ConsoleHost.formValue(in: await host.get("/console/machines/m", viewer))
        for (act, page) in [
            ("suspend-machine/m", "/console/machines/m"), ("activate-machine/m", "/console/machines/m"),
            ("retain-machine/m", "/console/machines/m"), ("set-queue/task%3Aq", "/console/queues/task%3Aq"),
        ] {
            let form = try PageForm("/console/act/\(act)", in: await host.get(page, viewer))
            #expect(form.buttons.isEmpty && form.disabled.count == 1, "\(act)")
        }
        for act in [
            "suspend-machine/m", "resume-machine/m", "activate-machine/m", "retain-machine/m", "set-queue/task%3Aq",
            "release/effects", "many/begin", "undo-run/r",
        ] {
            let fields =
                "form=\(value)&confirmed=yes&version=1&retention=1d&run=r&expect=000000&selected=1"
                + "&counts=%7B%22done%22%3A0%2C%22misfit%22%3A0%2C%22refused%22%3A0%2C%22changed%22%3A0"
                + "%2C%22failed%22%3A0%7D"
                + "&request=%7B%22action%22%3A%7B%22verb%22%3A%22retry%22%7D%2C%22select%22%3A%7B%22all%22%3Atrue%7D"
                + "%2C%22dryRun%22%3Atrue%7D"
            let answer = try await host.post("/console/act/\(act)", fields, viewer)
            #expect(answer.status == 403 && answer.text.contains("Roles that may: "), "\(act) \(answer.text)")
        }
        let deployer = try await host.session(host.token("deployer", [.deploy]))
        let page = try await host.get("/console/machines/m", deployer)
        #expect(try PageForm("/console/act/activate-machine", in: page).disabled.isEmpty)
        #expect(try PageForm("/console/act/suspend-machine", in: page).buttons.isEmpty)
        try await host.server.stop()
    }
}
