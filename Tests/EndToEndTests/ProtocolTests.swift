import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests HTTP itself: malformed requests, features that wfd lacks, and old clients. None of it is an event.
@Suite(.ownThreads) struct ProtocolTests {
    private static let events = ["/v1/instances/a/events", "/v1/instances/%61/events"]
    private static let send = #"{"event": "tick"}"#

    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(BatchTests.counter, to: "counter.yaml"))
        _ = try await daemon.said("start", "counter", "a")
    }

    private var ticks: JSONValue {
        get async throws { try await daemon.json("show", "a")["context"]["n"] }
    }

    private func expect(_ answer: RawAnswer, _ type: ProblemType, _ detail: String) throws {
        #expect(answer.status == type.status)
        #expect(answer.headers["content-type"] == "application/problem+json")
        #expect(
            try answer.object == [
                "type": .string(type.rawValue), "title": .string(type.title), "status": .int(Int64(type.status)),
                "detail": .string(detail),
            ])
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("no HTTP at all\r\n\r\n", "The request begins with no method of HTTP"),
            (
                "GET /livez HTTP/3.1\r\n\r\n",
                "The version of the request is none of HTTP; wfd takes HTTP/1.1 and HTTP/1.0"
            ),
            ("GET livez HTTP/1.1\r\n\r\n", "The target of the request is no path"),
            ("GET /livez HTTP/1.1\r\nBad Name: x\r\n\r\n", "A header field has a character that is not allowed there"),
            (
                "POST /v1/events HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                "The Content-Length is no number, or stands beside a Transfer-Encoding"
            ),
            (
                "POST /v1/events HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
                "The Content-Length is no number, or stands beside a Transfer-Encoding"
            ),
            (
                "POST /v1/events HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
                "A line ends without CR, or the Transfer-Encoding stands beside a Content-Length or does not end with "
                    + "'chunked'"
            ),
            (
                "POST /v1/events HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n",
                "The request has more than one Content-Length"
            ),
        ])
    func whatIsNoRequestIsAnsweredWithAProblemInItsTurn(text: String, detail: String) throws {
        let connection = try RawConnection(to: daemon.address)
        try connection.write(RawRequest.get("/livez").bytes + Array(text.utf8) + RawRequest.get("/livez").bytes)
        #expect(try connection.readAnswer().status == 200)
        try expect(connection.readAnswer(), .invalidRequest, detail)
        #expect(connection.isAtEnd)
    }

    @Test(.timeLimit(.minutes(20))) func aHeadThatIsTooLargeIsAnsweredInItsTurn() throws {
        let connection = try RawConnection(to: daemon.address)
        let large = "GET /livez HTTP/1.1\r\nX: \(String(repeating: "x", count: 90_000))\r\n\r\n"
        try connection.write(RawRequest.get("/livez").bytes + Array(large.utf8))
        #expect(try connection.readAnswer().status == 200)
        try expect(connection.readAnswer(), .headTooLarge, "The head of the request is larger than 81920 bytes")
        #expect(connection.isAtEnd)
    }

    /// By RFC 9112, 9.6, the last answer announces the end, and later requests are not answered.
    @Test(.timeLimit(.minutes(20))) func aConnectionEndsWhereItsCallerSaysSo() async throws {
        try await onOwnThread { [daemon] in
            let connection = try RawConnection(to: daemon.address)
            let event = RawRequest.post("/v1/instances/a/events", Self.send)
            let last = RawRequest.post("/v1/instances/a/events", Self.send, headers: [("Connection", "close")])
            try connection.write(event.bytes + last.bytes + event.bytes)
            let answers = try [connection.readAnswer(), connection.readAnswer()]
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers.map { $0.headers["connection"] } == [nil, "close"])
            #expect(connection.isAtEnd)
        }
        #expect(try await ticks == 2)
    }

    /// By RFC 9110, 15.5.9, the answer comes, and the connection ends.
    @Test(.timeLimit(.minutes(20))) func aHeadThatDoesNotEndIsAnswered() async throws {
        try await onOwnThread { [daemon] in
            let connection = try RawConnection(to: daemon.address)
            #expect(try connection.answer(to: .get("/livez")).status == 200)
            try connection.write(Array("GET /livez HT".utf8))
            let answer = try connection.readAnswer()
            #expect(answer.headers["connection"] == "close")
            try expect(answer, .requestTimeout, "The head of the request was not complete after 10 seconds")
            #expect(connection.isAtEnd)
        }
    }

    /// Half a body does not hold its connection for ever, whatever path the request takes.
    @Test(.timeLimit(.minutes(20)), arguments: ["/v1/instances/x/events", "/v1/instances"])
    func aBodyThatDoesNotEndIsAnswered(target: String) async throws {
        try await onOwnThread { [daemon] in
            let connection = try RawConnection(to: daemon.address)
            let head = "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            try connection.write(Array((head + "Content-Length: 500\r\n\r\n{").utf8))
            let answer = try connection.readAnswer()
            try expect(answer, .requestTimeout, "The body of the request was not complete after 30 seconds")
            #expect(answer.headers["connection"] == "close")
            #expect(connection.isAtEnd)
        }
    }

    @Test(.timeLimit(.minutes(20))) func aHeadThatIsCutOffIsAnsweredWithAProblem() throws {
        let connection = try RawConnection(to: daemon.address)
        try connection.write(Array("GET /livez HTTP/1.1\r\nHost: loc".utf8))
        connection.endWriting()
        try expect(connection.readAnswer(), .invalidRequest, "The head of the request was cut off")
        #expect(connection.isAtEnd)
    }

    @Test(.timeLimit(.minutes(20))) func aBodyThatBreaksOffIsAnsweredOnce() async throws {
        for target in Self.events {
            let connection = try RawConnection(to: daemon.address)
            let head = RawRequest(
                "POST", target, headers: [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")])
            try connection.write(head.bytes + Array("no size\r\n".utf8))
            try expect(connection.readAnswer(), .invalidRequest, "The body cannot be read to its end")
            #expect(connection.isAtEnd)
        }
        // This request has a body that nobody reads.
        let connection = try RawConnection(to: daemon.address)
        try connection.write(
            RawRequest("GET", "/livez", headers: [("Transfer-Encoding", "chunked")]).bytes + Array("no size\r\n".utf8))
        #expect(try connection.readAnswer().status == 200)
        #expect(connection.isAtEnd)
        #expect(try await ticks == 0)
    }

    @Test(.timeLimit(.minutes(20)))
    func whatABodyIsSaidToBeAndIsNotIsRefused() async throws {
        let cases: [(name: String, value: String, type: ProblemType, detail: String)] = [
            (
                "Content-Encoding", "gzip", .unsupportedMediaType,
                "The request has Content-Encoding 'gzip'; wfd takes bodies as they are"
            ),
            (
                "Content-Type", "application/json; charset=ISO-8859-1", .unsupportedMediaType,
                "The request has charset 'iso-8859-1'; wfd takes UTF-8"
            ),
            (
                "Content-Type", #"application/json; x=y; Charset="utf-16""#, .unsupportedMediaType,
                "The request has charset 'utf-16'; wfd takes UTF-8"
            ),
            (
                "Transfer-Encoding", "gzip, chunked", .notImplemented,
                "The request has Transfer-Encoding 'gzip, chunked'; wfd knows 'chunked' alone"
            ),
            (
                "Expect", "200-ok", .expectationFailed,
                "The request expects '200-ok'; wfd knows '100-continue' alone"
            ),
        ]
        for target in Self.events + ["/v1/instances", "/v1/machines", "/v1/events"] {
            for (name, value, type, detail) in cases {
                let isTyped = name == "Content-Type"
                var request = RawRequest.post(
                    target, Self.send, as: isTyped ? nil : "application/json", headers: [(name, value)])
                if name == "Transfer-Encoding" {
                    request.body = Array("11\r\n\(Self.send)\r\n0\r\n\r\n".utf8)
                }
                let connection = try RawConnection(to: daemon.address)
                try expect(connection.answer(to: request), type, detail)
                // The body is passed over, and the connection goes on if the body's end is certain.
                if name == "Transfer-Encoding" {
                    #expect(connection.isAtEnd)
                } else {
                    #expect(try connection.answer(to: .get("/livez")).status == 200, "\(name)")
                }
            }
        }
        #expect(try await ticks == 0)
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("Content-Encoding", "identity"), ("Content-Type", "application/json; charset=UTF-8"),
            ("Content-Type", #"application/json;charset="utf-8""#), ("Expect", "100-Continue"),
        ])
    func whatSaysNothingNewIsTaken(name: String, value: String) async throws {
        for target in Self.events {
            let type = name == "Content-Type" ? nil : "application/json"
            let request = RawRequest.post(target, Self.send, as: type, headers: [(name, value)])
            let connection = try RawConnection(to: daemon.address)
            var answer = try connection.answer(to: request)
            if answer.status == 100 { answer = try connection.readAnswer() }
            #expect(answer.status == 200)
        }
        #expect(try await ticks == 2)
    }

    @Test(.timeLimit(.minutes(20))) func aClientOfHTTP10GetsNoChunksAndTheEndOfTheConnection() async throws {
        for target in ["/livez", "/v1/instances/a/replay"] {
            let connection = try RawConnection(to: daemon.address)
            try connection.write(Array("GET \(target) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".utf8))
            let answer = try connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.0 200 OK\r\n"), "\(answer)")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(!answer.lowercased().contains("transfer-encoding"))
            let body = answer[try #require(answer.firstRange(of: "\r\n\r\n")).upperBound...]
            #expect(try JSONReader.value(from: Array(body.utf8)).object != nil)
        }
        let connection = try RawConnection(to: daemon.address)
        try connection.write(
            Array(
                """
                POST /v1/instances/a/events HTTP/1.0\r\nContent-Type: application/json\r\nExpect: 100-continue\r
                Content-Length: \(Self.send.utf8.count)\r\n\r\n\(Self.send)
                """.utf8))
        #expect(try connection.readToEnd().hasPrefix("HTTP/1.0 200 OK\r\n"))
        #expect(try await ticks == 1)
    }

    @Test(.timeLimit(.minutes(20))) func anOldRequestBehindNewOnesIsAnsweredInItsTurn() throws {
        let connection = try RawConnection(to: daemon.address)
        let event = RawRequest.post("/v1/instances/a/events", Self.send)
        try connection.write(event.bytes + event.bytes + Array("GET /livez HTTP/1.0\r\n\r\n".utf8) + event.bytes)
        #expect(try connection.readAnswer().object["seq"] == 2)
        #expect(try connection.readAnswer().object["seq"] == 3)
        let rest = try connection.readToEnd()
        #expect(rest.hasPrefix("HTTP/1.0 200 OK\r\n") && rest.hasSuffix("}"), "\(rest)")
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("*", "DELETE, GET, PATCH, POST, HEAD, OPTIONS"), ("/livez", "GET, HEAD, OPTIONS"),
            ("/v1/events", "POST, OPTIONS"), ("/v1/instances/a", "DELETE, GET, HEAD, OPTIONS"),
            ("/v1/instances/a/events", "GET, POST, HEAD, OPTIONS"),
        ])
    func optionsSayWhatARouteTakes(target: String, allowed: String) async throws {
        let answer = try await daemon.answer(to: RawRequest("OPTIONS", target))
        #expect(answer.status == 204)
        #expect(answer.headers["allow"] == allowed)
        #expect(answer.body.isEmpty)
    }

    @Test(.timeLimit(.minutes(20))) func methodsThatARouteDoesNotTakeAreNamed() async throws {
        for method in ["PUT", "TRACE", "CONNECT"] {
            let answer = try await daemon.answer(to: RawRequest(method, "/v1/events"))
            try expect(answer, .methodNotAllowed, "/v1/events does not take \(method); it takes POST, OPTIONS")
            #expect(answer.headers["allow"] == "POST, OPTIONS")
        }
        try expect(
            await daemon.answer(to: RawRequest("PROPFIND", "/v1/events")), .notImplemented,
            "wfd knows no method 'PROPFIND'")
        try expect(
            await daemon.answer(to: RawRequest("OPTIONS", "/nowhere")), .routeNotFound,
            "There is no route OPTIONS /nowhere")
    }
}
