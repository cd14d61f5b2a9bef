import DaemonTesting
import IdentityTesting
import Statechart
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests a worker's requests and reports, over real sockets.
@Suite struct TaskRoutesTests {
    private static let machine = """
        id: parcel
        initial: packing
        context: {items: [], receipt: null, why: null}
        states:
          packing:
            invoke:
              task: stock
              input: {items: context.items}
              retry: {attempts: 3, first: 1ms, jitter: 0}
              onDone: {target: packed, actions: {assign: {receipt: event.data}}}
              onError: {target: refused, actions: {assign: {why: event.data}}}
          packed: {type: final}
          refused: {type: final}
        """

    private static func host(starting names: String...) async throws -> ServerHost {
        let host = try await ServerHost()
        _ = try await host.engine.apply(machine, syntax: .yaml)
        for name in names { try await start(name, on: host) }
        return host
    }

    private static func start(_ name: String, items: JSONValue = ["pen"], on host: ServerHost) async throws {
        _ = try await host.engine.start(
            StartCommand(machine: "parcel", instance: name, data: ["items": items]))
    }

    private static func lease(_ host: ServerHost, _ body: String = "{}") async throws -> [JSONObject] {
        let answer = try await host.answers(to: [.post("/v1/tasks/stock/lease", body)])[0]
        guard answer.status == 200, case .array(let tasks)? = try answer.object["tasks"] else {
            throw TestingError("no tasks: \(answer.status) \(answer.text)")
        }
        return tasks.compactMap(\.object)
    }

    private static func token(_ task: JSONObject?) throws -> String { try #require(task?["task"]?.string) }

    private static func status(_ name: String, on host: ServerHost) async throws -> JSONObject {
        try await host.answers(to: [.get("/v1/instances/\(name)")])[0].object
    }

    @Test(.timeLimit(.minutes(20))) func aTaskIsHandedOutWithAllThatItsWorkerNeeds() async throws {
        let host = try await Self.host(starting: "p-1", "p-2")
        let tasks = try await Self.lease(host, #"{"max": 1, "lease": 60, "worker": "w"}"#)
        #expect(tasks.count == 1)
        let task = try #require(tasks.first)
        #expect(task["instance"] == "p-1" && task["id"] == "packing" && task["attempt"] == 1)
        #expect(task["input"] == ["items": ["pen"]])
        #expect(
            task.members.map(\.key).sorted() == [
                "attempt", "id", "input", "instance", "key", "leasedUntil", "task", "traceparent",
            ])
        // The other one; then there is none.
        #expect(try await Self.lease(host, #"{"max": 100}"#).map { $0["instance"] } == ["p-2"])
        #expect(try await Self.lease(host).isEmpty)
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: [#"{"box": 7}"#, "[1,\"a\"]", "null", ""])
    func aResultBecomesTheEventsData(result: String) async throws {
        let host = try await Self.host(starting: "p")
        let path = Route.completeTask.path(try Self.token(try await Self.lease(host).first))
        // An answer that was lost: the same is said again.
        for _ in 1...2 {
            let answer = try await host.answers(to: [.post(path, result, as: result.isEmpty ? nil : "application/json")]
            )
            #expect(answer[0].status == 204 && answer[0].body.isEmpty)
        }
        let instance = try await Self.status("p", on: host)
        let receipt = result.isEmpty ? JSONValue.null : try JSONReader.value(from: Array(result.utf8))
        #expect(instance["status"] == "done" && instance["context"]?.object?["receipt"] == receipt)
        #expect(instance["seq"] == 2)
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aFailureIsTriedAgainUntilItIsNot() async throws {
        let host = try await Self.host(starting: "p")
        let first = try await Self.lease(host).first
        let failure = #"{"type": "no-box", "message": "none left", "details": {"size": 3}}"#
        let failed = RawRequest.post(Route.failTask.path(try Self.token(first)), failure)
        #expect(try await host.answers(to: [failed])[0].status == 204)
        // The lease has ended with it.
        let again = try await host.answers(to: [failed])[0]
        #expect(again.status == 410)
        #expect(try again.object["detail"] == "The lease is lost: it ran out, and others may have the task")
        let second = try await Self.lease(host, #"{"wait": 30}"#).first
        #expect(second?["attempt"] == 2 && second?["key"] == first?["key"])
        let hopeless = RawRequest.post(
            Route.failTask.path(try Self.token(second)), #"{"message": "never", "retry": false}"#)
        #expect(try await host.answers(to: [hopeless])[0].status == 204)
        let instance = try await Self.status("p", on: host)
        #expect(
            instance["context"]?.object?["why"] == ["type": "failed", "message": "never", "attempts": 2])
        #expect(instance["configuration"] == ["refused"])
        try await host.stop()
    }

    /// After the end of the invocation, nothing else has the number of its attempts and the reasons of their failures.
    @Test(.timeLimit(.minutes(20))) func attemptsAreToldWhenTheirInvocationHasEnded() async throws {
        let host = try await Self.host(starting: "p", "q")
        for name in ["p", "q"] {
            let task = try await Self.lease(host, #"{"max": 1}"#).first
            #expect(task?["instance"]?.string == name)
            let body = #"{"type": "no-box", "message": "none left", "retry": false}"#
            let failed = RawRequest.post(Route.failTask.path(try Self.token(task)), body)
            #expect(try await host.answers(to: [failed])[0].status == 204)
        }
        #expect(try await host.answers(to: [.get("/v1/effects?instance=p")])[0].object["items"] == [])
        let answer = try await host.answers(to: [.get("/v1/instances/p/attempts")])[0]
        guard case .array(let items)? = try answer.object["items"], let item = items.first?.object else {
            throw TestingError("no attempts: \(answer.text)")
        }
        #expect(items.count == 1 && item["id"] == "packing" && item["seq"] == 1 && item["attempt"] == 1)
        #expect(item["outcome"] == "no-box" && item["error"] == ["type": "no-box", "message": "none left"])
        let ofAnother = try await host.answers(to: [.get("/v1/instances/q/attempts?page=WzEsInEiLCJzIl0")])[0]
        #expect(ofAnother.status == 400)
        #expect(try ofAnother.object["type"] == "invalid-page-token")
        #expect(try await host.answers(to: [.get("/v1/instances/r/attempts")])[0].status == 404)
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whoCompletesBehindAnotherWorkerIsToldSo() async throws {
        let host = try await Self.host(starting: "p")
        let first = try Self.token(try await Self.lease(host).first)
        let failed = RawRequest.post(Route.failTask.path(first), #"{"message": "x", "retryAfter": 0}"#)
        #expect(try await host.answers(to: [failed])[0].status == 204)
        let second = try Self.token(try await Self.lease(host).first)
        for (task, result, status) in [(first, "1", 410), (second, "2", 204), (first, "3", 410), (second, "4", 204)] {
            #expect(try await host.answers(to: [.post(Route.completeTask.path(task), result)])[0].status == status)
        }
        let told = try await host.answers(to: [.post(Route.prolongTask.path(first), "{}")])[0]
        #expect(told.status == 410)
        #expect(try told.object["detail"] == "The lease is lost: the task has ended or was cancelled")
        let instance = try await Self.status("p", on: host)
        #expect(instance["context"]?.object?["receipt"] == 2 && instance["seq"] == 2)
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aSignOfLifeProlongsTheLeaseAndTellsTheNextAttempt() async throws {
        let host = try await Self.host(starting: "p")
        let task = try await Self.lease(host, #"{"lease": 100}"#).first
        let path = Route.prolongTask.path(try Self.token(task))
        for body in [#"{"progress": {"packed": 2}}"#, "{}", ""] {
            let answer = try await host.answers(to: [.post(path, body, as: body.isEmpty ? nil : "application/json")])[0]
            #expect(answer.status == 200)
            let until = try answer.object["leasedUntil"]?.string.flatMap(WireTime.init(text:))
            let before = task?["leasedUntil"]?.string.flatMap(WireTime.init(text:))
            #expect(try #require(until) >= #require(before))
        }
        let fail = RawRequest.post(Route.failTask.path(try Self.token(task)), #"{"message": "x", "retryAfter": 0}"#)
        #expect(try await host.answers(to: [fail])[0].status == 204)
        #expect(try await Self.lease(host).first?["progress"] == ["packed": 2])
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["x", String(repeating: "0", count: 80), "%C3%A9"])
    func whatIsNoTaskIsLost(task: String) async throws {
        let host = try await Self.host()
        for (verb, body) in [("complete", "1"), ("fail", #"{"message": "x"}"#), ("heartbeat", "{}")] {
            let answer = try await host.answers(to: [.post("/v1/tasks/\(task)/\(verb)", body)])[0]
            #expect(answer.status == 410)
            #expect(try answer.object["type"] == "lease-lost")
            if task.count < 80 { #expect(try answer.object["detail"] == "The lease is lost: this is no task") }
        }
        try await host.stop()
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            (#"{"max": 0}"#, "Field 'max' must be from 1 to 100, not 0"),
            (#"{"max": 101}"#, "Field 'max' must be from 1 to 100, not 101"),
            (#"{"max": 1.5}"#, "Field 'max' must be an int, not a double"),
            (#"{"wait": 61}"#, "Field 'wait' must be from 0 to 60, not 61"),
            (#"{"wait": -1}"#, "Field 'wait' must be from 0 to 60, not -1"),
            (#"{"lease": 4}"#, "Field 'lease' must be from 5 to 3600, not 4"),
            (#"{"lease": 3601}"#, "Field 'lease' must be from 5 to 3600, not 3601"),
            (#"{"worker": ""}"#, "Field 'worker' must have 1 to 200 bytes, not 0"),
            (#"{"limit": 1}"#, "Unknown field 'limit' (known here: max, wait, lease, worker)"),
            ("[]", "The body must be a map, not a list"),
        ])
    func aWrongLeaseIsRefusedByItsField(body: String, detail: String) async throws {
        let host = try await Self.host()
        let answer = try await host.answers(to: [.post("/v1/tasks/stock/lease", body)])[0]
        #expect(answer.status == 400)
        #expect(try answer.object["detail"] == .string(detail))
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["1stock", "task:stock", "a b", String(repeating: "q", count: 201)])
    func aNameThatIsNoneIsRefused(queue: String) async throws {
        let host = try await Self.host()
        let answer = try await host.answers(to: [.post(Route.leaseTasks.path(queue), "{}")])[0]
        #expect(answer.status == 422)
        #expect(
            try answer.object["detail"]
                == .string(
                    "'\(queue.prefix(40))' is no name of a queue: letters, digits, '_', '.' and '-', first a letter "
                        + "or '_'"))
        try await host.stop()
    }

    private static func long(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }

    private static let wrongFailures: [(body: String, detail: String)] = [
        ("{}", "Field 'message' is missing"),
        (#"{"message": "x", "type": "a b"}"#, "Field 'type' must have letters, digits, '-', '_' and '.' only"),
        (#"{"message": "x", "type": ""}"#, "Field 'type' must have 1 to 100 bytes, not 0"),
        (#"{"message": "x", "retryAfter": -1}"#, "Field 'retryAfter' must be from 0 to 31536000, not -1"),
        (
            #"{"message": "x", "again": true}"#,
            "Unknown field 'again' (known here: type, message, details, retry, retryAfter)"
        ),
        ("{\"message\": \(long(1_001))}", "Field 'message' must have 1000 bytes at most, not 1001"),
        (
            "{\"message\": \"x\", \"details\": \(long(16_384))}",
            "Field 'details' must have 16384 bytes at most, not 16386"
        ),
    ]

    @Test(.timeLimit(.minutes(20)), arguments: wrongFailures)
    func aWrongFailureIsRefusedByItsField(body: String, detail: String) async throws {
        let host = try await Self.host(starting: "p")
        let task = try Self.token(try await Self.lease(host).first)
        let answer = try await host.answers(to: [.post(Route.failTask.path(task), body)])[0]
        #expect(answer.status == 400)
        #expect(try answer.object["detail"] == .string(detail))
        // The worker still has the task.
        #expect(try await host.answers(to: [.post(Route.completeTask.path(task), "1")])[0].status == 204)
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aResultThatIsNoneIsRefused() async throws {
        let host = try await Self.host(starting: "p")
        let path = Route.completeTask.path(try Self.token(try await Self.lease(host).first))
        let deep = String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)
        let large = "\"" + String(repeating: "x", count: 1 << 20) + "\""
        for (body, type, status) in [
            ("{", "application/json", 400), (deep, "application/json", 400), ("1e999", "application/json", 422),
            ("1", "text/plain", 415), (large, "application/json", 413),
        ] {
            #expect(try await host.answers(to: [.post(path, body, as: type)])[0].status == status, "\(body.prefix(9))")
        }
        #expect(try await host.answers(to: [.post(path, "1")])[0].status == 204)
        try await host.stop()
    }
}

/// Tests that a client that goes away gets no task.
@Suite struct LostWorkerTests {
    /// A machine with a state for each of several sizes of input.
    private static let machine = """
        id: parcel
        initial: packing
        context: {text: ''}
        states:
          packing: {invoke: {task: stock, input: {text: context.text}, onDone: packed}}
          packed: {type: final}
        """

    private static func host() async throws -> ServerHost {
        let host = try await ServerHost()
        _ = try await host.engine.apply(machine, syntax: .yaml)
        return host
    }

    private static func start(_ name: String, bytes: Int = 0, on host: ServerHost) async throws {
        let text = String(repeating: "x", count: bytes)
        _ = try await host.engine.start(
            StartCommand(machine: "parcel", instance: name, data: ["text": .string(text)]))
    }

    private static func attempts(_ answer: RawAnswer) throws -> [JSONValue?] {
        guard case .array(let tasks)? = try answer.object["tasks"] else { return [] }
        return tasks.map { $0.object?["attempt"] }
    }

    private static let patient = RawRequest.post("/v1/tasks/stock/lease", #"{"wait": 60, "lease": 3600}"#)

    @Test(.timeLimit(.minutes(20))) func whoWaitsIsGivenWhatComes() async throws {
        let host = try await Self.host()
        async let answer = host.answers(to: [Self.patient])
        try await Self.start("p", on: host)
        #expect(try Self.attempts(try await answer[0]) == [1])
        try await host.stop()
    }

    /// The waiting client has gone when the task comes, and the other one gets it, at its first attempt.
    @Test(.timeLimit(.minutes(20))) func whoLeavesWhileItWaitsIsGivenNothing() async throws {
        let host = try await Self.host()
        for _ in 0..<8 {
            try await onOwnThread { [address = host.address] in
                let connection = try RawConnection(to: address)
                _ = try connection.answer(to: .get("/livez"))
                try connection.write(Self.patient.bytes)
            }
        }
        try await Self.start("p", on: host)
        #expect(try Self.attempts(try await host.answers(to: [Self.patient])[0]) == [1])
        try await host.stop()
    }

    /// The answer is larger than the system's buffers for a client that does not read.
    @Test(.timeLimit(.minutes(20))) func aTaskWhoseAnswerIsNotTakenIsGivenBack() async throws {
        let host = try await Self.host()
        for number in 0..<4 { try await Self.start("p-\(number)", bytes: 900_000, on: host) }
        let request = RawRequest.post("/v1/tasks/stock/lease", #"{"max": 4, "lease": 3600}"#)
        try await onOwnThread { [address = host.address] in
            let connection = try RawConnection(to: address)
            try connection.write(request.bytes)
            // The head is there, so the tasks were handed out; the rest is never read.
            _ = connection.isAtEnd
        }
        var attempts: [JSONValue?] = []
        while attempts.count < 4 { attempts += try Self.attempts(try await host.answers(to: [Self.patient])[0]) }
        #expect(attempts == [1, 1, 1, 1])
        try await host.stop()
    }

    /// A client that has read its answer has its tasks, even if it goes away then.
    @Test(.timeLimit(.minutes(20))) func aTaskThatWasTakenIsNotGivenToOthers() async throws {
        let host = try await Self.host()
        try await Self.start("p", on: host)
        let request = RawRequest.post("/v1/tasks/stock/lease", #"{"lease": 3600}"#)
        #expect(try Self.attempts(try await host.answers(to: [request])[0]) == [1])
        #expect(try Self.attempts(try await host.answers(to: [request])[0]) == [])
        try await host.stop()
    }
}

/// Tests the list of effects of instances.
@Suite struct EffectRoutesTests {
    private static let machine = """
        id: parcel
        type: parallel
        states:
          pack: {invoke: {task: stock, retry: {first: 1h, jitter: 0}}}
          mail: {invoke: {task: {queue: post, priority: 1}}}
        """

    private static func items(_ host: ServerHost, _ query: String = "") async throws -> (
        items: [JSONObject], next: String?
    ) {
        let answer = try await host.answers(to: [.get("/v1/effects" + query)])[0]
        guard answer.status == 200, case .array(let items)? = try answer.object["items"] else {
            throw TestingError("\(answer.status) \(answer.text)")
        }
        return (items.compactMap(\.object), try answer.object["nextPage"]?.string)
    }

    private static func names(_ items: [JSONObject]) -> [String] {
        items.map { "\($0["instance"]?.string ?? "").\($0["id"]?.string ?? "")" }
    }

    @Test(.timeLimit(.minutes(20))) func effectsAreListedByQueueStateAndPage() async throws {
        let host = try await ServerHost()
        _ = try await host.engine.apply(Self.machine, syntax: .yaml)
        for name in ["a", "b"] { _ = try await host.engine.start(StartCommand(machine: "parcel", instance: name)) }
        let lease = RawRequest.post("/v1/tasks/stock/lease", #"{"worker": "w-1"}"#)
        guard case .array(let tasks)? = try await host.answers(to: [lease])[0].object["tasks"] else { return }
        let task = try #require(tasks.first?.object?["task"]?.string)

        #expect(Self.names(try await Self.items(host).items) == ["a.pack", "a.mail", "b.pack", "b.mail"])
        #expect(Self.names(try await Self.items(host, "?queue=post").items) == ["a.mail", "b.mail"])
        #expect(Self.names(try await Self.items(host, "?queue=task:post").items) == ["a.mail", "b.mail"])
        let leased = try await Self.items(host, "?state=leased").items
        try #require(Self.names(leased) == ["a.pack"])
        #expect(leased[0]["worker"] == "w-1" && leased[0]["queue"] == "task:stock" && leased[0]["attempts"] == 1)
        var names: [String] = []
        var page: String? = ""
        while let token = page {
            let found = try await Self.items(host, "?limit=1" + (token.isEmpty ? "" : "&page=\(token)"))
            #expect(found.items.count <= 1)
            names += Self.names(found.items)
            page = found.next
        }
        #expect(names == ["a.pack", "a.mail", "b.pack", "b.mail"])

        let fail = RawRequest.post(Route.failTask.path(task), #"{"type": "no-box", "message": "none left"}"#)
        #expect(try await host.answers(to: [fail])[0].status == 204)
        let own = try await Self.items(host, "?instance=a")
        try #require(Self.names(own.items) == ["a.pack", "a.mail"] && own.next == nil)
        guard case .array(let attempts)? = own.items[0]["failedAttempts"] else { throw TestingError("no attempts") }
        try #require(attempts.count == 1)
        #expect(attempts[0].object?["outcome"] == "no-box")
        #expect(attempts[0].object?["error"] == ["type": "no-box", "message": "none left"])
        #expect(own.items[0]["state"] == "ready" && own.items[1]["failedAttempts"] == [])
        let first = try await Self.items(host, "?instance=a&limit=1")
        #expect(Self.names(first.items) == ["a.pack"])
        let next = try #require(first.next)
        #expect(Self.names(try await Self.items(host, "?instance=a&limit=1&page=\(next)").items) == ["a.mail"])
        // A page of another list.
        let other = try await host.answers(to: [.get("/v1/effects?instance=b&page=\(next)")])[0]
        #expect(other.status == 400)
        try await host.stop()
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            ("?state=gone", 400), ("?limit=0", 400), ("?kind=task", 400), ("?instance=nobody", 404), ("?page=x", 400),
        ])
    func aWrongQuestionIsRefused(query: String, status: Int) async throws {
        let host = try await ServerHost()
        #expect(try await host.answers(to: [.get("/v1/effects" + query)])[0].status == status)
        try await host.stop()
    }
}
