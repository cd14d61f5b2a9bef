import DaemonTesting
import Foundation
import Testing
import WorkflowClient
import WorkflowJSON

/// Tests that a web page in a browser on the daemon's machine can do nothing with a daemon on TCP.
@Suite(.ownThreads) struct WebPageTests {
    /// The routes with their methods.
    private static let routes: [(method: String, target: String)] = [
        ("POST", "/v1/machines"), ("GET", "/v1/machines"), ("GET", "/v1/machines/order"),
        ("GET", "/v1/machines/order/versions/1"), ("POST", "/v1/machines/order/replay"), ("POST", "/v1/instances"),
        ("GET", "/v1/instances"), ("GET", "/v1/instances/a"), ("POST", "/v1/instances/a/events"),
        ("POST", "/v1/instances/a/events?dryRun=true"), ("POST", "/v1/instances/%61/events"),
        ("GET", "/v1/instances/a/events"), ("POST", "/v1/instances/a/retry"), ("POST", "/v1/events"),
        ("GET", "/v1/timers"), ("GET", "/v1/instances/a/timers"), ("GET", "/v1/clock"), ("POST", "/v1/clock"),
        ("GET", "/v1/instances/a/replay"), ("POST", "/v1/instances/a/replay"), ("POST", "/v1/instances/a/verify"),
        ("POST", "/v1/verify"), ("POST", "/v1/backups"), ("GET", "/v1/backups/x"), ("GET", "/v1/instances/a/history"),
        ("GET", "/livez"), ("GET", "/readyz"), ("DELETE", "/v1/instances/a"), ("GET", "/nowhere"),
        ("PROPFIND", "/livez"),
    ]

    private static let rest =
        "; this address answers for 127.0.0.1, localhost, wfd.example, and for what "
        + "'wfd --allow-host NAME' adds"

    private let folder: TemporaryFolder
    private let daemon: Daemon
    /// The header with a token that may do everything.
    private let token: (name: String, value: String)

    init() async throws {
        folder = try TemporaryFolder()
        let listen = ["127.0.0.1:0", "unix:" + folder.path("wfd.sock")]
        daemon = try await Daemon(
            arguments: Daemon.arguments(database: folder.path("wfd.db"), listen: listen)
                + ["--allow-host", "wfd.example", "--anonymous", "view"],
            database: folder.path("wfd.db"), addresses: 2)
        _ = try await daemon.said("apply", folder.write(BadRequestMachines.order, to: "order.yaml"))
        _ = try await daemon.said("start", "order", "a")
        token = try await daemon.token("page", "admin")
    }

    private func connection(toSocket: Bool = false) throws -> RawConnection {
        let isSocket = { (address: Address) in if case .unix = address { true } else { false } }
        return try RawConnection(to: try #require(daemon.addresses.first { isSocket($0) == toSocket }))
    }

    private func request(_ method: String, _ target: String, host: String = "localhost") -> RawRequest {
        var request = RawRequest(method, target)
        if method == "POST" {
            let type = target == "/v1/events" ? "application/x-ndjson" : "application/json"
            request = .post(target, #"{"event": "submit"}"#, as: type)
        }
        request.hosts = [host]
        request.headers.append(token)
        return request
    }

    @Test(.timeLimit(.minutes(20))) func aForeignHostIsRefusedOnEveryRoute() async throws {
        let before = try DatabaseFile(daemon.database).dump()
        for (method, target) in Self.routes {
            let connection = try connection()
            let answer = try connection.answer(to: request(method, target, host: "evil.example"))
            #expect(answer.status == 421, "\(method) \(target)")
            #expect(answer.headers["x-content-type-options"] == "nosniff", "\(method) \(target)")
            let detail = "The request is for host 'evil.example'" + Self.rest
            #expect(
                try answer.object == [
                    "type": "wrong-host", "title": "Host is not served here", "status": 421, "detail": .string(detail),
                ], "\(method) \(target)")
            // The connection goes on, and the next request is looked at by itself.
            #expect(try connection.answer(to: request("GET", "/livez")).status == 200)
        }
        #expect(try DatabaseFile(daemon.database).dump() == before)
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
        ])
    func anotherSiteIsRefusedOnEveryRoute(name: String, value: String) async throws {
        let before = try DatabaseFile(daemon.database).dump()
        for (method, target) in Self.routes {
            for isSocket in [false, true] {
                var request = request(method, target)
                request.headers.append((name, value))
                let answer = try connection(toSocket: isSocket).answer(to: request)
                #expect(answer.status == 403, "\(method) \(target)")
                #expect(try answer.object["type"] == "cross-site", "\(method) \(target)")
                #expect((answer.headers["x-content-type-options"] == "nosniff") != isSocket, "\(method) \(target)")
            }
        }
        #expect(try DatabaseFile(daemon.database).dump() == before)
    }

    /// A page may send these headers without a preflight
    /// (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
    @Test(.timeLimit(.minutes(20))) func whatNeedsNoPreflightStartsNeitherBackupNorVerification() async throws {
        for target in ["/v1/backups", "/v1/verify", "/v1/release"] {
            for isSocket in [false, true] {
                let simple = RawRequest(
                    "POST", target,
                    headers: [
                        ("Content-Type", "text/plain"), ("Content-Length", "0"), ("Origin", "https://evil.example"),
                    ])
                #expect(try connection(toSocket: isSocket).answer(to: simple).status == 403)
            }
        }
        #expect(try folder.names().allSatisfy { !$0.contains("backup") })
    }

    @Test(.timeLimit(.minutes(20))) func nobodyIsToldToSendABodyThatIsRefused() async throws {
        var head = RawRequest(
            "POST", "/v1/instances/a/events",
            headers: [("Content-Type", "application/json"), ("Content-Length", "19"), ("Expect", "100-continue")])
        head.hosts = ["evil.example"]
        #expect(try connection().answer(to: head).status == 421)
    }

    @Test(.timeLimit(.minutes(20))) func aRequestHasExactlyOneHost() async throws {
        for hosts in [[], ["localhost", "evil.example"], ["localhost", "localhost"]] {
            var request = request("POST", "/v1/instances/a/events")
            request.hosts = hosts
            let cause = hosts.isEmpty ? "The request has no Host" : "The request has more than one Host"
            #expect(try connection().answer(to: request).object["detail"] == .string(cause + Self.rest))
        }
    }

    @Test(.timeLimit(.minutes(20))) func theHostsThatAreServedAreLetInOnEveryRoute() async throws {
        for host in ["127.0.0.1", "localhost:443", "wfd.example:8443"] {
            for (method, target) in Self.routes {
                let answer = try connection().answer(to: request(method, target, host: host))
                // 501 of a method that HTTP knows and the daemon does not.
                let isLetIn = answer.status == 501 || answer.status < 500 && ![403, 421].contains(answer.status)
                #expect(isLetIn, "\(method) \(target) for \(host): \(answer.status)")
                #expect(answer.headers["x-content-type-options"] == "nosniff", "\(method) \(target)")
            }
        }
        #expect(try await daemon.json("show", "a")["seq"] == 2)
    }

    @Test(.timeLimit(.minutes(20))) func aSocketTakesNoForeignHost() async throws {
        let before = try DatabaseFile(daemon.database).dump()
        for (method, target) in Self.routes {
            let answer = try connection(toSocket: true).answer(to: request(method, target, host: "evil.example:8080"))
            #expect(answer.status == 421, "\(method) \(target)")
            #expect(try answer.object["type"] == "wrong-host", "\(method) \(target)")
            #expect(answer.headers["x-content-type-options"] == nil, "\(method) \(target)")
        }
        #expect(try DatabaseFile(daemon.database).dump() == before)
        for host in [[], [""], ["localhost:8080"], ["wfd"], ["wfd.example"]] {
            var request = request("GET", "/v1/instances/a")
            request.hosts = host
            #expect(try connection(toSocket: true).answer(to: request).status == 200, "\(host)")
        }
    }

    @Test(.timeLimit(.minutes(20))) func aPageThroughAForwardedSocketIsRefused() async throws {
        // For events, the first target is refused by a handler in front of the router, and the second by the router.
        for target in ["/v1/instances/a/events", "/v1/instances/a/events?dryRun=true", "/v1/instances/a", "/v1/stream"]
        {
            let method = target.contains("/events") ? "POST" : "GET"
            for origin in ["http://localhost:8080", "http://evil.example", "null"] {
                var request = request(method, target, host: "localhost:8080")
                request.headers.append(("Origin", origin))
                let answer = try connection(toSocket: true).answer(to: request)
                #expect(answer.status == 403, "\(method) \(target) of \(origin)")
            }
        }
        #expect(try await daemon.json("show", "a")["seq"] == 1)
    }

    @Test(.timeLimit(.minutes(20))) func whoIsNoPageIsLetInOnTheSocket() async throws {
        for site in ["none", "same-origin"] {
            var request = request("GET", "/v1/instances/a")
            request.headers.append(("Sec-Fetch-Site", site))
            #expect(try connection(toSocket: true).answer(to: request).status == 200)
        }
        // curl names what its URL names.
        #expect(try connection(toSocket: true).answer(to: request("POST", "/v1/release", host: "wfd")).status == 200)
        let socket = try #require(daemon.addresses.first { if case .unix = $0 { true } else { false } })
        let sent = try await wfctl(["send", "a", "submit"], environment: ["WFCTL_ADDRESS": "\(socket)"])
        #expect(sent.end == .exited(0), "\(sent.errors)")
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["http://wfd.example", "wfd.example:80", "", "two names", "[::x]"])
    func aNameThatIsNoHostIsRefusedAtStart(name: String) async throws {
        let result = try await Daemon.launch(["--database", folder.path("b.db"), "--allow-host", name]).result()
        #expect(result.end == .exited(64))
        let reason = "'\(name)' is no host; write a name or an address without a port"
        let line = "error: The value '\(name)' is invalid for '--allow-host <name>': \(reason)"
        #expect(result.errors.hasPrefix(line + "\n"), "\(result.errors)")
    }

    @Test(.timeLimit(.minutes(20))) func whoComesUnderAnotherNameIsToldWhatToDo() async throws {
        guard case .tcp(_, let port)? = daemon.addresses.first(where: { "\($0)".hasPrefix("http") }) else {
            throw TestingError("no port")
        }
        // 127.0.0.2 would be another host; of the names for this one, the machine's own resolver knows one.
        let listed = try await wfctl(["list", "--address", "http://LOCALHOST:\(port)"])
        #expect(listed.end == .exited(0))
    }
}
