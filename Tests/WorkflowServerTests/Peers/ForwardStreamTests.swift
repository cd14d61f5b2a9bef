import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests requests and answers that last, through a standby.
@Suite(.timeLimit(.minutes(20))) struct ForwardStreamTests {
    private static func send(_ pair: PeerPair, _ event: String) async throws {
        _ = try await pair.owner.engine.send(SendCommand(instance: "a", event: Event(name: event, data: nil)))
    }

    private static func reader(_ pair: PeerPair) async throws -> EventReader {
        try await onOwnThread { [address = pair.standby.address] in try EventReader("/v1/stream", of: address) }
    }

    @Test func aStreamTellsWhatTheOwnerWrites() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        let reader = try await Self.reader(pair)
        #expect(reader.status == 200 && reader.headers["content-type"] == "text/event-stream")
        #expect(try await onOwnThread { try reader.next() }?.hasComment == true)
        for event in ["open", "close"] {
            try await Self.send(pair, event)
            #expect(try await onOwnThread { try reader.nextEvent() }?.data?.contains("\"\(event)\"") == true)
        }
        // When the standby stops, the stream ends properly.
        try await pair.standby.stop()
        #expect(try await onOwnThread { try reader.next() } == nil)
        try await pair.owner.stop()
    }

    /// The owner has one place for streams. It is free again when the standby has let its stream go.
    @Test func aStreamEndsWithItsCaller() async throws {
        var limits = ServerLimits()
        limits.streams = 1
        let pair = try await PeerPair(limits: limits)
        var reader: EventReader? = try await Self.reader(pair)
        #expect(reader?.status == 200)
        #expect(try await Self.reader(pair).status == 503)
        reader = nil
        try await eventually("the place is free") { try await Self.reader(pair).status == 200 }
        try await pair.stop()
    }

    @Test func whoWaitsForHistoryGetsItWhenItIsThere() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        let waiting = Task { try await pair.standby.answer(to: .get("/v1/instances/a/history?after=1&wait=60")) }
        try await letPass(.milliseconds(200))
        try await Self.send(pair, "open")
        #expect(try await waiting.value.items.map { $0["event"] } == ["open"])
        try await pair.stop()
    }

    @Test func aWorkerGetsItsTaskAndReportsIt() async throws {
        let pair = try await PeerPair()
        let waiting = Task { try await pair.standby.answer(to: .post("/v1/tasks/jobs/lease", "{\"wait\": 60}")) }
        try await letPass(.milliseconds(200))
        try await pair.start("a")
        let tasks = try await waiting.value.object["tasks"]
        guard case .array(let items)? = tasks, let task = items.first?.object?["task"]?.string else {
            throw TestingError("no task")
        }
        let done = try await pair.standby.answer(to: .post("/v1/tasks/\(task)/complete", "1"))
        #expect(done.status == 204 && done.body.isEmpty)
        try await pair.stop()
    }

    @Test func whoWaitsWhileTheStandbyStopsIsSentElsewhere() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        let waiting = Task { try await pair.standby.answer(to: .get("/v1/instances/a/history?after=1&wait=60")) }
        try await letPass(.milliseconds(200))
        try await pair.standby.stop()
        #expect(try await waiting.value.told.hasPrefix("503 draining: "))
        try await pair.owner.stop()
    }

    // MARK: Lines

    private static let ndjson = "application/x-ndjson"

    @Test func tenThousandLinesAreAnsweredInTheirOrder() async throws {
        let pair = try await PeerPair()
        try await pair.start("a", "b")
        let lines = (0..<10_000).map { number in
            let event = number / 2 % 2 == 0 ? "open" : "close"
            return "{\"instance\": \"\(number % 2 == 0 ? "a" : "b")\", \"event\": \"\(event)\"}\n"
        }
        let answer = try await pair.standby.answer(to: .post("/v1/events", lines.joined(), as: Self.ndjson))
        let answers = answer.text.split(separator: "\n")
        #expect(answer.status == 200 && answers.count == 10_000)
        for (number, line) in answers.enumerated() {
            #expect(line.hasPrefix("{\"line\":\(number + 1),\"status\":200,"))
        }
        for name in ["a", "b"] {
            #expect(try await pair.owner.engine.instance(named: name).record.seq == Seq(rawValue: 5_001))
        }
        try await pair.stop()
    }

    @Test func aLineIsAnsweredBeforeTheNextIsSent() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        let texts = try await onOwnThread { [address = pair.standby.address] in
            let connection = try RawConnection(to: address)
            let head = RawRequest(
                "POST", "/v1/events", headers: [("Content-Type", Self.ndjson), ("Transfer-Encoding", "chunked")])
            try connection.write(head.bytes)
            let texts = try ["open", "close", "open"].map { event in
                let line = "{\"instance\": \"a\", \"event\": \"\(event)\"}\n"
                let size = String(line.utf8.count, radix: 16)
                try connection.write(Array("\(size)\r\n\(line)\r\n".utf8))
                return try connection.read(through: "\"event\":\"\(event)\"")
            }
            try connection.write(Array("0\r\n\r\n".utf8))
            _ = try connection.read(through: "0\r\n\r\n")
            // The connection goes on.
            return texts + ["\(try connection.answer(to: .get("/v1/instances/a")).status)"]
        }
        #expect(texts.count == 4 && texts.last == "200")
        try await pair.stop()
    }

    /// The owner refuses before it has read the body, which its caller still sends.
    @Test func linesThatAreRefusedEndTheConnection() async throws {
        let pair = try await PeerPair()
        let text = try await onOwnThread { [address = pair.standby.address] in
            let connection = try RawConnection(to: address)
            let head = RawRequest(
                "POST", "/v1/events?atomic=perhaps",
                headers: [("Content-Type", Self.ndjson), ("Transfer-Encoding", "chunked")])
            try connection.write(head.bytes + Array("2\r\n{}\r\n".utf8))
            return try connection.readToEnd()
        }
        #expect(text.hasPrefix("HTTP/1.1 400") && text.contains("invalid-parameter"))
        #expect(try await pair.standby.answer(to: .get("/v1/instances")).status == 200)
        try await pair.stop()
    }

    /// The body was sent in part when the owner refuses it. It is kept, and sent again.
    @Test func linesAreSentAgainToTheNextOwner() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        pair.atOwner.move(to: .nowhere)
        let owner = pair.atOwner
        pair.atStandby.whenLooking { owner.move(to: .here) }
        let line = "{\"instance\": \"a\", \"event\": \"open\"}\n"
        let answer = try await pair.standby.answer(to: .post("/v1/events", line, as: Self.ndjson))
        #expect(answer.status == 200 && answer.text.hasPrefix("{\"line\":1,\"status\":200,"))
        #expect(pair.atStandby.looks == [pair.place])
        try await pair.stop()
    }

    /// The caller is gone in the middle of its lines. What was complete is done, and the owner waits for no more.
    @Test func linesThatBreakOffBreakOffAtTheOwner() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        try await onOwnThread { [address = pair.standby.address] in
            let connection = try RawConnection(to: address)
            let line = "{\"instance\": \"a\", \"event\": \"open\"}\n"
            let head = RawRequest(
                "POST", "/v1/events", headers: [("Content-Type", Self.ndjson), ("Content-Length", "1000")])
            try connection.write(head.bytes + Array(line.utf8))
            _ = try connection.read(through: "\"status\":200")
        }
        #expect(try await pair.owner.engine.instance(named: "a").record.seq == Seq(rawValue: 2))
        #expect(try await pair.standby.answer(to: .get("/v1/instances/a")).status == 200)
        try await pair.stop()
    }
}
