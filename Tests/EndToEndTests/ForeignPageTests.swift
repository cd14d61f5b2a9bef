import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowClient

/// Tests a page of another site that has got hold of a valid token, on every kind of address: wfd does nothing for it.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct ForeignPageTests {
    enum Kind: String, CaseIterable, Sendable {
        case tcp, tls, socket
    }

    private static let routes = [
        "POST /v1/instances/a/events", "POST /v1/instances/a/events?dryRun=true", "GET /v1/instances/a",
        "GET /v1/stream", "POST /v1/tokens", "POST /v1/bulk", "DELETE /v1/instances/a?reason=r", "GET /metrics",
        "GET /livez", "GET /nowhere",
    ]

    /// The parts that a browser sends for a page: the host, further fields, and the status of the refusal.
    private static let pages: [(host: String, fields: [(name: String, value: String)], status: Int)] = [
        // A name of the attacker that resolves to wfd (DNS rebinding); its pages are of the same origin then.
        ("evil.example", [("Sec-Fetch-Site", "same-origin")], 421),
        ("evil.example:7433", [("Origin", "http://evil.example:7433"), ("Sec-Fetch-Site", "same-origin")], 421),
        ("evil.example", [("Origin", "https://evil.example")], 421), ("localhost.evil.example", [], 421),
        ("localhost", [("Origin", "https://evil.example")], 403),
        ("localhost", [("Origin", "https://localhost.evil.example")], 403), ("localhost", [("Origin", "null")], 403),
        ("localhost", [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")], 403),
        ("localhost", [("Origin", "http://localhost"), ("Origin", "https://evil.example")], 403),
        ("localhost", [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")], 403),
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func daemon(_ kind: Kind) async throws -> (daemon: Daemon, address: Address) {
        var arguments = Daemon.arguments(
            database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
        if kind == .tls {
            let pair = try await TestAuthority(in: folder).pair("a")
            arguments += ["--tls-certificate", pair.certificate, "--tls-key", pair.key]
        }
        let daemon = try await Daemon(arguments: arguments, database: folder.path("wfd.db"), addresses: 2)
        _ = try await daemon.said("apply", folder.write(BadRequestMachines.order, to: "order.yaml"))
        _ = try await daemon.said("start", "order", "a")
        return (daemon, kind == .socket ? daemon.address : daemon.web)
    }

    private static func request(_ route: String) -> RawRequest {
        let words = route.split(separator: " ").map(String.init)
        guard words[0] == "POST" else { return RawRequest(words[0], words[1]) }
        return .post(words[1], #"{"event": "submit"}"#)
    }

    @Test(arguments: Kind.allCases) func aForeignPageIsRefusedWithATokenAndWithout(kind: Kind) async throws {
        let (daemon, address) = try await daemon(kind)
        let token = try await daemon.token("page", "admin")
        let before = try DatabaseFile(daemon.database).dump()
        try await onOwnThread {
            let connection = try RawConnection(to: address)
            for route in Self.routes {
                for page in Self.pages {
                    for credentials in [[], [token]] {
                        var request = Self.request(route)
                        request.hosts = [page.host]
                        request.headers += page.fields + credentials
                        let answer = try connection.answer(to: request)
                        #expect(answer.status == page.status, "\(route) \(page) \(credentials.count): \(answer.text)")
                        #expect(answer.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
                    }
                }
            }
            // The same token is good for whoever is no page.
            var request = RawRequest.get("/v1/instances/a")
            request.headers = [token]
            #expect(try connection.answer(to: request).status == 200)
        }
        #expect(try DatabaseFile(daemon.database).dump() == before)
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// A browser asks first, without credentials, whether it may send what the page wants to send.
    @Test(arguments: Kind.allCases) func noPreflightAllowsAnything(kind: Kind) async throws {
        let (daemon, address) = try await daemon(kind)
        let token = try await daemon.token("page", "admin")
        try await onOwnThread {
            let connection = try RawConnection(to: address)
            for target in ["/v1/instances/a/events", "/v1/stream", "/livez", "*", "/nowhere"] {
                for (host, origin, status) in [
                    ("localhost", "https://evil.example", 403), ("evil.example", "https://evil.example", 421),
                    ("localhost", "null", 403),
                ] {
                    for credentials in [[], [token]] {
                        var request = RawRequest("OPTIONS", target, headers: credentials)
                        request.hosts = [host]
                        request.headers += [
                            ("Origin", origin), ("Access-Control-Request-Method", "POST"),
                            ("Access-Control-Request-Headers", "authorization,content-type"),
                            ("Access-Control-Request-Private-Network", "true"),
                        ]
                        let answer = try connection.answer(to: request)
                        #expect(answer.status == status, "\(target) \(origin): \(answer.text)")
                        #expect(answer.headers.keys.allSatisfy { !$0.hasPrefix("access-control") })
                    }
                }
            }
        }
        #expect(try await daemon.stop().end == .exited(0))
    }
}
