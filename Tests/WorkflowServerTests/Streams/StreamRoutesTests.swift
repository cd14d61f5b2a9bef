import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests the content of streams, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct StreamRoutesTests {
    private static let machine = """
        id: door
        initial: shut
        context: {n: 0}
        states:
          shut: {on: {open: ajar.wide, knock: {actions: {send: echo}}, echo: {actions: {assign: {n: 1 / context.n}}}}}
          ajar:
            on: {close: shut}
            initial: slit
            states:
              slit: {on: {open.more: wide}}
              wide: {on: {open.less: slit}}
        """

    private static func host(_ limits: ServerLimits = ServerLimits()) async throws -> ServerHost {
        let host = try await ServerHost(limits: limits)
        _ = try await host.engine.apply(machine, syntax: .yaml)
        _ = try await host.engine.apply(machine.replacing("id: door", with: "id: gate"), syntax: .yaml)
        return host
    }

    private static func send(_ host: ServerHost, _ instance: String, _ events: String...) async throws {
        for event in events {
            _ = try await host.engine.send(SendCommand(instance: instance, event: Event(name: event, data: nil)))
        }
    }

    private static func start(_ host: ServerHost, _ names: String..., machine: String = "door") async throws {
        for name in names { _ = try await host.engine.start(StartCommand(machine: machine, instance: name)) }
    }

    private static func reader(
        _ host: ServerHost, _ target: String, _ headers: [(name: String, value: String)] = []
    ) async throws -> EventReader {
        try await onOwnThread { [address = host.address] in try EventReader(target, of: address, headers: headers) }
    }

    /// Returns the next events of a stream: `instance seq event`.
    private static func told(_ reader: EventReader, _ count: Int) async throws -> [String] {
        try await onOwnThread {
            try (0..<count).compactMap { _ -> String? in
                guard let message = try reader.nextEvent() else { return nil }
                guard message.event == "transition", let data = message.data else { return message.data }
                let item = try JSONReader.value(from: data).object ?? JSONObject()
                guard item["cursor"]?.string == message.id else { return "id \(message.id ?? "")" }
                let seq = JSONWriter.string(item["seq"] ?? .null)
                return "\(item["instance"]?.string ?? "") \(seq) \(item["event"]?.string ?? "")"
            }
        }
    }

    @Test func aStreamBeginsNowAndTellsWhatComes() async throws {
        let host = try await Self.host()
        try await Self.start(host, "a")
        let reader = try await Self.reader(host, "/v1/stream")
        #expect(reader.status == 200 && reader.headers["content-type"] == "text/event-stream")
        #expect(reader.headers["cache-control"] == "no-store")
        let first = try await onOwnThread { try reader.next() }
        #expect(first?.hasComment == true && first?.id != nil && first?.data == nil)
        try await Self.send(host, "a", "open")
        try await Self.start(host, "b", machine: "gate")
        try await Self.send(host, "a", "close")
        #expect(try await Self.told(reader, 3) == ["a 2 open", "b 1 init", "a 3 close"])
        try await host.stop()
    }

    /// Parts are read in one go, and some rows are wide: a part ends early if its rows are large.
    @Test func partsThatAreReadAtOnceJoinOn() async throws {
        var limits = ServerLimits()
        limits.streamBytes = 4_000
        let host = try await Self.host(limits)
        try await Self.start(host, "a")
        var expected = ["a 1 init"]
        for seq in 2...400 {
            let event = seq.isMultiple(of: 2) ? "open" : "close"
            // Small ones for long, then large ones, and again.
            let size = seq / 100 % 2 == 0 ? seq % 7 : seq * 37 % 3_000
            let data = JSONValue.string(String(repeating: "x", count: size))
            _ = try await host.engine.send(SendCommand(instance: "a", event: Event(name: event, data: data)))
            expected.append("a \(seq) \(event)")
        }
        let reader = try await Self.reader(host, "/v1/stream?after=start")
        #expect(try await Self.told(reader, 400) == expected)
        let some = try await Self.reader(host, "/v1/stream?after=start&event=close")
        #expect(try await Self.told(some, 199) == expected.filter { $0.hasSuffix("close") })
        try await host.stop()
    }

    /// A repeated failure is marked, both in rows from the journal and in rows as they are written.
    @Test func aRetryThatFailedIsToldAsSuch() async throws {
        let host = try await Self.host()
        try await Self.start(host, "a", "b")
        let live = try await Self.reader(host, "/v1/stream?kind=failed")
        try await Self.send(host, "a", "knock")
        _ = try await host.engine.repair(RepairCommand(instance: "a", .retry, by: .test))
        try await Self.send(host, "b", "knock")
        let expected = ["a 3 ", "a 4 retry", "b 3 "]
        for reader in [live, try await Self.reader(host, "/v1/stream?after=start&kind=failed")] {
            let told = try await onOwnThread {
                try (0..<3).compactMap { _ in try reader.nextEvent()?.data }.map { data in
                    let item = try JSONReader.value(from: data).object ?? JSONObject()
                    let seq = JSONWriter.string(item["seq"] ?? .null)
                    return "\(item["instance"]?.string ?? "") \(seq) \(item["retry"] == .bool(true) ? "retry" : "")"
                }
            }
            #expect(told == expected)
        }
        try await host.stop()
    }

    @Test func itGoesOnBehindAnyRowAndBeforeTheFirst() async throws {
        let host = try await Self.host()
        try await Self.start(host, "a", "b")
        try await Self.send(host, "a", "open", "close")
        let all = ["a 1 init", "b 1 init", "a 2 open", "a 3 close"]
        let whole = try await Self.reader(host, "/v1/stream?after=start")
        let messages = try await onOwnThread { try (0..<4).compactMap { _ in try whole.nextEvent() } }
        try #require(messages.count == 4)
        for (offset, message) in messages.enumerated().dropLast() {
            let id = try #require(message.id)
            let rest = Array(all[(offset + 1)...])
            let behind = try await Self.reader(host, "/v1/stream?after=\(id)")
            #expect(try await Self.told(behind, rest.count) == rest)
            // The last event that the client saw counts, whatever its query says.
            let again = try await Self.reader(host, "/v1/stream?after=start", [("Last-Event-ID", id)])
            #expect(try await Self.told(again, rest.count) == rest)
        }
        let one = try await Self.reader(host, "/v1/instances/a/stream?after=\(messages[1].id ?? "")")
        #expect(try await Self.told(one, 2) == ["a 2 open", "a 3 close"])
        try await host.stop()
    }

    @Test func itBeginsWithWhatWasRecordedSinceATime() async throws {
        let host = try await Self.host()
        try await Self.start(host, "a", "b")
        for _ in 0..<20 { try await Self.send(host, "a", "open", "close") }
        let whole = try await Self.reader(host, "/v1/stream?after=start")
        let events = try await onOwnThread {
            try (0..<42).compactMap { _ in
                try whole.nextEvent()?.data.map { try JSONReader.value(from: $0).object } ?? nil
            }
        }
        for (offset, event) in events.enumerated() {
            let time = try #require(event["at"]?.string)
            // Several may have been recorded in one millisecond.
            let first = try #require(events.firstIndex { $0["at"]?.string == time })
            let since = try await Self.reader(host, "/v1/stream?after=\(time)")
            let cursor = try await onOwnThread { try since.nextEvent()?.id }
            #expect(cursor == events[first]["cursor"]?.string, "row \(offset)")
        }
        let one = try await Self.reader(host, "/v1/instances/b/stream?after=2000-01-01T00:00:00.000Z")
        #expect(try await Self.told(one, 1) == ["b 1 init"])
        let later = try await Self.reader(host, "/v1/stream?after=9000-01-01T00:00:00.000Z")
        _ = try await onOwnThread { try later.next() }
        try await Self.send(host, "b", "open")
        #expect(try await Self.told(later, 1) == ["b 2 open"])
        try await host.stop()
    }

    @Test func oneInstanceHasAStreamOfItsOwn() async throws {
        let host = try await Self.host()
        try await Self.start(host, "a", "b")
        try await Self.send(host, "a", "open")
        let reader = try await Self.reader(host, "/v1/instances/a/stream?after=start")
        #expect(try await Self.told(reader, 2) == ["a 1 init", "a 2 open"])
        let now = try await Self.reader(host, "/v1/instances/a/stream")
        _ = try await onOwnThread { try now.next() }
        try await Self.send(host, "b", "open")
        try await Self.send(host, "a", "close")
        #expect(try await Self.told(reader, 1) == ["a 3 close"])
        #expect(try await Self.told(now, 1) == ["a 3 close"])
        try await host.stop()
    }

    /// The whole journal and one instance have the same filters, both in the store and for the newest rows.
    @Test(arguments: [
        ("machine=gate", ["g 1 init", "g 2 open"]), ("kind=failed", ["a 6 echo", "a 7 echo"]),
        ("event=open", ["a 2 open", "g 2 open"]), ("event=open.*", ["a 2 open", "a 3 open.less", "g 2 open"]),
        ("state=ajar", ["a 2 open", "a 4 close", "g 2 open"]),
        ("state=ajar.slit", ["a 3 open.less", "a 4 close"]), ("state=ajar&event=close", ["a 4 close"]),
        ("state=shut&machine=gate", ["g 1 init", "g 2 open"]),
        ("event=open&event=close", ["a 2 open", "a 4 close", "g 2 open"]),
        ("machine=gate&machine=door&event=open", ["a 2 open", "g 2 open"]),
        ("kind=failed&kind=started", ["a 1 init", "a 6 echo", "a 7 echo", "g 1 init"]),
        ("state=ajar.slit&state=ajar&event=open.*", ["a 2 open", "a 3 open.less", "g 2 open"]),
    ])
    func filtersPickRows(query: String, expected: [String]) async throws {
        let host = try await Self.host()
        let live = try await Self.reader(host, "/v1/stream?\(query)")
        try await Self.start(host, "a")
        try await Self.send(host, "a", "open", "open.less", "close", "knock")
        _ = try await host.engine.repair(RepairCommand(instance: "a", .retry))
        try await Self.start(host, "g", machine: "gate")
        try await Self.send(host, "g", "open")
        #expect(try await Self.told(live, expected.count) == expected)
        let past = try await Self.reader(host, "/v1/stream?after=start&\(query)")
        #expect(try await Self.told(past, expected.count) == expected)
        if !query.contains("machine") {
            let ours = expected.filter { $0.hasPrefix("a ") }
            let one = try await Self.reader(host, "/v1/instances/a/stream?after=start&\(query)")
            #expect(try await Self.told(one, ours.count) == ours)
        }
        try await host.stop()
    }

    /// A row in a stream equals the row in the history.
    @Test func aRowIsThatOfTheHistory() async throws {
        let host = try await Self.host()
        try await Self.start(host, "a")
        try await Self.send(host, "a", "open", "close", "knock")
        _ = try await host.engine.repair(RepairCommand(instance: "a", .retry, reason: "again"))
        let history = try await host.answers(to: [.get("/v1/instances/a/history")])[0].object
        let rows = (history["items"] ?? .null).elements
        #expect(rows.count == 6 && rows.last?.object?["retry"] == true)
        for target in ["/v1/stream?after=start", "/v1/instances/a/stream?after=start"] {
            let reader = try await Self.reader(host, target)
            for row in rows {
                let data = try await onOwnThread { try reader.nextEvent()?.data }
                let told = try JSONReader.value(from: try #require(data)).object ?? JSONObject()
                let own: Set = ["instance", "machine", "version"]
                #expect(own.isSubset(of: told.members.map(\.key)))
                let rest = told.members.filter { !own.contains($0.key) }
                #expect(rest.map(\.key) == row.object?.members.map(\.key))
                #expect(rest.map(\.value) == row.object?.members.map(\.value))
            }
        }
        try await host.stop()
    }

    @Test func aQuietStreamSaysHowFarItIs() async throws {
        var limits = ServerLimits()
        limits.streamSilence = .milliseconds(60)
        let host = try await Self.host(limits)
        let reader = try await Self.reader(host, "/v1/stream?machine=gate")
        let first = try await onOwnThread { try reader.next()?.id }
        try await Self.start(host, "a")
        try await Self.send(host, "a", "open")
        let history = try await host.answers(to: [.get("/v1/instances/a/history?reverse=true&limit=1")])[0].object
        let last = try #require((history["items"] ?? .null).elements.first?.object?["cursor"]?.string)
        #expect(first != last)
        let reached = try await onOwnThread {
            while let message = try reader.next() {
                guard message.hasComment, message.data == nil else { return false }
                if message.id == last { return true }
            }
            return false
        }
        #expect(reached)
        try await host.stop()
    }

    @Test func whatIsWrongIsTold() async throws {
        let host = try await Self.host()
        try await Self.start(host, "a")
        // Base64 of 1.0.9999999: no row is there yet.
        let later = "MS4wLjk5OTk5OTk"
        let cases: [(target: String, status: Int, detail: String)] = [
            ("/v1/stream?machine=dor", 404, "There is no machine 'dor'"),
            (
                "/v1/stream?event=pay*", 400, "Parameter 'event' must be a name, 'NAME.*' or '*', not 'pay*'"
            ),
            (
                "/v1/stream?kind=fail", 400,
                "Parameter 'kind' must be one of started, event, sent, timer, result, failed, retried, skipped, "
                    + "suspended, resumed, cancelled, reset, set, migrated, effect, redacted, not 'fail'; did you mean "
                    + "'failed'?"
            ),
            (
                "/v1/stream?after=yesterday", 400,
                "Parameter 'after' must be 'start', a time as 2026-11-24T15:07:52.901Z, or the cursor of a row as it was "
                    + "given, not 'yesterday'"
            ),
            (
                "/v1/stream?since=x", 400,
                "Unknown parameter 'since' (known here: machine, kind, event, state, after)"
            ),
            (
                "/v1/instances/a/stream?machine=door", 400,
                "Unknown parameter 'machine' (known here: kind, event, state, after)"
            ),
            ("/v1/instances/x/stream", 404, "There is no instance 'x'"),
            ("/v1/stream?after=\(later)", 410, "The database has no row of this cursor yet: another one has given it"),
            ("/v1/instances/a/stream?after=\(later)", 410, "The database has no row of this cursor yet"),
            ("/v1/instances/a/history?cursor=\(later)", 410, "The database has no row of this cursor yet"),
        ]
        for (target, status, detail) in cases {
            let answer = try await host.answers(to: [.get(target)])[0]
            let told = try answer.object["detail"]?.string ?? ""
            #expect(answer.status == status && told.hasPrefix(detail), "\(target): \(answer.status) \(told)")
        }
        let header = RawRequest("GET", "/v1/stream", headers: [("Last-Event-ID", "7")])
        let told = try await host.answers(to: [header])[0].object["detail"]?.string
        #expect(told == "Header 'Last-Event-ID' must be the cursor of a row as it was given, not '7'")
        try await host.stop()
    }

    @Test func thereIsABoundAndWhoeverLeavesMakesRoom() async throws {
        var limits = ServerLimits()
        limits.streams = 2
        let host = try await Self.host(limits)
        var readers = [try await Self.reader(host, "/v1/stream"), try await Self.reader(host, "/v1/stream")]
        let refused = try await host.answers(to: [.get("/v1/stream")])[0]
        #expect(refused.status == 503 && refused.headers["retry-after"] != nil)
        #expect(try refused.object["detail"] == "2 streams are open already")
        readers.removeLast()
        try await eventually("there is room") { try await Self.reader(host, "/v1/stream").status == 200 }
        withExtendedLifetime(readers) {}
        try await host.stop()
    }

    @Test func aStopEndsStreamsInOrder() async throws {
        let host = try await Self.host()
        try await Self.start(host, "a")
        let reader = try await Self.reader(host, "/v1/stream?after=start")
        let one = try await Self.reader(host, "/v1/instances/a/stream?after=start")
        #expect(try await Self.told(reader, 1) == ["a 1 init"])
        #expect(try await Self.told(one, 1) == ["a 1 init"])
        async let ended = onOwnThread {
            var last: EventReader.Message?
            while let message = try reader.next() { last = message }
            return last?.data == nil
        }
        try await host.stop()
        #expect(try await ended)
        #expect(try await onOwnThread { try one.nextEvent() } == nil)
    }

    /// A stopping daemon does not wait for a client that does not read.
    @Test func aStopCutsOffWhoDoesNotRead() async throws {
        var limits = ServerLimits()
        limits.streamEnding = .milliseconds(200)
        let host = try await Self.host(limits)
        try await Self.start(host, "a")
        let data = JSONValue.string(String(repeating: "x", count: 100_000))
        for _ in 0..<20 {
            _ = try await host.engine.send(SendCommand(instance: "a", event: Event(name: "open", data: data)))
            try await Self.send(host, "a", "close")
        }
        let reader = try await Self.reader(host, "/v1/stream?after=start")
        try await host.stop()
        // The bytes that the system had taken may be whole. Then the stream ends.
        _ = try? await onOwnThread { while try reader.next() != nil {} }
    }
}

extension JSONValue {
    /// The elements of a list; empty if the value is not a list.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
