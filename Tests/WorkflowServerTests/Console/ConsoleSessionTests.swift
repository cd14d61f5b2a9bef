import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowServer
import WorkflowStore

/// Tests how a session begins, for whom it stands, and how it ends.
@Suite(.timeLimit(.minutes(20))) struct ConsoleSessionTests {
    private static let shown = "<h1>Overview</h1>"

    @Test func aCodeBeginsOneSession() async throws {
        let host = try await ConsoleHost()
        let code = try await host.code(host.token("ops", [.view]))
        #expect(code.utf8.count == 64)
        // A look at the address, such as the preview of a link, uses nothing up.
        for _ in 1...2 {
            let asked = try await host.get("/console/?code=\(code)")
            #expect(asked.status == 200 && asked.text.contains("Log in as token:ops"))
            #expect(asked.headers["set-cookie"] == nil)
        }
        let answer = try await host.post("/console/login", "code=\(code)")
        #expect(answer.status == 303 && answer.headers["location"] == "/console/")
        let cookie = try ConsoleHost.cookie(in: answer)
        let page = try await host.get("/console/", cookie)
        #expect(page.status == 200 && page.text.contains(Self.shown) && page.text.contains("token:ops · view"))
        for _ in 1...2 {
            let again = try await host.post("/console/login", "code=\(code)")
            #expect(again.status == 401 && again.headers["set-cookie"] == nil)
            #expect(again.text.contains("The code was used already"))
            #expect(try await host.get("/console/?code=\(code)").status == 401)
        }
        try await host.server.stop()
    }

    @Test func aCodeEndsAfterAMinuteAndWithItsToken() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.view])
        let (late, inTime, revoked) = try await (host.code(token), host.code(token), host.code(token))
        host.advance(seconds: 59)
        #expect(try await host.post("/console/login", "code=\(inTime)").status == 303)
        host.advance(seconds: 1)
        #expect(try await host.post("/console/login", "code=\(late)").status == 401)
        let other = try await host.code(token)
        _ = try host.book.revoke("ops", by: nil)
        for code in [other, revoked, "", "0", String(repeating: "0", count: 64)] {
            #expect(try await host.post("/console/login", "code=\(code)").status == 401)
        }
        try await host.server.stop()
    }

    @Test func theCookieIsForTheConsoleAlone() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.admin])
        let answer = try await host.post("/console/login", "token=\(token)")
        let uuid = host.server.engine.storeID.text
        let text = try #require(answer.headers["set-cookie"])
        let parts = text.split(separator: "; ").map(String.init)
        #expect(parts.first?.wholeMatch(of: /wfd-(.*)=[0-9a-f]{64}/)?.1 == uuid[...])
        #expect(Array(parts.dropFirst()) == ["Path=/console/", "HttpOnly", "SameSite=Strict"])
        // The page came over TLS, to a proxy.
        let proxied = try await host.post(
            "/console/login", "token=\(token)", headers: [("Origin", "https://\(host.authority)")])
        let secure = try #require(proxied.headers["set-cookie"])
        #expect(secure.hasPrefix("__Secure-wfd-\(uuid)=") && secure.hasSuffix("; Secure"))
        let (cookie, other) = (try ConsoleHost.cookie(in: answer), try ConsoleHost.cookie(in: proxied))
        for cookie in [cookie, other, "a=b; \(cookie); c=d", "wfd-\(uuid)=0; \(cookie)"] {
            #expect(try await host.get("/console/", cookie).status == 200, "\(cookie)")
        }
        for cookie in [cookie.replacing(uuid, with: UUID().uuidString), "x\(cookie)", "wfd-\(uuid)=", cookie + "0"] {
            #expect(try await host.get("/console/", cookie).status == 401, "\(cookie)")
        }
        // The API takes no cookies.
        for path in ["/v1/status", "/v1/instances", "/metrics"] {
            #expect(try await host.get(path, cookie).status == 401)
        }
        try await host.server.stop()
    }

    @Test func aSessionEndsAfterAnHourOfSilenceAndAfterTwelve() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.view])
        let (idle, busy) = try await (host.session(token), host.session(token))
        for minutes in stride(from: 59, through: 12 * 60 - 1, by: 59) {
            host.advance(seconds: 59 * 60)
            #expect(try await host.get("/console/", busy).status == 200, "\(minutes)")
        }
        let ended = try await host.get("/console/", idle)
        #expect(ended.status == 401 && ended.text.contains("The session has ended"))
        host.advance(seconds: 12 * 60)
        #expect(try await host.get("/console/", busy).status == 401)
        try await host.server.stop()
    }

    @Test func aSessionEndsWithItsToken() async throws {
        let host = try await ConsoleHost()
        let revoked = try await host.session(host.token("revoked", [.admin]))
        let rotated = try await host.session(host.token("rotated", [.admin]))
        let expiring = try await host.session(host.token("expiring", [.admin], lasting: 60))
        for cookie in [revoked, rotated, expiring] { #expect(try await host.get("/console/", cookie).status == 200) }
        _ = try host.book.revoke("revoked", by: nil)
        _ = try host.book.rotate("rotated", overlap: nil, by: nil)
        host.advance(seconds: 60)
        for cookie in [revoked, rotated, expiring] { #expect(try await host.get("/console/", cookie).status == 401) }
        try await host.server.stop()
    }

    @Test func aSessionIsGoneAfterARestart() async throws {
        let first = try await ConsoleHost()
        let token = try first.token("ops", [.view])
        let (cookie, code) = try await (first.session(token), first.code(token))
        try await first.server.stop()
        let second = try await ConsoleHost(database: first.server.database)
        #expect(try await second.get("/console/", cookie).status == 401)
        #expect(try await second.post("/console/login", "code=\(code)").status == 401)
        #expect(try await second.get("/console/", second.session(token)).status == 200)
        try await second.server.stop()
    }

    @Test func theOldestSessionOfAHolderGivesWay() async throws {
        var limits = ConsoleSessions.Limits()
        (limits.ofHolder, limits.all) = (2, 3)
        let host = try await ConsoleHost(sessions: limits)
        let (a, b) = (try host.token("a", [.view]), try host.token("b", [.view]))
        var cookies: [String] = []
        for token in [a, b, a, a] {
            cookies.append(try await host.session(token))
            host.advance(seconds: 1)
        }
        for (cookie, status) in zip(cookies, [401, 200, 200, 200]) {
            #expect(try await host.get("/console/", cookie).status == status)
        }
        var codes: [String] = []
        for token in [a, b, a, a] {
            codes.append(try await host.code(token))
            host.advance(seconds: 1)
        }
        for (code, status) in zip(codes, [401, 200, 200, 200]) {
            #expect(try await host.get("/console/?code=\(code)").status == status)
        }
        try await host.server.stop()
    }

    @Test func loggingOutEndsTheSession() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.view])
        let (cookie, other) = try await (host.session(token), host.session(token))
        let value = try ConsoleHost.formValue(in: await host.get("/console/", cookie))
        let answer = try await host.post("/console/logout", "form=\(value)", cookie)
        #expect(answer.status == 303 && answer.headers["set-cookie"]?.contains("Max-Age=0") == true)
        #expect(try await host.get("/console/", cookie).status == 401)
        #expect(try await host.get("/console/", other).status == 200)
        try await host.server.stop()
    }

    @Test func aLoginLeadsToThePageThatWasAsked() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.view])
        let asked = try await host.get("/console/instances?status=failed")
        #expect(asked.status == 401 && asked.headers["www-authenticate"] == "Cookie")
        #expect(asked.text.contains(#"name="next" value="/console/instances?status=failed""#))
        for (next, place) in [
            ("%2Fconsole%2Finstances%3Fstatus%3Dfailed", "/console/instances?status=failed"),
            ("https%3A%2F%2Fevil.example%2Fconsole%2F", "/console/"), ("%2F%2Fevil.example", "/console/"),
            ("%2Fconsole%2F%0D%0ASet-Cookie%3Aa", "/console/"), ("%2Fv1%2Fstatus", "/console/"), ("", "/console/"),
        ] {
            let answer = try await host.post("/console/login", "token=\(token)&next=\(next)")
            #expect(answer.status == 303 && answer.headers["location"] == place, "\(next)")
        }
        try await host.server.stop()
    }
}
