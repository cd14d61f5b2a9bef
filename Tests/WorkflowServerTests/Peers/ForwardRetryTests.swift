import DaemonTesting
import Foundation
import IdentityTesting
import PostgresTesting
import Statechart
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests what a standby does when the owner does not answer, or is another daemon.
@Suite(.timeLimit(.minutes(20))) struct ForwardRetryTests {
    private static let nobody = RequestPlace.peer(PeerAddress(host: "127.0.0.1", port: 1))

    private static func seq(_ pair: PeerPair) async throws -> Int64 {
        try await pair.owner.engine.instance(named: "a").record.seq.rawValue
    }

    private static func metric(_ name: String, _ pair: PeerPair) async throws -> Int? {
        let text = try await pair.standby.answer(to: .get("/metrics")).text
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) }
    }

    // MARK: Nothing was sent or done

    @Test func whoDoesNotOwnTheDataIsAskedTwiceMore() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        pair.atOwner.move(to: .nowhere)
        let answer = try await pair.standby.answer(to: .event("open", to: "a"))
        #expect(
            try answer.told
                == "503 partition-moving: The data is being taken over (the daemon at \(pair.owner.peer) does "
                + "not have it); nothing was changed. Send it again")
        #expect(answer.headers["retry-after"] == "1")
        #expect(pair.atStandby.looks == [pair.place, pair.place])
        #expect(try await Self.seq(pair) == 1)
        #expect(try await Self.metric("wfd_forwarded_requests_total", pair) == 1)
        #expect(try await Self.metric("wfd_forward_retries_total", pair) == 2)
        #expect(try await Self.metric("wfd_forward_failures_total{type=\"partition-moving\"}", pair) == 1)
        #expect(try await Self.metric("wfd_forward_failures_total{type=\"outcome-unknown\"}", pair) == 0)
        // The owner takes it at the second look.
        let (owner, standby) = (pair.atOwner, pair.atStandby)
        pair.atStandby.whenLooking { if standby.looks.count == 3 { owner.move(to: .here) } }
        #expect(try await pair.standby.answer(to: .event("open", to: "a")).status == 200)
        #expect(pair.atStandby.looks.count == 4)
        #expect(try await Self.seq(pair) == 2)
        try await pair.stop()
    }

    @Test func aDaemonThatIsGoneIsLookedForAgain() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        pair.atStandby.move(to: Self.nobody)
        let gone = try await pair.standby.answer(to: .event("open", to: "a"))
        #expect(try gone.told.hasPrefix("503 partition-moving: "))
        #expect(pair.atStandby.looks == [Self.nobody, Self.nobody])
        for (place, request) in [
            (Self.nobody, RawRequest.event("open", to: "a")), (.nowhere, .event("close", to: "a")),
            (Self.nobody, .get("/v1/instances/a")), (.nowhere, RawRequest("DELETE", "/v1/instances/b?reason=r")),
            (Self.nobody, .post("/v1/machines/door/suspend", "{}")),
        ] {
            pair.atStandby.move(to: place)
            pair.atStandby.find(pair.place)
            let answer = try await pair.standby.answer(to: request)
            #expect(answer.status == (request.method == "DELETE" ? 404 : 200), "\(place) \(answer.text)")
        }
        try await pair.stop()
    }

    @Test func whereNobodyHasTheDataTheCallerIsAskedToComeAgain() async throws {
        let pair = try await PeerPair()
        pair.atStandby.move(to: .nowhere)
        let answer = try await pair.standby.answer(to: .get("/v1/instances"))
        #expect(
            try answer.told
                == "503 partition-moving: The data is being taken over (no daemon has it); nothing was changed. "
                + "Send it again")
        #expect(pair.atStandby.looks == [.nowhere])
        try await pair.stop()
    }

    @Test func anotherSecretReachesNobody() async throws {
        let other = PeerSecret(Array(repeating: 8, count: PeerSecret.byteCount))
        let pair = try await PeerPair(standbySecret: other)
        try await pair.start("a")
        for request in [RawRequest.event("open", to: "a"), .get("/v1/instances/a")] {
            #expect(try await pair.standby.answer(to: request).told.hasPrefix("503 partition-moving: "))
        }
        #expect(try await Self.seq(pair) == 1)
        try await pair.stop()
    }

    @Test func aStandbyThatTakesOverCarriesOutWhatItHas() async throws {
        let pair = try await PeerPair()
        pair.atStandby.move(to: Self.nobody)
        pair.atStandby.find(.here)
        // Its engine is empty.
        let started = try await pair.standby.answer(to: .post("/v1/instances", "{\"machine\": \"door\"}"))
        #expect(try started.told.hasPrefix("404 machine-not-found: "))
        pair.atStandby.move(to: .nowhere)
        pair.atStandby.find(.here)
        #expect(try await pair.standby.answer(to: .get("/v1/machines")).items.isEmpty)
        pair.atStandby.move(to: Self.nobody)
        pair.atStandby.find(.here)
        let lines = try await pair.standby.answer(
            to: .post("/v1/events", "{\"instance\": \"a\", \"event\": \"open\"}\n", as: "application/x-ndjson"))
        #expect(lines.status == 200 && lines.text.contains("instance-not-found"))
        try await pair.stop()
    }

    // MARK: The connection ends

    /// Sends an event whose connection between the daemons is cut. An event that is refused has opened it before, over
    /// the same connection of the caller.
    private static func answerOfCut(
        _ pair: PeerPair, _ direction: CuttingProxy.Direction, key: String? = nil
    ) async throws -> RawAnswer {
        try await pair.start("a")
        return try await onOwnThread { [address = pair.standby.address, proxy = pair.proxy] in
            let connection = try RawConnection(to: address)
            #expect(try connection.answer(to: .event("lift", to: "a")).status == 422)
            proxy?.cut(after: (0, direction))
            return try connection.answer(to: .event("open", to: "a", key: key))
        }
    }

    @Test(arguments: [CuttingProxy.Direction.toServer, .toClient])
    func anEventWithoutAKeyIsNotSentTwice(_ direction: CuttingProxy.Direction) async throws {
        let pair = try await PeerPair(hasProxy: true)
        let answer = try await Self.answerOfCut(pair, direction)
        #expect(try answer.told.hasPrefix("503 outcome-unknown: The connection to the daemon at 127.0.0.1:"))
        #expect(pair.atStandby.looks.isEmpty)
        #expect(try await Self.metric("wfd_forward_failures_total{type=\"outcome-unknown\"}", pair) == 1)
        if direction == .toClient {
            try await eventually("the event is done") { try await Self.seq(pair) == 2 }
        } else {
            #expect(try await Self.seq(pair) == 1)
        }
        try await pair.stop()
    }

    @Test(arguments: [CuttingProxy.Direction.toServer, .toClient])
    func anEventWithAKeyIsSentAgainAndDoneOnce(_ direction: CuttingProxy.Direction) async throws {
        let pair = try await PeerPair(hasProxy: true)
        var random = SystemRandomNumberGenerator()
        let key = IdempotencyKey.make(milliseconds: pair.owner.engine.now.rawValue, random: &random)
        let answer = try await Self.answerOfCut(pair, direction, key: key)
        #expect(answer.status == 200)
        #expect(answer.headers["etag"] == "\"2\"")
        #expect(pair.atStandby.looks == [pair.place])
        #expect(try await Self.seq(pair) == 2)
        #expect(try await Self.metric("wfd_forward_retries_total", pair) == 1)
        try await pair.stop()
    }

    /// A start is forwarded by the router. The first request opens the connection, which is cut during the second.
    @Test func aStartWithoutAKeyIsNotSentTwice() async throws {
        let pair = try await PeerPair(hasProxy: true)
        try await pair.start("a")
        #expect(try await pair.standby.answer(to: .get("/v1/instances/a")).status == 200)
        pair.proxy?.cut(after: (0, .toClient))
        let answer = try await pair.standby.answer(
            to: .post("/v1/instances", "{\"machine\": \"door\", \"instance\": \"b\"}"))
        #expect(try answer.told.hasPrefix("503 outcome-unknown: The connection to the daemon at 127.0.0.1:"))
        #expect(pair.atStandby.looks.isEmpty)
        try await pair.stop()
    }

    @Test func aReadIsSentAgain() async throws {
        let pair = try await PeerPair(hasProxy: true)
        try await pair.start("a")
        #expect(try await pair.standby.answer(to: .get("/v1/instances/a")).status == 200)
        pair.proxy?.cut(after: (0, .toClient))
        #expect(try await pair.standby.answer(to: .get("/v1/instances/a")).status == 200)
        #expect(pair.atStandby.looks == [pair.place])
        try await pair.stop()
    }

    /// An answer that is not short has begun when it breaks off, and so does the caller's.
    @Test func aLongAnswerBreaksOff() async throws {
        let pair = try await PeerPair(hasProxy: true)
        try await pair.start("a")
        let text = JSONValue.string(String(repeating: "x", count: 500_000))
        _ = try await pair.owner.engine.send(SendCommand(instance: "a", event: Event(name: "open", data: text)))
        #expect(try await pair.standby.answer(to: .get("/v1/instances")).status == 200)
        pair.proxy?.cut(after: (200_000, .toClient))
        let read = try await onOwnThread { [address = pair.standby.address] in
            let connection = try RawConnection(to: address)
            try connection.write(RawRequest.get("/v1/instances/a/history").bytes)
            return try connection.readToEnd()
        }
        #expect(read.hasPrefix("HTTP/1.1 200") && (1_000..<500_000).contains(read.utf8.count))
        try await pair.stop()
    }

    /// A daemon that was stopped with its requests gives them no answer and closes no connection.
    @Test func whoWaitsAtTheFormerOwnerIsTakenToTheNew() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        let waiting = Task { try await pair.standby.answer(to: .get("/v1/instances/a/history?after=1&wait=60")) }
        try await eventually("the request is forwarded") {
            try await Self.metric("wfd_forwarded_requests_total", pair) == 1
        }
        pair.atStandby.move(to: .here)
        // The engine of the standby is empty.
        #expect(try await waiting.value.status == 404)
        try await pair.stop()
    }
}
