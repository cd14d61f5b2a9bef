import DaemonTesting
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowAccess
import WorkflowJSON

@testable import WorkflowConsole  // The table of acts is no part of what the daemon uses.

/// Sends each form of the console by hand, without its button, for everybody who may not.
@Suite(.timeLimit(.minutes(20))) struct ConsoleActTableTests {
    /// For the word of each act: the name of what it is done to, and fields with which it is done for who may.
    private static let forms: [String: (name: String, fields: String)] = [
        "stop-run": ("r", ""), "resume-run": ("r", ""), "undo-run": ("r", "reason=why"),
        "many": ("choose", "verb=cancel&matching=yes&select=%7B%22machine%22%3A%22m%22%7D"),
        "send": ("x", "\(done)&event=go"), "retry": ("x", done), "skip": ("x", done), "set": ("x", "\(done)&set=n%3D1"),
        "suspend": ("x", done), "resume": ("x", done), "cancel": ("x", done), "reset": ("x", "\(done)&to=1"),
        "migrate": ("x", "\(done)&to=1"), "undo": ("x", done),
        "retry-effect": ("t", "\(done)&effect=w"), "skip-effect": ("t", "\(done)&effect=w&result=null"),
        "cancel-effect": ("t", "\(done)&effect=w"),
        "suspend-machine": ("m", "confirmed=yes"), "resume-machine": ("m", "confirmed=yes&run=s"),
        "activate-machine": ("m", "confirmed=yes&version=1"),
        "retain-machine": ("m", "confirmed=yes&retention=1d"), "set-queue": ("task:q", "confirmed=yes&concurrency=1"),
        "release": ("effects", "confirmed=yes"),
    ]

    private static let done = "step=do&seq=1&key=k&reason=why"

    /// Fills a host with what the forms are about.
    private static func filled() async throws -> ConsoleHost {
        let host = try await ConsoleHost()
        let headers = [("Authorization", "Bearer \(try host.token("admin", [.admin]))")]
        let definition = """
            {"id": "m", "initial": "a", "context": {"n": 0}, "states": {"a": {"on": {"go": "b"}}, "b": {}}}
            """
        let tasks = #"{"id": "t", "initial": "a", "states": {"a": {"invoke": {"task": "q", "id": "w"}}}}"#
        let nothing = #"{"machine": "m", "prefix": "zz"}"#
        for (target, body) in [
            ("/v1/machines", definition), ("/v1/machines", tasks),
            ("/v1/instances", #"{"machine": "m", "instance": "x"}"#),
            ("/v1/instances", #"{"machine": "t", "instance": "t"}"#),
            ("/v1/bulk", #"{"run": "r", "action": {"verb": "suspend"}, "select": \#(nothing), "reason": "why"}"#),
        ] {
            let answer = try await host.server.answer(to: .post(target, body, headers: headers))
            #expect((200..<300).contains(answer.status), "\(answer.text)")
        }
        var run = RawRequest.get("/v1/bulk/r")
        run.headers += headers.map { (name: $0.0, value: $0.1) }
        try await eventually("the run ends") { try await host.server.answer(to: run).text.contains("endedAt") }
        return host
    }

    private static func target(_ act: ConsoleAct) throws -> (target: String, fields: String) {
        let form = try #require(forms["\(act.word)"], "an act without a row in this table: \(act.word)")
        return ("/console/act/\(act.word)/\(PercentEncoding.encode(form.name))", form.fields)
    }

    /// Returns all that a form may change.
    private static func rows(_ host: ConsoleHost) throws -> [String] {
        try DatabaseFile(host.server.database).dump()
    }

    @Test func noActIsDoneForARoleThatMayNot() async throws {
        let host = try await Self.filled()
        let rows = try Self.rows(host)
        for role in Role.allCases {
            let cookie = try await host.session(host.token("r-\(role.rawValue)", [role]))
            let value = try await ConsoleHost.formValue(in: host.get("/console/", cookie))
            for act in ConsoleAct.all where !role.permissions.contains(act.route.permission) {
                let (target, fields) = try Self.target(act)
                let answer = try await host.post(target, "form=\(value)&\(fields)", cookie)
                #expect(answer.status == 403, "\(role) \(target) \(answer.status) \(answer.text)")
                #expect(answer.text.contains("Roles that may: "), "\(role) \(target)")
            }
        }
        #expect(try Self.rows(host) == rows)
        try await host.server.stop()
    }

    @Test func noActIsDoneForAPageOfAnother() async throws {
        let host = try await Self.filled()
        let rows = try Self.rows(host)
        let token = try host.token("ops", [.admin])
        let (cookie, other) = try await (host.session(token), host.session(token))
        let value = try await ConsoleHost.formValue(in: host.get("/console/", cookie))
        let evil = [(name: "Origin", value: "http://evil.example")]
        let null = [(name: "Origin", value: "null")]
        for act in ConsoleAct.all {
            let (target, fields) = try Self.target(act)
            let form = "form=\(value)&\(fields)"
            for (headers, cookie, form, status) in [
                (evil, cookie, form, 403), (null, cookie, form, 403), ([], cookie, form, 403),
                ([host.origin, ("Sec-Fetch-Site", "cross-site")], cookie, form, 403),
                ([host.origin], other, form, 403), ([host.origin], nil, form, 401),
                ([host.origin], cookie, fields, 403), ([host.origin], cookie, "form=\(value)&\(form)", 400),
                ([host.origin, ("Authorization", "Bearer \(token)")], nil, form, 401),
            ] as [([(name: String, value: String)], String?, String, Int)] {
                let answer = try await host.post(target, form, cookie, headers: headers)
                #expect(answer.status == status, "\(target) \(headers) \(form) \(answer.status)")
            }
            for method in ["GET", "PUT", "DELETE", "PATCH"] {
                var request = RawRequest(method, "\(target)?\(form)", headers: [("Cookie", cookie), host.origin])
                request.hosts = [host.authority]
                let answer = try await host.server.answer(to: request)
                #expect(answer.status == 405 && answer.headers["allow"] == "POST", "\(method) \(target)")
            }
        }
        // A session that has ended, and the value of a page that was left open.
        host.advance(seconds: 12 * 3_600)
        let next = try await host.session(token)
        for act in ConsoleAct.all {
            let (target, fields) = try Self.target(act)
            #expect(try await host.post(target, "form=\(value)&\(fields)", cookie).status == 401, "\(target)")
            #expect(try await host.post(target, "form=\(value)&\(fields)", next).status == 403, "\(target)")
        }
        #expect(try Self.rows(host) == rows)
        try await host.server.stop()
    }

    /// Shows that the forms above would do something: nobody is refused for the form alone.
    @Test func eachFormOfTheTableComesToTheAPI() async throws {
        for act in ConsoleAct.all {
            let host = try await Self.filled()
            let rows = try Self.rows(host)
            let cookie = try await host.session(host.token("ops", [.admin]))
            let value = try await ConsoleHost.formValue(in: host.get("/console/", cookie))
            let (target, fields) = try Self.target(act)
            let answer = try await host.post(target, "form=\(value)&\(fields)", cookie)
            #expect(![400, 401, 403, 405].contains(answer.status), "\(target) \(answer.status) \(answer.text)")
            if answer.status == 303 {
                #expect(answer.headers["location"]?.hasPrefix("/console/") == true)
            } else {
                #expect(try Self.rows(host) == rows, "\(target)")
            }
            try await host.server.stop()
        }
    }
}
