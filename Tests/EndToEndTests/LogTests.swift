import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests the log of a daemon as an operator reads it.
@Suite(.ownThreads) struct LogTests {
    private static let job = """
        id: job
        initial: idle
        context: {n: 0, secret: ''}
        states:
          idle:
            on:
              go: {actions: {send: {event: count, data: {by: event.data}}}}
              count: {actions: {assign: {n: "10 / event.data.by[context.secret]"}}}
              keep: {actions: {assign: {secret: event.data}}}
        """

    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.job, to: "job.yaml"))
        for name in ["j", "k"] { _ = try await daemon.said("start", "job", name) }
    }

    /// Returns the next line about a topic, from its level on.
    private func line(about text: String) async throws -> String {
        let line = try #require(try await daemon.program.errorLines(containing: text).first)
        return try String(line[#require(line.firstRange(of: " wfd: ")).lowerBound...].dropFirst())
    }

    private func post(_ target: String, _ lines: String...) async throws -> RawAnswer {
        try await daemon.answer(to: .post(target, lines.joined(separator: "\n"), as: "application/x-ndjson"))
    }

    @Test(.timeLimit(.minutes(20))) func aFailureIsALine() async throws {
        let keep = #"{"instance": "j", "event": "keep", "data": "s3cret"}"#
        let go = #"{"instance": "j", "event": "go", "data": {"s3cret-key": 0}}"#
        #expect(try await post("/v1/events", keep, go).status == 200)
        #expect(
            try await line(about: "an instance has failed")
                == #"wfd: event=count expression="assign n: 10 / event.data.by[context.secret]" instance=j line=8 "#
                + #"machine=job message="no such key: context.secret in event.data.by" seq=4 state=idle "#
                + "type=expression-failed version=1 [WorkflowEngine] an instance has failed")
        #expect(!daemon.program.errors.contains("s3cret"))
    }

    @Test(.timeLimit(.minutes(20))) func aRefusedBatchIsALine() async throws {
        let keep = #"{"instance": "k", "event": "keep", "data": "s3cret"}"#
        let nope = #"{"instance": "k", "event": "nope", "data": "s3cret"}"#
        #expect(try await post("/v1/events?atomic=true", keep, nope).status == 422)
        #expect(
            try await line(about: "none of them applied")
                == "wfd: eventNumber=2 events=2 instance=k reason=unknown-event [WorkflowEngine] a batch of events was "
                + "refused, and none of them applied")
        #expect(!daemon.program.errors.contains("s3cret"))
    }

    @Test(.timeLimit(.minutes(20))) func aBatchThatCannotBeReadIsALine() async throws {
        let keep = #"{"instance": "k", "event": "keep", "data": "s3cret"}"#
        #expect(try await post("/v1/events?atomic=true", keep, #"{"s3cret""#).status == 400)
        #expect(
            try await line(about: "none of them applied")
                == "wfd: bodyLine=2 reason=invalid-request [WorkflowEngine] a batch of events was refused, and none of "
                + "them applied")
        #expect(!daemon.program.errors.contains("s3cret"))
    }

    @Test(.timeLimit(.minutes(20))) func refusedLinesOfABatchAreALine() async throws {
        let keep = #"{"instance": "k", "event": "keep", "data": "s3cret"}"#
        let nope = #"{"instance": "k", "event": "nope", "data": "s3cret"}"#
        #expect(try await post("/v1/events", keep, keep).status == 200)
        #expect(try await post("/v1/events", keep, nope, keep, #"{"s3cret""#).status == 200)
        #expect(
            try await line(about: "lines of a batch were refused")
                == "wfd: bodyLine=2 instance=k lines=2 of=4 reason=unknown-event [WorkflowEngine] lines of a batch "
                + "were refused")
        let told = daemon.program.errors
        #expect(!told.contains("s3cret") && told.firstRange(of: "refused") == told.ranges(of: "refused").last)
    }

    /// Bodies that ask for contexts hold their share of the budget until they end.
    @Test(.timeLimit(.minutes(20))) func whatIsRefusedForTheBudgetIsALineAndSmallAnswersAreGiven() async throws {
        let head = RawRequest(
            "POST", "/v1/events?context=true",
            headers: [("Content-Type", "application/x-ndjson"), ("Transfer-Encoding", "chunked")]
        ).bytes
        var connections: [RawConnection] = []
        for _ in 0..<16 {
            let connection = try RawConnection(to: daemon.address)
            try connection.write(head)
            connections.append(connection)
        }
        try await eventually("a request is refused") {
            let answer = try await daemon.answer(to: .get("/v1/instances"))
            return try answer.status != 200 && answer.object["type"] == "overloaded"
        }
        #expect(
            try await line(about: "too much to do")
                == #"wfd: reason="Too many large answers wait to be read by their callers" route="GET /v1/instances" "#
                + "[WorkflowEngine] a request was refused, because there was too much to do")
        #expect(try await daemon.answer(to: .get("/v1/instances/k")).status == 200)
        // A large one is no small one.
        let data = String(repeating: "x", count: 20_000)
        #expect(try await post("/v1/events", #"{"instance": "k", "event": "keep", "data": "\#(data)"}"#).status == 200)
        #expect(try await daemon.answer(to: .get("/v1/instances/k")).status == 503)
        connections.removeAll()
        try await eventually("there is room") { try await daemon.answer(to: .get("/v1/instances/k")).status == 200 }
    }
}
