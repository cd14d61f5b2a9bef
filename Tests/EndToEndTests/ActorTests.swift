import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// Tests the actor of a row: told from the connection, kept in the journal, shown by `wfctl history --actors`.
@Suite struct ActorTests {
    /// A machine with three events. It answers `go` by itself, `fail` makes it send itself an event that it cannot
    /// take, and `later` arms a timer.
    private static let definition = """
        id: job
        initial: idle
        context: {n: 0}
        states:
          idle:
            on:
              go: {actions: {send: {event: echo}}}
              echo: {}
              fail: {actions: {send: {event: count, data: {by: 0}}}}
              count: {actions: {assign: {n: 10 / event.data.by}}}
              later: late
          late:
            after: {1ms: idle}
            on: {go: {}}
        """

    private let folder: TemporaryFolder
    private let daemon: Daemon
    /// The user that these tests run as.
    private let me: String
    /// The header with a token, for TCP.
    private let token: (name: String, value: String)

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder, listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        token = try await daemon.token("shop", "send,operate")
        me = "uid:\(getuid())" + (getpwuid(getuid()).map { "(\(String(cString: $0.pointee.pw_name)))" } ?? "")
    }

    private func address(isTCP: Bool) -> Address {
        daemon.addresses.first { if case .tcp = $0 { isTCP } else { !isTCP } } ?? daemon.address
    }

    private func post(_ path: String, _ body: String, isTCP: Bool, key: String? = nil) async throws -> RawAnswer {
        let type = path.hasPrefix("/v1/events") ? "application/x-ndjson" : "application/json"
        let headers = (key.map { [(name: "Idempotency-Key", value: $0)] } ?? []) + (isTCP ? [token] : [])
        let request = RawRequest.post(path, body, as: type, headers: headers)
        return try await onOwnThread { [address = address(isTCP: isTCP)] in
            let connection = try RawConnection(to: address)
            let answer = try connection.answer(to: request)
            guard (200..<300).contains(answer.status) else { throw TestingError("\(path): \(answer.text)") }
            return answer
        }
    }

    /// Returns kind, event and actor of each row; `-` for a row without an actor.
    private func rows(_ name: String) async throws -> [String] {
        try await daemon.json("history", name).elements.map { row in
            "\(row["kind"].string ?? "") \(row["event"].string ?? "") \(row["actor"].string ?? "-")"
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: [false, true])
    func everyCommandHasItsCallerAndWhatComesByItselfHasNone(isTCP: Bool) async throws {
        let actor = isTCP ? "token:shop" : me
        _ = try await post("/v1/instances", #"{"machine": "job", "instance": "a"}"#, isTCP: isTCP)
        // The first as it comes off a connection, the second by the router.
        _ = try await post("/v1/instances/a/events", #"{"event": "go"}"#, isTCP: isTCP)
        _ = try await post("/v1/instances/a/events?detail=true", #"{"event": "go"}"#, isTCP: isTCP)
        let line = #"{"instance": "a", "event": "go"}"#
        _ = try await post("/v1/events", line, isTCP: isTCP)
        _ = try await post("/v1/events?atomic=true", line + "\n" + #"{"instance": "a", "event": "fail"}"#, isTCP: isTCP)
        _ = try await post("/v1/instances/a/retry", "{}", isTCP: isTCP)
        let go = ["event go \(actor)", "sent echo -"]
        #expect(
            try await rows("a") == ["started init \(actor)"] + go + go + go + go + [
                "event fail \(actor)", "failed count -", "failed count \(actor)",
            ])
        let verified = try await daemon.wfctl("verify", "a", "-o", "json")
        #expect(verified.end == .exited(0), "\(verified)")
    }

    @Test(.timeLimit(.minutes(20))) func aTimerHasNobody() async throws {
        _ = try await daemon.said("start", "job", "t", "--address", "\(address(isTCP: false))")
        _ = try await daemon.said("send", "t", "later", "--address", "\(address(isTCP: false))")
        let page = "/v1/instances/t/history?after=2&wait=30"
        _ = try await daemon.answer(to: .get(page))
        let rows = try await rows("t")
        #expect(rows.count == 3 && rows[2].hasPrefix("timer ") && rows[2].hasSuffix(" -"), "\(rows)")
        #expect(rows[1] == "event later \(me)")
    }

    @Test(.timeLimit(.minutes(20))) func aKeyIsAnsweredAgainToItsOwnActorAlone() async throws {
        let start = #"{"machine": "job", "instance": "k"}"#
        let event = #"{"event": "go"}"#
        _ = try await post("/v1/instances", start, isTCP: true, key: "start")
        let first = try await post("/v1/instances/k/events", event, isTCP: false, key: "go")
        let again = try await post("/v1/instances/k/events", event, isTCP: false, key: "go")
        #expect(again.headers["idempotent-replayed"] == "true" && again.body == first.body)
        let started = try await post("/v1/instances", start, isTCP: true, key: "start")
        #expect(started.headers["idempotent-replayed"] == "true")
        // The other actor learns neither who used the key nor for what.
        let refusals = [
            (path: "/v1/instances/k/events", body: event, isTCP: true, key: "go"),
            (path: "/v1/instances", body: start, isTCP: false, key: "start"),
        ]
        for refusal in refusals {
            let error = await #expect(throws: TestingError.self) {
                try await post(refusal.path, refusal.body, isTCP: refusal.isTCP, key: refusal.key)
            }
            let text = error?.description ?? ""
            #expect(text.contains("key-reused") && !text.contains("uid:") && !text.contains("token:"), "\(text)")
        }
        #expect(try await rows("k") == ["started init token:shop", "event go \(me)", "sent echo -"])
    }

    @Test(.timeLimit(.minutes(20))) func historyTellsTheActorsWhenAsked() async throws {
        _ = try await daemon.said("start", "job", "h", "--address", "\(address(isTCP: false))")
        _ = try await post("/v1/instances/h/events", #"{"event": "go"}"#, isTCP: true)
        let table = try await daemon.said("history", "h", "--actors")
        let plain = table.replacing(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?/, with: "TIME")
        #expect(
            plain.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") } == [
                "SEQ AT KIND EVENT FROM TO DATA ACTOR", "1 TIME started init - idle \(me)",
                "2 TIME event go idle idle token:shop", "3 TIME sent echo idle idle -",
            ], "\(table)")
    }
}
