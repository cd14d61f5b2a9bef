import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowJSON
import WorkflowServer

/// Tests which requests the console takes: from its own pages, with its own forms, without tokens of the API.
@Suite(.timeLimit(.minutes(20))) struct ConsoleRequestTests {
    @Test func aFormIsTakenFromItsOwnPageAlone() async throws {
        let host = try await ConsoleHost()
        let token = try host.token("ops", [.admin])
        let (cookie, other) = try await (host.session(token), host.session(token))
        let value = try ConsoleHost.formValue(in: await host.get("/console/", cookie))
        let foreign = try ConsoleHost.formValue(in: await host.get("/console/", other))
        let port = host.authority.split(separator: ":").last ?? ""
        for origins in [
            [], ["null"], ["http://evil.example"], ["http://127.0.0.1"], ["http://127.0.0.1:1"],
            ["http://localhost:\(port)"], ["http://\(host.authority)", "http://\(host.authority)"],
            ["http://\(host.authority).evil.example"], ["ftp://\(host.authority)"], ["http://a@\(host.authority)"],
        ] {
            let headers = origins.map { (name: "Origin", value: $0) }
            for (target, form) in [("/console/logout", "form=\(value)"), ("/console/login", "token=\(token)")] {
                let answer = try await host.post(target, form, cookie, headers: headers)
                #expect(answer.status == 403 && answer.headers["set-cookie"] == nil, "\(origins) \(target)")
            }
        }
        for site in ["cross-site", "same-site"] {
            let headers = [host.origin, ("Sec-Fetch-Site", site)]
            #expect(try await host.post("/console/logout", "form=\(value)", cookie, headers: headers).status == 403)
        }
        for form in ["", "form=", "form=\(foreign)", "form=\(value)0", "form=\(String(repeating: "0", count: 64))"] {
            #expect(try await host.post("/console/logout", form, cookie).status == 403, "\(form)")
        }
        for form in ["form=\(value)&form=\(value)", "form=%FF"] {
            #expect(try await host.post("/console/logout", form, cookie).status == 400, "\(form)")
        }
        #expect(try await host.post("/console/logout", "form=\(value)").status == 401)
        #expect(try await host.get("/console/", cookie).status == 200)
        #expect(try await host.post("/console/logout", "form=\(value)", cookie).status == 303)
        try await host.server.stop()
    }

    @Test func aFormHasItsMethodItsTypeAndASize() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("ops", [.admin]))
        #expect(try await host.get("/console/logout", cookie).status == 405)
        for target in ["/console/", "/console/instances", "/console/instances/a", "/console/assets/x"] {
            let answer = try await host.post(target, "a=b", cookie)
            #expect(answer.status == 405 && answer.headers["allow"] == "GET, HEAD", "\(target)")
        }
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"] {
            var request = RawRequest(method, "/console/", headers: [("Cookie", cookie)])
            request.hosts = [host.authority]
            #expect(try await host.server.answer(to: request).status == 405, "\(method)")
        }
        var json = RawRequest.post("/console/logout", "{}", headers: [host.origin, ("Cookie", cookie)])
        json.hosts = [host.authority]
        #expect(try await host.server.answer(to: json).status == 415)
        let long = "token=" + String(repeating: "a", count: 20_000)
        #expect(try await host.post("/console/login", long).status == 413)
        try await host.server.stop()
    }

    @Test func theConsoleTakesNoBearerToken() async throws {
        let host = try await ConsoleHost()
        let (admin, proxy) = (try host.token("admin", [.admin]), try host.token("proxy", [.view], speaksFor: true))
        let cookie = try await host.session(admin)
        let words = "The console takes a header with a token from a proxy alone"
        for headers in [
            [("Authorization", "Bearer \(admin)")], [("Authorization", "Bearer \(proxy)")],
            [("Authorization", "Bearer \(admin)"), ("Wfd-On-Behalf-Of", "ada")], [("Wfd-On-Behalf-Of", "ada")],
            [("Authorization", "Bearer x"), ("Wfd-On-Behalf-Of", "ada")],
            [("Authorization", "Bearer \(proxy)"), ("Wfd-On-Behalf-Of", "ada(x)")],
            [("Authorization", "Bearer \(proxy)"), ("Wfd-On-Behalf-Of", "a"), ("Wfd-On-Behalf-Of", "b")],
        ] {
            for cookie in [nil, cookie] {
                let answer = try await host.get("/console/", cookie, headers)
                #expect(answer.status == 401 && answer.text.contains(words), "\(headers)")
            }
        }
        try await host.server.stop()
    }

    @Test func behindAProxyThePersonIsKnown() async throws {
        let host = try await ConsoleHost()
        let proxy = try host.token("proxy", [.view], speaksFor: true)
        func headers(_ person: String) -> [(name: String, value: String)] {
            [("Authorization", "Bearer \(proxy)"), ("Wfd-On-Behalf-Of", person)]
        }
        let page = try await host.get("/console/", nil, headers("ada").map { ($0.name, $0.value) })
        #expect(page.status == 200 && page.text.contains("token:proxy(ada) · view"))
        #expect(page.headers["set-cookie"] == nil && !page.text.contains("Log out"))
        // A form has the same two checks.
        let form = "form=0"
        #expect(try await host.post("/console/logout", form, headers: headers("ada")).status == 403)
        #expect(try await host.post("/console/logout", form, headers: headers("ada") + [host.origin]).status == 403)
        // A code that the proxy made is the person's.
        let cookie = try ConsoleHost.cookie(
            in: await host.post("/console/login", "code=\(host.code(proxy, for: "grace"))"))
        #expect(try await host.get("/console/", cookie).text.contains("token:proxy(grace)"))
        _ = try host.book.revoke("proxy", by: nil)
        let refused = try await host.get("/console/", nil, headers("ada").map { ($0.name, $0.value) })
        #expect(refused.status == 401)
        try await host.server.stop()
    }

    @Test func aLinkOfAnotherSiteLeadsToAPageWithoutContent() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("ops", [.view]))
        let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
        let answer = try await host.get("/console/instances?status=failed", cookie, link)
        #expect(answer.status == 200 && answer.text.contains(#"<a href="/console/instances?status=failed">"#))
        #expect(!answer.text.contains("token:ops"))
        for dest in ["iframe", "image", "empty", "script"] {
            let headers = [link[0], link[1], ("Sec-Fetch-Dest", dest)]
            #expect(try await host.get("/console/", cookie, headers).status == 403, "\(dest)")
        }
        for headers in [[("Origin", "http://evil.example")], [("Sec-Fetch-Site", "cross-site")]] {
            #expect(try await host.get("/console/", cookie, headers).status == 403)
        }
        try await host.server.stop()
    }

    @Test func everyAnswerHasItsHeaders() async throws {
        let host = try await ConsoleHost()
        let cookie = try await host.session(host.token("ops", [.view]))
        let page = try await host.get("/console/", cookie)
        let name = try #require(page.text.firstMatch(of: /\/console\/assets\/console-[0-9a-f]+\.css/)).output
        let script = try #require(page.text.firstMatch(of: /\/console\/assets\/console-[0-9a-f]+\.mjs/)).output
        let icon = try #require(page.text.firstMatch(of: /\/console\/assets\/icon-[0-9a-f]+\.svg/)).output
        for (target, status) in [
            ("/console", 308), ("/console/", 200), ("/console/machines", 200), ("/console/instances/none", 404),
            ("/console/nowhere", 404), ("/console/%FF", 404), ("/console/instances?status=x", 400),
            (String(name), 200), (String(icon), 200), (String(script), 200), ("/console/assets/other.css", 404),
        ] {
            for cookie in [cookie, nil] {
                let answer = try await host.get(target, cookie)
                if cookie != nil { #expect(answer.status == status, "\(target)") }
                let policy = answer.headers["content-security-policy"] ?? ""
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; ") && !policy.contains("unsafe"))
                #expect(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"))
                #expect(answer.headers["referrer-policy"] == "same-origin")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                let isKept = [name, icon, script].contains(target[...])
                let keeps = isKept ? "public, max-age=31536000, immutable" : "no-store"
                #expect(answer.headers["cache-control"] == keeps, "\(target)")
            }
        }
        for names in [["evil.example"], ["evil.example:7433"], []] {
            var request = RawRequest("GET", "/console/", headers: [("Cookie", cookie)])
            request.hosts = names
            #expect(try await host.server.answer(to: request).status == 421, "\(names)")
        }
        try await host.server.stop()
    }

    @Test func aSocketServesNoPages() async throws {
        let host = try await ServerHost()
        let answer = try await host.answer(to: .get("/console/"))
        #expect(answer.status == 404 && answer.text.contains("&#39;wfctl console&#39; says where it is"))
        let code = try await host.answer(to: RawRequest("POST", "/v1/sessions"))
        #expect(try code.status == 201 && code.object["url"] == nil && code.object["actor"] != nil)
        try await host.stop()
    }
}
