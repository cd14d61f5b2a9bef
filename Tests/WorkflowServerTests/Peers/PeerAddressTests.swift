import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowClient
import WorkflowJSON
import WorkflowServer

/// Tests the address of a daemon for the others: who gets an answer, and whom the answer is for.
@Suite(.timeLimit(.minutes(20))) struct PeerAddressTests {
    private static let key = String(repeating: "07", count: PeerSecret.byteCount)

    private static func header(_ json: String) -> (name: String, value: String) {
        ("Wfd-Forwarded-Caller", Data(json.utf8).base64EncodedString())
    }

    private static func answers(_ pair: PeerPair, _ requests: [RawRequest]) async throws -> [RawAnswer] {
        let peer = pair.owner.peer
        return try await onOwnThread {
            let connection = try RawConnection(to: peer.host, port: peer.port, knowing: key)
            return try requests.map { try connection.answer(to: $0) }
        }
    }

    @Test func theHeaderNamesTheCaller() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        var send = RawRequest.event("open", to: "a")
        send.headers.append(Self.header("{\"actor\": \"uid:7\", \"roles\": [\"send\"], \"namespace\": 1}"))
        var remove = RawRequest("DELETE", "/v1/instances/a?reason=r")
        remove.headers.append(Self.header("{\"actor\": \"uid:7\", \"roles\": [\"send\"], \"namespace\": 1}"))
        var elsewhere = RawRequest.get("/v1/instances/a")
        elsewhere.headers.append(Self.header("{\"roles\": [\"view\"], \"namespace\": 2}"))
        let answers = try await Self.answers(pair, [send, remove, elsewhere])
        #expect(answers.map(\.status) == [200, 403, 404])
        let history = try await pair.owner.answer(to: .get("/v1/instances/a/history"))
        #expect(try history.items.last?["actor"] == "uid:7")
        try await pair.stop()
    }

    @Test func whatNamesNoCallerIsRefused() async throws {
        let pair = try await PeerPair()
        let caller = "{\"roles\": [\"admin\"], \"namespace\": 1}"
        let values = [
            "", "{}", "null", "[]", "1", "\"x\"", "{\"roles\": [\"admin\"]}", "{\"namespace\": 1}", "\u{0}", "{",
            "{\"roles\": [\"king\"], \"namespace\": 1}", "{\"roles\": \"admin\", \"namespace\": 1}",
            "{\"roles\": [\"admin\"], \"namespace\": 0}", "{\"roles\": [\"admin\"], \"namespace\": -1}",
            "{\"roles\": [\"admin\"], \"namespace\": 9223372036854775808}",
            "{\"roles\": [\"admin\"], \"namespace\": 1.5}", "{\"roles\": [\"admin\"], \"namespace\": \"1\"}",
            "{\"roles\": [\"admin\"], \"namespace\": 1, \"more\": 1}", "{\"actor\": \"\"," + caller.dropFirst(),
            "{\"actor\": 1," + caller.dropFirst(), "{\"queues\": 1," + caller.dropFirst(), caller + caller,
            String(repeating: "[", count: 40_000),
        ]
        var headers: [[(name: String, value: String)]] = values.map { [Self.header($0)] }
        headers += [[], [Self.header(caller), Self.header(caller)]]
        headers += ["====", "AA=A", "%7B%7D", caller, "e30", "e30=\t e30="].map { [("Wfd-Forwarded-Caller", $0)] }
        headers.append([("Authorization", "Bearer \(caller)")])
        let requests = headers.map { RawRequest("GET", "/v1/instances", headers: $0) }
        let right = RawRequest("GET", "/v1/instances", headers: [Self.header(caller)])
        let answers = try await Self.answers(pair, requests + [right])
        for (header, answer) in zip(headers, answers) { #expect(answer.status == 401, "\(header)") }
        #expect(answers.last?.status == 200)
        try await pair.stop()
    }

    /// Sessions and the console are not for other daemons.
    @Test func theAddressHasNoPagesAndNoSessions() async throws {
        let pair = try await PeerPair()
        let caller = Self.header("{\"roles\": [\"admin\"], \"namespace\": 1}")
        for (method, path) in [("POST", "/v1/sessions"), ("GET", "/console/"), ("GET", "/"), ("GET", "/v1/whoami")] {
            let answer = try await Self.answers(pair, [RawRequest(method, path, headers: [caller])])[0]
            #expect(answer.status == 404, "\(path)")
        }
        #expect(try await Self.answers(pair, [.get("/livez")])[0].status == 200)
        try await pair.stop()
    }

    @Test func aDaemonThatDoesNotOwnTheDataRefuses() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        let caller = Self.header("{\"roles\": [\"admin\"], \"namespace\": 1}")
        var send = RawRequest.event("open", to: "a")
        send.headers.append(caller)
        for place in [RequestPlace.nowhere, pair.place] {
            pair.atOwner.move(to: place)
            for request in [send, RawRequest("GET", "/v1/instances/a", headers: [caller])] {
                let answer = try await Self.answers(pair, [request])[0]
                #expect(answer.status == 421 && answer.headers["wfd-not-owner"] == "1" && answer.body.isEmpty)
            }
        }
        #expect(pair.atOwner.looks.isEmpty)
        try await pair.stop()
    }

    // MARK: Who gets no answer

    @Test func nobodyWithoutTheSecretGetsAnAnswer() async throws {
        let pair = try await PeerPair()
        let peer = pair.owner.peer
        let texts = try await onOwnThread {
            try [
                RawConnection(to: .tcp(host: peer.host, port: peer.port)),
                RawConnection(to: .tls(host: peer.host, port: peer.port)),
                RawConnection(
                    to: peer.host, port: peer.port, knowing: String(repeating: "08", count: PeerSecret.byteCount)),
            ].map { connection in
                try connection.write(RawRequest.get("/livez").bytes)
                return try connection.readToEnd()
            }
        }
        for text in texts { #expect(!text.contains("HTTP")) }
        try await pair.stop()
    }

    @Test func aSecretHasItsLength() {
        #expect(PeerSecret([]) == nil && PeerSecret(Array(repeating: 1, count: 31)) == nil)
        #expect("\(PeerSecret(Array(repeating: 1, count: 32)).map { "\($0)" } ?? "")" == "the secret of the daemons")
    }
}
