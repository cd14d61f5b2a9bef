import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests events that follow each other on one connection. They are accepted before the router sees them, which no
/// client can notice.
@Suite(.ownThreads) struct ConnectionTests {
    private static let tick = RawRequest.post("/v1/instances/a/events", #"{"event": "tick"}"#)

    private let folder: TemporaryFolder
    private let daemon: Daemon
    private let connection: RawConnection

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(BatchTests.counter, to: "counter.yaml"))
        _ = try await daemon.said("start", "counter", "a")
        connection = try RawConnection(to: daemon.address)
    }

    private var ticks: JSONValue {
        get async throws { try await daemon.json("show", "a")["context"]["n"] }
    }

    @Test(.timeLimit(.minutes(20))) func answersKeepTheOrderOfTheirRequests() async throws {
        let show = RawRequest.get("/v1/instances/a")
        let requests = [Self.tick, Self.tick, show, Self.tick, .get("/livez"), show, Self.tick, Self.tick]
        try connection.write(requests.flatMap(\.bytes))
        let answers = try requests.map { _ in try connection.readAnswer() }
        #expect(answers.map(\.status) == requests.map { _ in 200 })
        #expect(try answers.map { try $0.object["seq"] ?? .null } == [2, 3, 3, 4, .null, 4, 5, 6])
        #expect(try answers.map { try $0.object["from"] != nil } == requests.map { $0.method == "POST" })
    }

    @Test(.timeLimit(.minutes(20)))
    func anAnswerIsTheSameThroughTheRouter() async throws {
        _ = try connection.answer(to: keyed("k", "tick"))
        let requests: [RawRequest] = [
            keyed("k", "tick"), keyed("k", "toc"), keyed(String(repeating: "k", count: 300), "tick"),
            event("toc"), event(""), event("wfd.start"), event("tick", of: "aa"), event("tick", of: "nobody"),
            event("tick", ("If-Match", #""7""#)), event("tick", ("If-Match", "7")),
            .post("/v1/instances/a/events", "{"), .post("/v1/instances/a/events", #"{"event": "tick", "at": 1}"#),
            .post("/v1/instances/a/events", #"{"event": "tick", "data": 1e999}"#),
            .post("/v1/instances/a/events", #"{"event": "tick"}"#, as: "text/plain"),
            .post("/v1/instances/a/events", #"{"event": "tick"}"#, as: nil),
        ]
        for request in requests {
            // The router takes names that are percent-encoded, and bodies without a length.
            var routed = request
            routed.target.replace("/a", with: "/%61")
            routed.target.replace("/nobody", with: "/%6eobody")
            var chunked = request
            chunked.headers.append(("Transfer-Encoding", "chunked"))
            chunked.body = request.body.map {
                Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + "\r\n0\r\n\r\n".utf8
            }
            let answers = try [request, routed, chunked].map { try connection.answer(to: $0) }
            #expect(Set(answers.map(\.text)).count == 1, "\(answers)")
            #expect(Set(answers.map(\.status)).count == 1)
            #expect(Set(answers.map { $0.headers.filter { $0.key != "date" } }).count == 1, "\(answers)")
            #expect(
                answers.allSatisfy { $0.headers["date"]?.wholeMatch(of: /\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/) != nil }
            )
        }
        #expect(try await ticks == 1)
    }

    @Test(.timeLimit(.minutes(20))) func aBodyMayComeInPieces() async throws {
        let bytes = Self.tick.bytes
        for end in [20, bytes.count - 17, bytes.count - 9, bytes.count - 1] {
            try connection.write(Array(bytes[..<end]))
            // The daemon has taken the piece when it answers somebody else.
            _ = try await daemon.answer(to: .get("/livez"))
            try connection.write(Array(bytes[end...]))
            #expect(try connection.readAnswer().status == 200)
        }
        #expect(try await ticks == 4)
    }

    @Test(.timeLimit(.minutes(20))) func aBodyMayComeByteByByte() async throws {
        for byte in event("tick").bytes { try connection.write([byte]) }
        #expect(try connection.readAnswer().status == 200)
        #expect(try await ticks == 1)
    }

    @Test(.timeLimit(.minutes(20))) func whoWaitsToContinueIsToldTo() async throws {
        for target in ["/v1/instances/a/events", "/v1/events"] {
            let body = Array(#"{"instance":"a","event":"tick"}"#.utf8)
            let kind = target == "/v1/events" ? "application/x-ndjson" : "application/json"
            let headers = [("Content-Type", kind), ("Content-Length", "\(body.count)"), ("Expect", "100-continue")]
            let head = RawRequest("POST", target, headers: headers).bytes
            try connection.write(head)
            #expect(try connection.readAnswer().status == 100)
            try connection.write(body)
            let answer = try connection.readAnswer()
            #expect(answer.status == (target == "/v1/events" ? 200 : 400), "\(answer)")
            // An answer that is still to be written comes first; whoever waits goes on by itself.
            try connection.write(RawRequest.get("/livez").bytes + head)
            #expect(try connection.readAnswer().status == 200)
            try connection.write(body)
            #expect(try connection.readAnswer().status == answer.status)
        }
        #expect(try await ticks == 2)
        // A client need not send a body that will be refused.
        let large = [("Content-Type", "application/json"), ("Content-Length", "2000000"), ("Expect", "100-continue")]
        try connection.write(RawRequest("POST", "/v1/instances/a/events", headers: large).bytes)
        #expect(try connection.readAnswer().status == 413)
    }

    @Test(.timeLimit(.minutes(20))) func manyRefusalsFollowAnEvent() async throws {
        let refused = RawRequest("POST", "/v1/instances/a/events", headers: [("Content-Length", "0")])
        let count = 10_000
        try await onOwnThread { [connection] in
            try connection.write(Self.tick.bytes)
            // Enough requests wait behind the event that they are answered in one go.
            let reading = Thread { try? connection.write(Array(repeatElement(refused.bytes, count: count).joined())) }
            reading.start()
            #expect(try connection.readAnswer().status == 200)
            for _ in 0..<count { #expect(try connection.readAnswer().status == 415) }
        }
        #expect(try await ticks == 1)
    }

    @Test(.timeLimit(.minutes(20))) func anEventFollowsARefusedBody() async throws {
        let large = RawRequest.post(
            "/v1/instances/a/events", #"{"event": ""# + String(repeating: "x", count: 1 << 20) + #""}"#)
        #expect(try connection.answer(to: large).status == 413)
        #expect(try connection.answer(to: Self.tick).status == 200)
        #expect(try await ticks == 1)
    }

    /// The answers fit between the daemon and the socket. The system counts each as most of a KiB there if they are
    /// written one by one.
    @Test(.timeLimit(.minutes(20))) func whoReadsLateGetsAllAnswers() async throws {
        let count = 150
        try connection.write(Array(repeatElement(Self.tick.bytes, count: count).joined()))
        connection.endWriting()
        try await eventually("all are applied") { try await ticks == .int(Int64(count)) }
        for _ in 0..<count { #expect(try connection.readAnswer().status == 200) }
        #expect(connection.isAtEnd)
    }

    @Test(.timeLimit(.minutes(20))) func whoWritesNoMoreIsStillAnswered() async throws {
        try connection.write(Self.tick.bytes + Self.tick.bytes)
        connection.endWriting()
        #expect(try connection.readAnswer().status == 200)
        #expect(try connection.readAnswer().status == 200)
        #expect(connection.isAtEnd)
        #expect(try await ticks == 2)
    }

    @Test(.timeLimit(.minutes(20))) func halfARequestIsNoEvent() async throws {
        try connection.write(Array(Self.tick.bytes.dropLast()))
        connection.endWriting()
        #expect(try connection.readAnswer().status == 400)
        #expect(connection.isAtEnd)
        #expect(try await ticks == 0)
        #expect(!daemon.program.errors.contains("a request failed"))
    }

    @Test(.timeLimit(.minutes(20))) func whatIsNoRequestIsRefusedAfterTheEventBeforeIt() async throws {
        try connection.write(Self.tick.bytes + Array("no HTTP at all\r\n\r\n".utf8))
        #expect(try connection.readAnswer().status == 200)
        #expect(try connection.readAnswer().status == 400)
        #expect(connection.isAtEnd)
        #expect(try await ticks == 1)
    }

    @Test(.timeLimit(.minutes(20))) func theLastRequestOfAConnectionClosesIt() async throws {
        var last = Self.tick
        last.headers.append(("Connection", "close"))
        try connection.write(Self.tick.bytes + last.bytes + Self.tick.bytes)
        #expect(try connection.readAnswer().status == 200)
        #expect(try connection.readAnswer().status == 200)
        #expect(connection.isAtEnd)
        #expect(try await ticks == 2)
    }

    private static let keeper = """
        id: keeper
        initial: on
        context: {n: 0, text: ''}
        states:
          on:
            on:
              fill: {actions: {assign: {text: event.data}}}
              tick: {actions: {assign: {n: context.n + 1}}}
        """

    /// Requests and answers are large, so that few of them fill the buffers between the two.
    @Test(.timeLimit(.minutes(20))) func whoTakesNoAnswersIsNotReadAnyFurther() async throws {
        _ = try await daemon.said("apply", folder.write(Self.keeper, to: "keeper.yaml"))
        _ = try await daemon.said("start", "keeper", "k")
        func request(_ event: String) -> RawRequest {
            let data = String(repeating: "x", count: 32_000)
            return .post("/v1/instances/k/events", #"{"event": "\#(event)", "data": "\#(data)"}"#)
        }
        #expect(try connection.answer(to: request("fill")).status == 200)
        let tick = request("tick").bytes
        let taken = connection.writeWhileTaken(Array(repeatElement(tick, count: 512).joined()), patience: 2)
        #expect(taken < 4 << 20)
        // Others are served, and nothing of what was taken is lost when it reads at last.
        #expect(try await daemon.answer(to: .get("/livez")).status == 200)
        connection.endWriting()
        for _ in 0..<taken / tick.count { #expect(try connection.readAnswer().status == 200) }
        if !taken.isMultiple(of: tick.count) { #expect(try connection.readAnswer().status == 400) }
        #expect(connection.isAtEnd)
        #expect(try await daemon.json("show", "k")["context"]["n"] == .int(Int64(taken / tick.count)))
    }

    @Test(.timeLimit(.minutes(20))) func anEventHasOneKey() async throws {
        let twice = event("tick", ("Idempotency-Key", "k"), ("Idempotency-Key", "k"))
        #expect(try connection.answer(to: twice).status == 400)
        let withComma = keyed("k,k", "tick")
        #expect(try connection.answer(to: withComma).status == 200)
        #expect(try connection.answer(to: withComma).headers["idempotent-replayed"] == "true")
        #expect(try await ticks == 1)
    }

    private func event(
        _ name: String, of instance: String = "a", _ headers: (name: String, value: String)...
    ) -> RawRequest {
        .post("/v1/instances/\(instance)/events", #"{"event": "\#(name)"}"#, headers: headers)
    }

    private func keyed(_ key: String, _ name: String) -> RawRequest { event(name, ("Idempotency-Key", key)) }
}
