import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowClient
import WorkflowJSON

/// Tests a bulk run whose token is revoked: a run that has begun is wfd's, and its caller hears no more of it.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct RevokedRunTests {
    /// Each event takes the daemon some milliseconds.
    private static let machine = """
        id: job
        initial: idle
        context: {n: 0}
        states:
          idle: {on: {go: {actions: {assign: {n: "lists.range(1500).filter(x, x % 7 == 0).size()"}}}}}
        """
    private static let instances = 1_000

    private let folder: TemporaryFolder
    private let daemon: Daemon
    private let token: (name: String, value: String)

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder, listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
        _ = try await daemon.said("apply", folder.write(Self.machine, to: "job.yaml"))
        token = try await daemon.token("shop", "operate")
        try await onOwnThread { [daemon] in
            let connection = try RawConnection(to: daemon.address)
            for number in 0..<Self.instances {
                let start = RawRequest.post("/v1/instances", #"{"machine": "job", "instance": "i-\#(number)"}"#)
                #expect(try connection.answer(to: start).status == 201)
            }
        }
    }

    private static let lines =
        #"{"run":"r","action":{"verb":"send","event":"go"},"reason":"night"}"# + "\n"
        + (0..<instances).map { #"{"instance":"i-\#($0)"}"# + "\n" }.joined()

    private func request(_ body: String, length: Int? = nil) -> RawRequest {
        .post(
            "/v1/bulk", body, as: "application/x-ndjson",
            headers: [token, ("Content-Length", "\(length ?? body.utf8.count)")])
    }

    private var changed: Int {
        get throws {
            Int(
                try DatabaseFile(daemon.database).number(
                    "SELECT count(*) FROM journal WHERE event = 'go' AND actor = 'token:shop'"))
        }
    }

    @Test func aRunThatHasBegunGoesOnWithoutItsToken() async throws {
        let (rest, done) = try await onOwnThread {
            let connection = try RawConnection(to: daemon.web)
            try connection.write(request(Self.lines).bytes)
            let first = try connection.read(through: "\n")
            #expect(first.contains("200 OK"), "\(first)")
            let revoke = RawRequest("DELETE", "/v1/tokens/shop")
            let revoked = try RawConnection(to: daemon.address).answer(to: revoke)
            #expect(revoked.status == 200, "\(revoked.text)")
            let done = try changed
            return (try connection.readToEnd(), done)
        }
        // The token was revoked in the middle, and the connection has ended without the run's end.
        #expect(done < Self.instances)
        #expect(!rest.contains(#""state":"done""#), "\(rest.suffix(300))")
        try await eventually("the run ends") { try await daemon.json("bulk", "show", "r")["state"] == "done" }
        #expect(try changed == Self.instances)
        #expect(try await daemon.json("bulk", "show", "r")["actor"] == "token:shop")
        let refused = try await onOwnThread { [daemon] in try RawConnection(to: daemon.web).answer(to: request("{}")) }
        #expect(refused.status == 401)
        #expect(try await daemon.wfctl("verify", "--all").end == .exited(0))
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test func aRunWhoseLinesHaveNotAllComeDoesNotBegin() async throws {
        try await onOwnThread {
            let connection = try RawConnection(to: daemon.web)
            let half = String(Self.lines.prefix(Self.lines.count / 2))
            try connection.write(request(half, length: Self.lines.utf8.count).bytes)
            let revoke = RawRequest("DELETE", "/v1/tokens/shop")
            #expect(try RawConnection(to: daemon.address).answer(to: revoke).status == 200)
            // A request that comes too late is refused.
            try connection.write(Array(Self.lines.dropFirst(half.count).utf8))
            connection.endWriting()
            #expect(try !connection.readToEnd().contains("200 OK"))
        }
        #expect(try await daemon.wfctl("bulk", "show", "r").end != .exited(0))
        #expect(try changed == 0)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
