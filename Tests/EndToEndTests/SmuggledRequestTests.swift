import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowClient
import WorkflowJSON

/// Tests requests whose end a proxy before wfd may see elsewhere: none brings a second one along.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct SmuggledRequestTests {
    private let folder: TemporaryFolder
    private let daemon: Daemon
    private let shop: String
    private let viewer: String

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder, listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
        _ = try await daemon.said(
            "apply", folder.write("{id: m, initial: a, states: {a: {on: {go: {}}}}}", to: "m.yaml"))
        for name in ["x", "hidden"] { _ = try await daemon.said("start", "m", name) }
        shop = try await daemon.secret("shop", "send")
        viewer = try await daemon.secret("viewer", "view")
    }

    private static let event = #"{"event": "go"}"#
    /// The body in chunks.
    private static let chunks = "f\r\n\(event)\r\n0\r\n\r\n"

    /// Returns the text of a request with a token, and with other lines that say where it ends.
    private func request(
        _ fields: String, _ body: String, to start: String = "POST /v1/instances/x/events", by token: String? = nil
    ) -> String {
        "\(start) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token ?? shop)\r\n"
            + "Content-Type: application/json\r\n\(fields)\r\n\r\n\(body)"
    }

    /// A request that is carried out if wfd takes it for one.
    private var hidden: String {
        request(
            "Content-Length: \(Self.event.utf8.count)", Self.event, to: "POST /v1/instances/hidden/events")
    }

    /// Sends a text on a connection of its own, and returns the statuses of all answers until the connection ends.
    ///
    /// - Parameter ends: True if the caller sends nothing more; otherwise wfd has to end the connection.
    private func statuses(
        of text: String, ends: Bool = true
    ) async throws -> (statuses: [String], text: String) {
        try await onOwnThread { [address = daemon.web] in
            let connection = try RawConnection(to: address)
            try connection.write(Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }))
            if ends { connection.endWriting() }
            let answers = try connection.readToEnd()
            return (answers.matches(of: #/HTTP/1\.[01] (\d+) /#).map { String($0.1) }, answers)
        }
    }

    private func seq(_ instance: String) async throws -> JSONValue { try await daemon.json("show", instance)["seq"] }

    /// Lines that say where a request ends, each with a body, in a way that two readers may understand differently.
    private static let ambiguous: [(fields: String, body: String)] = [
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"),
        ("Content-Length: 15\r\nContent-Length: 0", event), ("Content-Length: 15\r\nContent-Length: 15", event),
        ("Content-Length: 15, 15", event), ("Content-Length: +15", event), ("Content-Length: -15", event),
        ("Content-Length: ", event), ("Content-Length: 1 5", event), ("Content-Length: 0xF", event),
        ("Content-Length: 15;", event), ("Content-Length: 18446744073709551631", event),
        ("Content-Length: 9223372036854775823", event), ("Content-Length : 15", event),
        ("Content-Length\t: 15", event), ("Content-Length\r\nContent-Length: 15", event),
        ("Content-Length:\r\n 15", event), ("X: a\r\n b\r\nContent-Length: 15", event), (" Content-Length: 15", event),
        ("X: a\nContent-Length: 15", event), ("X: a\rContent-Length: 0\r\nContent-Length: 15", event),
        ("X: a\0b\r\nContent-Length: 15", event), ("X\0Content-Length: 15", event),
        ("Transfer-Encoding : chunked\r\nContent-Length: 15", event), ("Transfer-Encoding:\r\n chunked", chunks),
        ("Transfer-Encoding: xchunked", chunks), ("Transfer-Encoding: \"chunked\"", chunks),
        ("Transfer-Encoding: \u{B}chunked", chunks), ("Transfer-Encoding: chunked, gzip", chunks),
        ("Transfer-Encoding: gzip, chunked", chunks), ("Transfer-Encoding: chunked, chunked", chunks),
        ("Transfer-Encoding: identity", chunks), ("Transfer-Encoding: identity\r\nContent-Length: 15", event),
        ("Transfer-Encoding: \r\nContent-Length: 15", event),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", chunks),
        ("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", chunks),
    ]

    /// Bodies in chunks that two readers may understand differently.
    private static let badChunks = [
        "g\r\n\(event)\r\n0\r\n\r\n", "-f\r\n\(event)\r\n0\r\n\r\n", "+f\r\n\(event)\r\n0\r\n\r\n",
        "0xf\r\n\(event)\r\n0\r\n\r\n", "f \r\n\(event)\r\n0\r\n\r\n", " f\r\n\(event)\r\n0\r\n\r\n",
        "\r\n\(event)\r\n0\r\n\r\n", "1000000000000000f\r\n\(event)\r\n0\r\n\r\n", "f\n\(event)\n0\n\n",
        "f;a\n\(event)\r\n0\r\n\r\n", "f\r\n\(event)0\r\n\r\n", "f\r\n\(event)xx0\r\n\r\n",
        "e\r\n\(event)\r\n0\r\n\r\n", "f\r\n\(event)\r\n0\r\nContent-Length: 400\r\n\r\n",
        "f\r\n\(event)\r\n0\r\nTransfer-Encoding : chunked\r\n\r\n",
    ]

    @Test func nothingBehindAnUncertainEndIsCarriedOut() async throws {
        let cases = Self.ambiguous + Self.badChunks.map { ("Transfer-Encoding: chunked", $0) }
        for (fields, body) in cases {
            let (statuses, answer) = try await statuses(of: request(fields, body) + hidden, ends: false)
            // One answer, and the connection ends with it.
            #expect([["400"], ["413"], ["501"]].contains(statuses), "\(fields) \(body): \(answer)")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(fields) \(body): \(answer)")
        }
        #expect(try await seq("hidden") == 1)
        #expect(try await seq("x") == 1)
        try await expectWhole()
    }

    /// Their ends are certain, so what follows is a request of its own, which needs credentials of its own.
    @Test(arguments: [
        ("Content-Length: 0015", event), ("Transfer-Encoding: cHuNkEd", chunks), ("tRANSFER-eNCODING:chunked", chunks),
        ("Transfer-Encoding: chunked", "F;a=b;c=\"d\"\r\n\(event)\r\n00\r\n\r\n"),
        ("Transfer-Encoding: chunked", "000f\r\n\(event)\r\n0\r\nX: y\r\n\r\n"),
    ])
    func anOddEndThatIsCertainEndsTheRequest(fields: String, body: String) async throws {
        let next = hidden.replacing("Authorization: Bearer \(shop)\r\n", with: "")
        let (statuses, answer) = try await statuses(of: request(fields, body) + next + request("Content-Length: 0", ""))
        #expect(statuses == ["200", "401", "400"], "\(answer)")
        #expect(try await seq("x") == 2)
        #expect(try await seq("hidden") == 1)
        try await expectWhole()
    }

    /// A request in the body of another one, whoever sends it and whether it is answered or refused.
    @Test func aRequestInABodyIsNone() async throws {
        let length = "Content-Length: \(hidden.utf8.count)"
        let chunked = "\(String(hidden.utf8.count, radix: 16))\r\n\(hidden)\r\n0\r\n\r\n"
        let targets = [
            "GET /livez", "HEAD /livez", "GET /v1/instances/x", "HEAD /v1/instances/x", "POST /nowhere", "GET /metrics",
            "DELETE /v1/instances/x?reason=r", "OPTIONS /v1/instances/x", "POST /v1/instances/x/events", "PUT /livez",
        ]
        for target in targets {
            for token in [shop, viewer, "wfdt_00000000_none"] {
                for (fields, body) in [
                    (length, hidden), ("Transfer-Encoding: chunked", chunked),
                    ("\(length)\r\nExpect: 100-continue", hidden),
                ] {
                    let text = request(fields, body, to: target, by: token)
                    let found = try await statuses(of: text)
                    let answers = found.statuses.filter { $0 != "100" }
                    #expect(answers.count == 1, "\(target) \(fields): \(found.text)")
                }
            }
        }
        #expect(try await seq("hidden") == 1)
        #expect(try await seq("x") == 1)
        try await expectWhole()
    }

    /// The parser reads no further behind these.
    @Test(arguments: [
        (
            "GET /livez", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
            "200"
        ),
        ("GET /livez", "Connection: upgrade\r\nUpgrade: websocket", "200"), ("CONNECT localhost:80", "X: y", "404"),
    ])
    func noRequestFollowsOneThatWantsAnotherProtocol(target: String, fields: String, status: String) async throws {
        // The other side ends it, so no client waits for an answer that never comes.
        let (statuses, answer) = try await statuses(of: request(fields, "", to: target) + hidden, ends: false)
        #expect(statuses == [status], "\(answer)")
        #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
        #expect(try await seq("hidden") == 1)
    }

    @Test func eachRequestOfAConnectionHasItsOwnCaller() async throws {
        let send = "Content-Length: \(Self.event.utf8.count)"
        let bare = request(send, Self.event).replacing("Authorization: Bearer \(shop)\r\n", with: "")
        let twice = request("Authorization: Bearer \(viewer)\r\n\(send)", Self.event)
        let trailer =
            bare.replacing("\(send)\r\n\r\n\(Self.event)", with: "Transfer-Encoding: chunked\r\n\r\n")
            + "f\r\n\(Self.event)\r\n0\r\nAuthorization: Bearer \(shop)\r\n\r\n"
        let requests = [
            request(send, Self.event), bare, request(send, Self.event, by: viewer), request(send, Self.event), twice,
            trailer, request(send, Self.event),
        ]
        let (statuses, answer) = try await statuses(of: requests.joined())
        #expect(statuses == ["200", "401", "403", "200", "401", "401", "200"], "\(answer)")
        let actors = try DatabaseFile(daemon.database).number(
            "SELECT count(*) FROM journal WHERE actor = 'token:shop'")
        #expect(actors == 3)
        #expect(try await seq("x") == 4)
    }

    private func expectWhole() async throws {
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
