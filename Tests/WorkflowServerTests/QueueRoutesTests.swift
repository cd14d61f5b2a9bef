import DaemonTesting
import IdentityTesting
import SQLiteStore
import Statechart
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests queues, a person's decisions about effects, and reports in lines, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct QueueRoutesTests {
    private static let machine = """
        id: parcel
        initial: packing
        states:
          packing:
            invoke: {task: stock, retry: {attempts: 1}, onDone: packed}
          packed: {type: final}
        """

    private static func host(starting names: String...) async throws -> ServerHost {
        let host = try await ServerHost()
        _ = try await host.engine.apply(machine, syntax: .yaml)
        for name in names {
            _ = try await host.engine.start(StartCommand(machine: "parcel", instance: name))
        }
        return host
    }

    private static func patch(_ queue: String, _ body: String) -> RawRequest {
        RawRequest(
            "PATCH", Route.setQueue.path(queue), headers: [("Content-Type", "application/json")],
            body: Array(body.utf8))
    }

    private static func tokens(_ host: ServerHost, _ count: Int) async throws -> [String] {
        let lease = LeaseTasksCommand(queue: "stock", max: count, milliseconds: 60_000, worker: "w", by: .test)
        return try await host.engine.lease(lease, wait: .zero).map(\.token.text)
    }

    @Test func queuesAreListedWithWhatWaitsAndWhatIsSet() async throws {
        let host = try await Self.host(starting: "p-1", "p-2", "p-3")
        _ = try await Self.tokens(host, 1)
        let rate = #"{"rate": {"count": 100, "milliseconds": 1000}, "concurrency": 4, "paused": true}"#
        let set = try await host.answers(to: [Self.patch("stock", rate)])[0]
        #expect(set.status == 200)
        #expect(try set.object["queue"] == "task:stock" && set.object["concurrency"] == 4)
        #expect(try set.object["rate"] == ["count": 100, "milliseconds": 1000] && set.object["paused"] == true)
        // Null takes back, what is not said stays.
        let back = try await host.answers(to: [Self.patch("task:stock", #"{"rate": null, "paused": false}"#)])[0]
        #expect(try back.object["rate"] == nil && back.object["concurrency"] == 4 && back.object["paused"] == false)
        _ = try await host.answers(to: [Self.patch("http:pay.example.com:443", #"{"paused": true, "new": true}"#)])
        let first = try await host.answers(to: [.get("/v1/queues?limit=1")])[0].object
        let page = try #require(first["nextPage"]?.string)
        let second = try await host.answers(to: [.get("/v1/queues?limit=1&page=\(page)")])[0].object
        guard case .array(let items)? = second["items"], let item = items.first?.object else {
            Issue.record("no second page: \(second)")
            return
        }
        #expect(item["queue"] == "task:stock" && item["ready"] == 2 && item["leased"] == 1 && item["failed"] == 0)
        #expect(item["oldestDue"] != nil && item["settings"]?.object?["concurrency"] == 4)
        try await host.stop()
    }

    @Test(arguments: [
        ("stock", #"{"concurrency": 0}"#, 400), ("stock", #"{"rate": {"count": 1}}"#, 400),
        ("stock", #"{"rate": {"count": 0, "milliseconds": 1}}"#, 400), ("stock", #"{"pause": true}"#, 400),
        ("mail:x", #"{"paused": true}"#, 422), ("task:", #"{"paused": true}"#, 422),
        ("a b", #"{"paused": true}"#, 422),
    ])
    func whatCannotBeSetIsRefused(queue: String, body: String, status: Int) async throws {
        let host = try await Self.host()
        #expect(try await host.answers(to: [Self.patch(queue, body)])[0].status == status)
        #expect(try await host.answers(to: [.get("/v1/queues")])[0].object["items"] == [])
        try await host.stop()
    }

    @Test func aQueueThatNothingKnowsIsRefused() async throws {
        let host = try await Self.host()
        let refused = try await host.answers(to: [Self.patch("stok", #"{"paused": true}"#)])[0]
        #expect(refused.status == 404)
        #expect(try refused.object["type"]?.string?.hasSuffix("queue-not-found") == true)
        #expect(try refused.object["suggestion"] == "task:stock")
        #expect(try await host.answers(to: [.get("/v1/queues")])[0].object["items"] == [])
        // A definition is enough; nothing needs to have begun.
        #expect(try await host.answers(to: [Self.patch("stock", #"{"paused": true}"#)])[0].status == 200)
        #expect(try await host.answers(to: [Self.patch("stok", #"{"paused": true, "new": true}"#)])[0].status == 200)
        // A queue with settings is known.
        #expect(try await host.answers(to: [Self.patch("stok", #"{"paused": false}"#)])[0].status == 200)
        try await host.stop()
    }

    @Test func aPersonDecidesOnAnEffect() async throws {
        let host = try await Self.host(starting: "p")
        let task = try #require(try await Self.tokens(host, 1).first)
        let fail = RawRequest.post(Route.failTask.path(task), #"{"message": "m"}"#)
        #expect(try await host.answers(to: [fail])[0].status == 204)
        func decide(_ body: String, _ id: String = "packing", key: String? = nil) async throws -> RawAnswer {
            let headers = [("Content-Type", "application/json")] + (key.map { [("Idempotency-Key", $0)] } ?? [])
            let request = RawRequest(
                "POST", Route.decideEffect.path("p", id), headers: headers, body: Array(body.utf8))
            return try await host.answers(to: [request])[0]
        }
        let unknown = try await decide(#"{"action": "retry"}"#, "paking")
        #expect(unknown.status == 404)
        #expect(try unknown.object["suggestion"] == "packing")
        #expect(try await decide(#"{"action": "retry", "seq": 9}"#).status == 412)
        for wrong in [
            #"{"action": "stop"}"#, #"{"action": "retry", "result": 1}"#, #"{"action": "skip", "newKey": true}"#,
        ] {
            #expect(try await decide(wrong).status == 400)
        }
        let skip = #"{"action": "skip", "result": {"n": 1}, "seq": 1, "reason": "by hand"}"#
        let done = try await decide(skip, key: "k")
        #expect(done.status == 200)
        #expect(
            done.text
                == #"{"instance":"p","id":"packing","action":"skip","seq":3,"from":["packing"],"to":["packed"],"#
                + #""status":"done"}"#)
        #expect(try await decide(skip, key: "k").object["repeated"] == true)
        #expect(try await decide(#"{"action": "cancel"}"#, key: "k").status == 422)
        try await host.stop()
    }

    @Test func holdsAreToldAndReleased() async throws {
        let host = try await Self.host(starting: "p")
        try await host.engine.hold(HoldCommand(isHeld: true, by: .test))
        #expect(try await host.answers(to: [.get("/readyz")])[0].object["held"] == true)
        #expect(try await Self.tokens(host, 1).isEmpty)
        let release = RawRequest("POST", Route.release.path())
        #expect(try await host.answers(to: [release])[0].text == #"{"wasHeld":true}"#)
        #expect(try await host.answers(to: [release])[0].text == #"{"wasHeld":false}"#)
        #expect(try await host.answers(to: [.get("/readyz")])[0].object["held"] == nil)
        #expect(try await Self.tokens(host, 1).count == 1)
        try await host.stop()
    }

    @Test func aHoldAtAnotherPlaceSaysWhyUntilTheRelease() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("wfd.db")
        try await ServerHost(database: database, place: .fixed(StorePlace(inode: 12))).stop()
        let host = try await ServerHost(database: database, place: .fixed(StorePlace(inode: 15)))
        let why = "the database was copied or moved: its inode was 12 and is 15; held since this start, 2"
        for route in ["/readyz", "/v1/status"] {
            let answer = try await host.answers(to: [.get(route)])[0]
            #expect(try answer.object["held"] == true, "\(answer.text)")
            #expect(try answer.object["holdReason"]?.string?.hasPrefix(why) == true, "\(answer.text)")
        }
        try await host.engine.hold(HoldCommand(isHeld: false, by: .test))
        // A later hold on request has no reason.
        for isHeld in [false, true] {
            try await host.engine.hold(HoldCommand(isHeld: isHeld, by: .test))
            let answer = try await host.answers(to: [.get("/readyz")])[0]
            #expect(try answer.object["held"] == (isHeld ? true : nil) && answer.object["holdReason"] == nil)
        }
        try await host.stop()
    }

    @Test func reportsAreTakenLineByLine() async throws {
        let host = try await Self.host(starting: "p-1", "p-2", "p-3")
        let tokens = try await Self.tokens(host, 3)
        try #require(tokens.count == 3)
        let body = """
            {"task": "\(tokens[0])", "complete": null}

            {"task": "\(tokens[1])", "heartbeat": {"progress": 1}}
            {"task": "\(tokens[1])", "fail": {"message": "m"}}
            {"task": "\(tokens[2])"}
            {"task": "\(tokens[2])", "complete": 1, "fail": {"message": "m"}}
            {"task": "none", "complete": 1}
            no json
            """
        let request = RawRequest(
            "POST", Route.reportTasks.path(), headers: [("Content-Type", "application/x-ndjson")],
            body: Array(body.utf8))
        let answer = try await host.answers(to: [request])[0]
        let lines = try answer.text.split(separator: "\n").map { try JSONReader.value(from: Array($0.utf8)).object }
        #expect(lines.map { $0?["line"] } == [1, 3, 4, 5, 6, 7, 8])
        #expect(lines.map { $0?["status"] } == [204, 200, 204, 400, 400, 410, 400])
        #expect(lines[1]?["leasedUntil"] != nil)
        let twoFields = lines[4]?["error"]?.object?["detail"]
        #expect(twoFields == "A line has one of the fields 'complete', 'fail' and 'heartbeat'")
        #expect(try await host.engine.instance(named: "p-1").record.status == .done)
        #expect(try await host.engine.instance(named: "p-2").record.status == .failed)
        try await host.stop()
    }
}
