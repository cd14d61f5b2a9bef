import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowAccess

/// Tests what stands for a session, and what stands for one no more.
@Suite(.timeLimit(.minutes(20))) struct ConsoleCookieTests {
    /// Returns the answer to a page with fields of cookies.
    private static func page(_ host: ConsoleHost, _ cookies: [String]) async throws -> RawAnswer {
        try await host.get("/console/", nil, cookies.map { ("Cookie", $0) })
    }

    @Test func oneOfFourCookiesIsEnoughAndAFifthIsNot() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("ops", [.view]))
        let name = String(cookie.prefix { $0 != "=" })
        let other = try await host.session(host.token("other", [.view]))
        for (cookies, who) in [
            (["\(name)=0; \(name)=1; \(name)=2; \(cookie)"], "ops"), ([cookie, other], "ops"),
            ([other, cookie], "other"),
            (["\(other); \(cookie)"], "other"), (["a=b", " ;;; =; ; \(cookie);;"], "ops"),
            (["\(name)=\(String(repeating: "a", count: 30_000)); \(cookie)"], "ops"),
            ((0..<400).map { "c\($0)=v" } + [cookie], "ops"),
        ] {
            let page = try await Self.page(host, cookies)
            #expect(page.status == 200 && page.text.contains("token:\(who) ·"), "\(cookies.first?.prefix(100) ?? "")")
        }
        let secret = cookie.dropFirst(name.count + 1)
        for cookies in [
            ["\(name)=0; \(name)=1; \(name)=2; \(name)=3; \(cookie)"], ["\(name)=\"\(secret)\""],
            ["\(name)=\(secret) x"],
            ["\(name) =\(secret)"], ["\(name)= \(secret)"], [cookie.uppercased()], ["\(name)=\(secret.uppercased())"],
            ["\(name)=\(secret.dropLast())"], ["\(name)=%\(secret)"], [String(secret)], ["=\(secret)"],
            ["\(name)=\(secret)\(String(repeating: "0", count: 300))"], ["$\(cookie)"], [",\(cookie)"],
            ["a=\"; \(cookie.dropFirst())\""],
        ] {
            #expect(try await Self.page(host, cookies).status == 401, "\(cookies)")
        }
        // A head that is too large is refused before anybody looks at it.
        let huge = try await Self.page(host, [String(repeating: "a", count: 100_000)])
        #expect(huge.status == 431)
        let many = try await Self.page(host, (0..<1_100).map { "c\($0)=v" } + [cookie])
        #expect(many.status == 431)
        try await host.server.stop()
    }

    @Test func theCookieOfAnotherDaemonIsNone() async throws {
        let (host, other) = (try await ConsoleHost(), try await ConsoleHost())
        let cookie = try await host.session(host.token("ops", [.admin]))
        let foreign = try await other.session(other.token("ops", [.admin]))
        #expect(cookie.prefix { $0 != "=" } != foreign.prefix { $0 != "=" })
        #expect(try await host.get("/console/", foreign).status == 401)
        // Also if somebody gives it this daemon's name.
        let renamed = cookie.prefix { $0 != "=" } + foreign.drop { $0 != "=" }
        #expect(try await host.get("/console/", String(renamed)).status == 401)
        // The browser sends both, as they are of one host.
        #expect(try await host.get("/console/", "\(foreign); \(cookie)").status == 200)
        let value = try await ConsoleHost.formValue(in: other.get("/console/", foreign))
        #expect(try await host.post("/console/logout", "form=\(value)", "\(foreign); \(cookie)").status == 403)
        try await host.server.stop()
        try await other.server.stop()
    }

    @Test func theAPITakesNoCookieOfAnybody() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("ops", [.admin]))
        for target in ["/v1/status", "/v1/instances", "/v1/machines", "/v1/audit", "/v1/tally", "/metrics"] {
            #expect(try await host.get(target, cookie).status == 401, "\(target)")
        }
        let start = #"{"machine": "m"}"#
        for target in ["/v1/instances", "/v1/sessions", "/v1/tokens", "/v1/backups", "/v1/release"] {
            var request = RawRequest.post(target, start, headers: [host.origin, ("Cookie", cookie)])
            request.hosts = [host.authority]
            #expect(try await host.server.answer(to: request).status == 401, "\(target)")
        }
        try await host.server.stop()
    }

    @Test func aLoginTakesThePlaceOfTheSessionBefore() async throws {
        let host = try await ConsoleHost()
        let (own, foreign) = (try host.token("own", [.view]), try host.token("foreign", [.admin]))
        let (cookie, code) = try await (host.session(own), host.code(foreign))
        // Somebody else's code is no way into a session that is there: the browser gets a new one, in the other's name.
        let asked = try await host.get("/console/?code=\(code)", cookie)
        #expect(asked.text.contains("Log in as token:foreign") && asked.headers["set-cookie"] == nil)
        let next = try await ConsoleHost.cookie(in: host.post("/console/login", "code=\(code)", cookie))
        #expect(next != cookie)
        #expect(try await host.get("/console/", cookie).status == 401)
        #expect(try await host.get("/console/", next).text.contains("token:foreign · admin"))
        // A login that fails ends nothing.
        #expect(try await host.post("/console/login", "code=\(code)", next).status == 401)
        #expect(try await host.post("/console/login", "token=x", next).status == 401)
        #expect(try await host.get("/console/", next).status == 200)
        // A browser cannot bring the secret of its next session along.
        let name = String(next.prefix { $0 != "=" })
        let chosen = "\(name)=\(String(repeating: "7", count: 64))"
        let given = try await ConsoleHost.cookie(in: host.post("/console/login", "token=\(own)", chosen))
        #expect(given != chosen)
        #expect(try await host.get("/console/", chosen).status == 401)
        try await host.server.stop()
    }

    @Test func aPageThatWasLeftOpenForADaySendsNothing() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.admin])
        let cookie = try await host.session(token)
        let value = try await ConsoleHost.formValue(in: host.get("/console/", cookie))
        host.advance(seconds: 12 * 3_600)
        let late = try await host.post("/console/logout", "form=\(value)", cookie)
        #expect(late.status == 401 && late.headers["location"] == nil && late.text.contains("<h1>Log in</h1>"))
        // The value is none of the next session's either, with its cookie or with both.
        let next = try await host.session(token)
        for cookies in [next, "\(cookie); \(next)", "\(next); \(cookie)"] {
            #expect(try await host.post("/console/logout", "form=\(value)", cookies).status == 403, "\(cookies)")
        }
        #expect(try await host.get("/console/", next).status == 200)
        try await host.server.stop()
    }

    @Test func aFormOfAnEndedSessionIsOfNoUse() async throws {
        let host = try await ConsoleHost()
        let tokens = try ["revoked", "rotated", "expiring"].map {
            try host.token($0, [.admin], lasting: $0 == "expiring" ? 60 : nil)
        }
        var open: [(cookie: String, value: String)] = []
        for token in tokens {
            let cookie = try await host.session(token)
            open.append((cookie, try await ConsoleHost.formValue(in: host.get("/console/", cookie))))
        }
        _ = try host.book.revoke("revoked", by: nil)
        _ = try host.book.rotate("rotated", overlap: nil, by: nil)
        host.advance(seconds: 60)
        for (cookie, value) in open {
            let answer = try await host.post("/console/login", "form=\(value)", cookie)
            #expect(answer.status == 401 && answer.headers["set-cookie"] == nil)
            #expect(try await host.get("/console/", cookie).status == 401)
            #expect(try await host.post("/console/logout", "form=\(value)", cookie).status == 401)
        }
        try await host.server.stop()
    }

    @Test func noAddressAfterTheLoginLeavesTheConsole() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.view])
        for next in [
            "javascript:alert(1)", "JaVaScRiPt:alert(1)//console/", "data:text/html,<script>",
            "//evil.example/console/", "/\\evil.example", "\\\\evil.example", "/console/..//evil.example",
            "/console/../", "/console/%2e%2e//evil.example", "/console/.%2E/", "/console/./..",
            "/console/\t/../..//evil.example", "/console/\n", "/console\\..\\", " /console/", "\u{0}/console/",
            "http:/console/", "https:console/", "/console", "/CONSOLE/", "console/", "/console/\u{202E}", "/console/é",
            "/console/" + String(repeating: "a", count: 5_000), "/v1/status", "@evil.example",
        ] {
            let encoded = PercentEncoding.encode(next)
            let answer = try await host.post("/console/login", "token=\(token)&next=\(encoded)")
            #expect(answer.status == 303 && answer.headers["location"] == "/console/", "\(next)")
            // The page that asks for a token does not repeat it either.
            let failed = try await host.post("/console/login", "token=x&next=\(encoded)")
            #expect(failed.text.contains(#"name="next" value="/console/""#), "\(next)")
        }
        try await host.server.stop()
    }
}
