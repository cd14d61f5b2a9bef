import DaemonTesting
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowAccess

/// Tests methods, paths and headers of everything below `/console/`.
@Suite(.timeLimit(.minutes(20))) struct ConsoleRouteTests {
    private static let pages = [
        "/console/", "/console/machines", "/console/machines/m", "/console/machines/none", "/console/instances",
        "/console/instances/x", "/console/instances/none", "/console/effects", "/console/queues", "/console/runs",
        "/console/runs/none", "/console/activity", "/console/nowhere", "/console/login", "/console/?code=0",
    ]

    private static let methods = ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "QUERY"]

    /// A host with one instance, and the cookie of somebody who may do everything.
    private static func filled() async throws -> (host: ConsoleHost, cookie: String) {
        let host = try await ConsoleHost()
        let admin = try host.token("admin", [.admin])
        let bearer = [(name: "Authorization", value: "Bearer \(admin)")]
        let definition = #"{"id": "m", "initial": "a", "states": {"a": {"on": {"go": "b"}}, "b": {}}}"#
        for (target, body) in [
            ("/v1/machines", definition), ("/v1/instances", #"{"machine": "m", "instance": "x"}"#),
        ] {
            let answer = try await host.server.answer(to: .post(target, body, headers: bearer))
            #expect(answer.status == 201, "\(answer.text)")
        }
        return (host, try await host.session(admin))
    }

    private static func assets(_ page: RawAnswer) -> [String] {
        page.text.matches(of: /\/console\/assets\/[a-z]+-[0-9a-f]+\.[a-z]+/).map { String($0.output) }
    }

    /// Returns what is missing of the headers that keep a page to itself.
    private static func missing(in answer: RawAnswer) -> [String] {
        let wanted = [
            ("content-security-policy", "default-src 'none'; "), ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"), ("cache-control", "no-store"),
        ]
        return wanted.filter { name, value in answer.headers[name]?.hasPrefix(value) != true }.map(\.0)
    }

    @Test func eachPageTakesItsMethodsAlone() async throws {
        let (host, cookie) = try await Self.filled()
        let assets = try await Self.assets(host.get("/console/", cookie))
        #expect(assets.count >= 2)
        for target in Self.pages + assets + ["/console/logout"] {
            for method in Self.methods + ["POST"] {
                if method == "POST", target.hasSuffix("/login") || target.hasSuffix("/logout") { continue }
                var request = RawRequest(method, target, headers: [host.origin, ("Cookie", cookie)])
                request.hosts = [host.authority]
                let answer = try await host.server.answer(to: request)
                #expect([400, 405].contains(answer.status), "\(method) \(target) \(answer.status)")
                if answer.status == 405 {
                    #expect(answer.headers["allow"]?.isEmpty == false, "\(method) \(target)")
                    #expect(Self.missing(in: answer) == [], "\(method) \(target)")
                }
                #expect(!answer.text.contains("Instances by machine"), "\(method) \(target)")
            }
        }
        #expect(try await host.get("/console/", cookie).status == 200)
        try await host.server.stop()
    }

    @Test func theHeadOfAPageIsThatOfThePage() async throws {
        let (host, cookie) = try await Self.filled()
        for target in try await Self.pages + Self.assets(host.get("/console/", cookie)) + ["/console"] {
            let page = try await host.get(target, cookie)
            var request = RawRequest("HEAD", target, headers: [("Cookie", cookie), ("Connection", "close")])
            request.hosts = [host.authority]
            let text = try await onOwnThread { [bytes = request.bytes, address = host.server.address] in
                let connection = try RawConnection(to: address)
                try connection.write(bytes)
                return try connection.readToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.1 \(page.status) ") && text.hasSuffix("\r\n\r\n"), "\(target) \(text)")
            for (name, value) in page.headers where !["date", "content-length"].contains(name) {
                #expect(text.lowercased().contains("\r\n\(name): \(value.lowercased())\r\n"), "\(target) \(name)")
            }
        }
        try await host.server.stop()
    }

    @Test func noPathLeavesTheConsole() async throws {
        let (host, cookie) = try await Self.filled()
        for target in [
            "/console/../v1/status", "/console/..%2fv1%2fstatus", "/console/%2e%2e/v1/status",
            "/console/%2E./v1/status", "/console/..;/v1/status", "/console/./../v1/status", "/console/assets/../x",
            "/console/assets/..%2f..%2fx", "/console/assets/%2e%2e/machines", "/console/assets/", "/console/assets",
            "/console/assets/a/b", "//console/", "/console//", "/console//machines", "/console/machines//",
            "//console//v1/status", "/console/instances/x/y", "/console/machines/m/m", "/console/login/x",
            "/console/logout/x", "/console/%00", "/console/%2f", "/console/%", "/console/%zz",
            "/console/%C0%AE%C0%AE/v1", "/console/%ff", "/console/\\..\\v1", "/console;/", "/console/;a=b",
            "/CONSOLE/", "/Console/", "/console%2f", "/consolex", "/console.", "/console/.", "/console/..",
            "/console/...", "/console/v1/status", "/v1/../console/", "/v1/console/", "/console/console/",
            "/metrics/../console/", "/console/instances/..", "/console/machines/%2e%2e",
        ] {
            let answer = try await host.get(target, cookie)
            // A path that the API answers finds no session there.
            #expect([400, 401, 404].contains(answer.status), "\(target) \(answer.status)")
            #expect(!answer.text.contains("\"instances\"") && !answer.text.contains("<h1>Overview"), "\(target)")
        }
        try await host.server.stop()
    }

    @Test func aWholeURLIsAPathOfItsHostAlone() async throws {
        let (host, cookie) = try await Self.filled()
        for (target, status) in [
            ("http://\(host.authority)/console/", [200]), ("http://evil.example/console/", [400, 404, 421]),
            ("http://\(host.authority)//console/", [400, 404]), ("console/", [400, 404]),
            // The API finds no token.
            ("*", [400, 401, 404]), ("?", [400, 401, 404]),
            ("http://evil.example\u{2F}..//console/", [400, 404, 421]),
            ("javascript:alert(1)//console/", [400, 404, 421]),
        ] {
            let answer = try await host.get(target, cookie)
            #expect(status.contains(answer.status), "\(target) \(answer.status)")
            #expect(!answer.text.contains("evil.example\"") && !answer.text.contains("href=\"javascript"), "\(target)")
        }
        try await host.server.stop()
    }

    @Test func everyRefusalHasTheHeadersOfAPage() async throws {
        let (host, cookie) = try await Self.filled()
        let value = try await ConsoleHost.formValue(in: host.get("/console/", cookie))
        let evil = [(name: "Origin", value: "http://evil.example")]
        let answers = [
            (403, try await host.post("/console/logout", "form=\(value)", cookie, headers: evil)),
            (403, try await host.post("/console/logout", "form=0", cookie)),
            (400, try await host.post("/console/logout", "form=%FF", cookie)),
            (401, try await host.post("/console/logout", "form=\(value)")),
            (401, try await host.post("/console/login", "token=x")),
            (401, try await host.post("/console/login", "code=x")),
            (413, try await host.post("/console/login", String(repeating: "a", count: 20_000))),
            (403, try await host.get("/console/", cookie, [("Sec-Fetch-Site", "cross-site")])),
            (401, try await host.get("/console/", nil, [("Authorization", "Bearer x")])),
            (303, try await host.post("/console/logout", "form=\(value)", cookie)),
        ]
        for (status, answer) in answers {
            #expect(answer.status == status, "\(answer.text)")
            #expect(Self.missing(in: answer) == [], "\(status) \(answer.headers)")
        }
        for (status, answer) in answers where status != 303 {
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8", "\(status)")
            #expect(answer.headers["location"] == nil)
        }
        try await host.server.stop()
    }
}
