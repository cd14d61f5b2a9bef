import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowAccess
import WorkflowClient
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests that a standby answers with the owner's answers.
@Suite(.timeLimit(.minutes(20))) struct ForwardingTests {
    @Test func startsEventsAndReadsReachTheOwner() async throws {
        let pair = try await PeerPair()
        let started = try await pair.standby.answer(
            to: .post("/v1/instances", "{\"machine\": \"door\", \"instance\": \"a\"}"))
        #expect(started.status == 201)
        // Two on one connection: the second finds the connection between the daemons open.
        let sent = try await pair.standby.answers(to: [
            .event("open", to: "a"), .event("close", to: "a"), .event("lift", to: "a"),
        ])
        #expect(sent.map(\.status) == [200, 200, 422])
        #expect(sent[0].headers["etag"] == "\"2\"")
        let history = try await pair.standby.answer(to: .get("/v1/instances/a/history?limit=2"))
        #expect(try history.items.count == 2)
        let heads = try await onOwnThread { [address = pair.standby.address] in
            let connection = try RawConnection(to: address)
            return try ["a", "b", "a"].map { name in
                try connection.write(RawRequest("HEAD", "/v1/instances/\(name)").bytes)
                return try connection.read(through: "\r\n\r\n")
            }
        }
        #expect(heads.map { String($0.dropFirst(9).prefix(3)) } == ["200", "404", "200"])
        #expect(heads.allSatisfy { $0.lowercased().contains("content-length: ") })
        let own = try await pair.owner.engine.instance(named: "a")
        #expect(own.record.seq == Seq(rawValue: 3))
        #expect(try await pair.standby.engine.machineNames(by: .test).isEmpty)
        try await pair.stop()
    }

    @Test func aDaemonAnswersForItselfWhatIsItsOwn() async throws {
        let pair = try await PeerPair()
        pair.atStandby.move(to: .nowhere)
        for route in Route.all where route.place == .here {
            let answer = try await pair.standby.answer(to: RawRequest(route.method.rawValue, route.template.path([])))
            #expect((200..<300).contains(answer.status), "\(route)")
        }
        #expect(
            Set(Route.all.filter { $0.place == .here }) == [
                .live, .ready, .metrics, .openAPI, .whoami, .createSession, .listDaemons,
            ])
        #expect(pair.atStandby.looks.isEmpty)
        try await pair.stop()
    }

    /// A URL has fewer characters than the target of a request.
    @Test func everyTargetMeansTheSameAtTheOwner() async throws {
        let pair = try await PeerPair()
        try await pair.start("a", "a~b")
        let names = [
            "a", "%61", "a~b", "a%7Eb", "a%20b", "%C3%A9", "a'b", "a;b=c", "a%23b", "a%2Fb", "a[1]", "a|b", "a#b", "..",
            ".", "%2E%2E", "a\\b", "a\"b", "a{b}", "a^b`c", "a+b", "a&b",
        ]
        for name in names {
            for target in ["/v1/instances/\(name)", "/v1/instances?machine=\(name)", "/v1/instances?\(name)=1"] {
                let there = try await pair.owner.answer(to: .get(target))
                let through = try await pair.standby.answer(to: .get(target))
                #expect(through.status == there.status, "\(target)")
                // The state of an instance has its age.
                if there.status == 200 {
                    #expect(try through.object["instance"] == there.object["instance"], "\(target)")
                } else {
                    #expect(through.text == there.text, "\(target)")
                }
            }
        }
        try await pair.stop()
    }

    @Test func aTargetThatCannotBeReadIsRefused() async throws {
        let pair = try await PeerPair()
        let path = try await pair.standby.answer(to: .get("/v1/instances/a%zz"))
        #expect(try path.told == "404 route-not-found: The path is not percent-encoded text")
        let query = try await pair.standby.answer(to: .get("/v1/instances?limit=%2"))
        #expect(try query.told == "400 invalid-parameter: The query is not percent-encoded text")
        try await pair.stop()
    }

    @Test func aLargeBodyAndALargeAnswerPass() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        let text = String(repeating: "x", count: 900_000)
        let sent = try await pair.standby.answer(
            to: .post("/v1/instances/a/events", "{\"event\": \"open\", \"data\": \"\(text)\"}"))
        #expect(sent.status == 200)
        let history = try await pair.standby.answer(to: .get("/v1/instances/a/history"))
        #expect(history.body.count > 900_000)
        let tooLarge = try await pair.standby.answer(
            to: .post("/v1/instances/a/events", String(repeating: " ", count: APILimits.bodyBytes + 1)))
        #expect(tooLarge.status == 413)
        try await pair.stop()
    }

    // MARK: Callers

    @Test func rolesStayThoseOfTheCaller() async throws {
        let tokens = TestTokens()
        let pair = try await PeerPair(isOnTCP: true, access: { try tokens.open(besides: $0) })
        try await pair.start("a")
        let viewer = ("Authorization", "Bearer \(try tokens.create("viewer", [.view]))")
        let sender = ("Authorization", "Bearer \(try tokens.create("shop", [.send]))")
        var send = RawRequest.event("open", to: "a")
        send.headers.append(viewer)
        #expect(try await pair.standby.answer(to: send).status == 403)
        var show = RawRequest.get("/v1/instances/a")
        show.headers.append(viewer)
        #expect(try await pair.standby.answer(to: show).status == 200)
        #expect(try await pair.standby.answer(to: .get("/v1/instances/a")).status == 401)
        send.headers = send.headers.dropLast() + [sender]
        #expect(try await pair.standby.answer(to: send).status == 200)
        let history = try await pair.standby.answer(to: RawRequest("GET", "/v1/instances/a/history", headers: [viewer]))
        #expect(try history.items.last?["actor"] == "token:shop")
        try await pair.stop()
    }

    @Test func theUserOfASocketIsTheActorAtTheOwner() async throws {
        let pair = try await PeerPair(access: { _ in AccessControl(AccessBook { WireTime(milliseconds: 0) }) })
        try await pair.start("a")
        #expect(try await pair.standby.answer(to: .event("open", to: "a")).status == 200)
        let history = try await pair.standby.answer(to: .get("/v1/instances/a/history"))
        let actor = try history.items.last?["actor"]?.string
        #expect(actor?.hasPrefix("uid:\(getuid())") == true)
        try await pair.stop()
    }

    /// A usual address ignores the header, whoever sends it, and no daemon passes it on.
    @Test(arguments: [true, false]) func nobodyNamesTheCallerAtAUsualAddress(_ atStandby: Bool) async throws {
        let tokens = TestTokens()
        let pair = try await PeerPair(isOnTCP: true, access: { try tokens.open(besides: $0) })
        try await pair.start("a")
        let forged = Data("{\"actor\": \"uid:0\", \"roles\": [\"admin\"], \"namespace\": 1}".utf8).base64EncodedString()
        let viewer = ("Authorization", "Bearer \(try tokens.create("viewer", [.view]))")
        let header = ("Wfd-Forwarded-Caller", forged)
        if !atStandby { pair.atStandby.move(to: .here) }
        for headers in [[header], [header, header]] {
            var send = RawRequest.event("open", to: "a")
            send.headers += headers
            #expect(try await pair.standby.answer(to: send).status == 401)
            send.headers.append(viewer)
            #expect(try await pair.standby.answer(to: send).status == 403)
        }
        var whoami = RawRequest.get("/v1/whoami")
        whoami.headers = [header, viewer]
        #expect(try await pair.standby.answer(to: whoami).object["actor"] == "token:viewer")
        try await pair.stop()
    }
}
