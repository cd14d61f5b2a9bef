import DaemonTesting
import GRDB
import IdentityTesting
import SQLiteStore
import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// A database that has a row in each of its tables.
struct ColumnSpecimen {
    private static let order = """
        id: order
        initial: open
        context: {n: 0, who: null, list: []}
        states:
          open:
            initial: a
            on:
              count: {actions: {assign: {n: context.n + 1}}}
              later: {actions: {send: {event: came, data: event.data, delay: 1h, id: x}}}
              came: {actions: {assign: {who: event.data}}}
              fail: {actions: {send: worse}}
              worse: {actions: {assign: {n: 1 / 0}}}
              pause: paused
              work: working
              end: closed
            states:
              a: {on: {go: b}, after: {1h: b}}
              b: {on: {back: a}}
              h: {type: history, target: a}
          paused: {after: {2h: {target: open, misfire: {skip: 10m}}}, on: {resume: open.h}}
          working:
            invoke:
              id: pay
              task: stock
              input: {items: context.list}
              retry: {attempts: 3, first: 1ms, jitter: 0}
              timeout: 1h
              onDone: {target: closed, actions: {assign: {who: event.data}}}
              onError: {target: paused}
            on:
              bad: {actions: {send: {event: worst}}}
              worst: {actions: {assign: {n: 1 / 0}}}
          closed: {type: final, output: {who: context.who}}
        """

    private static let pair = """
        id: pair
        type: parallel
        context: {n: 0}
        states:
          left: {initial: a, states: {a: {on: {go: b}}, b: {}, h: {type: history, target: a}}}
          right: {initial: a, states: {a: {after: {3h: b}}, b: {on: {back: '#pair.left.h'}}}}
        """

    private let host: ServerHost

    /// Makes the file, and closes it.
    static func make(at path: String) async throws {
        let host = try await ServerHost(database: path, place: .fixed(place))
        let specimen = ColumnSpecimen(host: host)
        try await specimen.begin()
        try await specimen.work()
        try await specimen.operate()
        try await host.stop()
        try restore(DatabaseFile(path))
    }

    @discardableResult
    private func said(_ request: RawRequest) async throws -> RawAnswer {
        let answer = try await host.answers(to: [request])[0]
        guard answer.status < 300 else {
            throw TestingError("\(request.method) \(request.target): \(answer.status) \(answer.text)")
        }
        return answer
    }

    private func post(_ target: String, _ body: String = "{}", key: String? = nil) async throws {
        let headers = key.map { [(name: "Idempotency-Key", value: "\"\($0)\"")] } ?? []
        try await said(.post(target, body, headers: headers))
    }

    private func send(_ event: String, to instance: String, data: String = "{\"x\": [1]}") async throws {
        try await post("/v1/instances/\(instance)/events", #"{"event": "\#(event)", "data": \#(data)}"#)
    }

    /// Applies the machines and starts instances of them.
    private func begin() async throws {
        for text in [Self.order, Self.order + "# again\n", Self.pair] {
            _ = try await host.engine.apply(text, syntax: .yaml)
        }
        for number in 1...9 {
            try await post(
                "/v1/instances", #"{"machine": "order", "instance": "o\#(number)"}"#, key: "start-\(number)")
        }
        try await post("/v1/instances", #"{"machine": "pair", "instance": "p1"}"#)
        for event in ["count", "later", "go", "pause", "resume", "pause"] { try await send(event, to: "o1") }
        try await send("go", to: "p1")
        for name in ["o2", "o3", "o8", "o9"] { try await send("work", to: name) }
        try await send("fail", to: "o4")
        for name in ["o5", "o7"] { try await send("end", to: name) }
        for event in ["count", "later", "later"] { try await send(event, to: "o6") }
    }

    /// Leases tasks: one fails and is leased again, one is completed after its instance has failed.
    private func work() async throws {
        for round in 1...2 {
            let leased = try await said(.post("/v1/tasks/stock/lease", #"{"max": 4, "worker": "w", "wait": 5}"#))
            guard case .array(let tasks)? = try leased.object["tasks"] else { throw TestingError("no tasks") }
            for task in tasks.compactMap(\.object) {
                let path = "/v1/tasks/\(task["task"]?.string ?? "")"
                switch task["instance"]?.string {
                case "o2" where round == 1:
                    try await post(path + "/fail", #"{"type": "down", "message": "no", "details": {"a": 1}}"#)
                case "o8":
                    try await send("bad", to: "o8")
                    try await said(.post(path + "/complete", #"{"paid": 1}"#))
                case "o9": try await post(path + "/heartbeat", #"{"progress": {"half": true}}"#)
                default: break
                }
            }
        }
    }

    private func operate() async throws {
        try await said(
            RawRequest(
                "PATCH", "/v1/queues/stock", headers: [("Content-Type", "application/json")],
                body: Array(#"{"concurrency": 5, "rate": {"count": 9, "milliseconds": 1000}}"#.utf8)))
        try await post("/v1/machines/order/retention", #"{"retention": "30d"}"#)
        try await post("/v1/machines/pair/suspend", #"{"reason": "so"}"#)
        try await post("/v1/instances/o6/redact", #"{"reason": "r", "seqs": "2-3", "paths": ["who"]}"#)
        try await said(RawRequest("DELETE", "/v1/instances/o7?reason=r&confirm=o7"))
        try await said(.post("/v1/bulk", Self.byFilter))
        try await said(.post("/v1/bulk", Self.byNames, as: "application/x-ndjson"))
    }

    private static let byFilter =
        #"{"run": "one", "action": {"verb": "send", "event": "count"}, "select": {"machine": "order"}, "reason": "r"}"#
    private static let byNames = """
        {"run": "two", "action": {"verb": "send", "event": "count"}, "reason": "r"}
        {"instance": "o1"}
        {"instance": "o4"}

        """

    /// The place that the file names.
    static let place = StorePlace(fileSystem: "ext:46e649dd790cbc09", inode: 12, machine: "name:test")

    /// Leaves the traces of a restore, and of an erasure that was killed.
    private static func restore(_ file: DatabaseFile) throws {
        try file.change(
            """
            UPDATE store SET generation = 2;
            INSERT INTO restoration (generation, parent, next_position, restored_ms) VALUES (2, 1, 5, 1000);
            UPDATE erasure SET seq = (SELECT seq FROM journal WHERE position = erasure.id), next = id, bottom = 1,
                top = (SELECT seq FROM journal WHERE position = erasure.id);
            """)
    }
}
