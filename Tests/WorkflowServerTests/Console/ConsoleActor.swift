import DaemonTesting
import WorkflowAPI
import WorkflowJSON

/// A host with a machine and instances in each situation, for tests that act.
struct ConsoleActor {
    /// The situation of an instance.
    enum Situation: String, CaseIterable {
        /// In state `a`.
        case running
        /// In state `c`, failed on a timer.
        case failed
        case suspended
        /// Failed, with a context in which a retry succeeds.
        case mended
        /// In version 2, by a migration.
        case migrated
        /// In state `t`, which waits for a task.
        case waiting
    }

    let host: ConsoleHost
    /// The cookie of a session.
    let cookie: String
    private let admin: String

    init(_ roles: [Role] = [.operate]) async throws {
        host = try await ConsoleHost()
        admin = try host.token("boss", [.admin])
        cookie = try await host.session(host.token("person", roles))
        for version in ["", #", "x": {}"#] {
            _ = try await ask("/v1/machines?activate=\(version.isEmpty)", Self.definition(version))
        }
    }

    private static func definition(_ more: String) -> String {
        """
        {"id": "m", "initial": "a", "context": {"n": 0.0, "list": [], "who": {"phone": 1}},
         "events": {"typed": {"data": {"card": "string", "amount": "double", "gift": "optional(bool)",
           "lines": "optional(list(int))"}}},
         "states": {
          "a": {"after": {"30d": "b"}, "on": {
            "typed": {"guard": "event.data.amount > 1.5", "target": "b",
              "actions": {"assign": {"n": "event.data.amount"}}},
            "free": {"target": "b", "actions": {"assign": {"list": "[event.data]"}}}, "boom": "c", "work": "t"}},
          "b": {"on": {"late": "a"}, "after": {"20d": "a"}},
          "c": {"after": {"1ms": {"target": "b", "actions": {"assign": {"n": "context.list[0]"}}}}},
          "t": {"invoke": {"task": "q", "onDone": "b", "onError": "c"}}\(more)}}
        """
    }

    /// Asks the API as an administrator.
    @discardableResult
    func ask(_ target: String, _ body: String? = nil) async throws -> RawAnswer {
        let headers = [(name: "Authorization", value: "Bearer \(admin)")]
        let request = body.map { RawRequest.post(target, $0, headers: headers) }
        let answer = try await host.server.answer(to: request ?? RawRequest("GET", target, headers: headers))
        guard (200..<300).contains(answer.status) else { throw TestingError("\(target): \(answer.text)") }
        return answer
    }

    /// Starts an instance, and leads it into a situation.
    func start(_ name: String, _ situation: Situation = .running) async throws {
        let path = "/v1/instances/\(ConsoleForm.encoded(name))"
        try await ask(
            "/v1/instances", JSONWriter.string(.object(["machine": "m", "instance": .string(name)]) as JSONValue))
        switch situation {
        case .running: break
        case .failed, .mended:
            try await ask("\(path)/events", #"{"event": "boom"}"#)
            let row = try await ask("\(path)/history?after=2&wait=60")
            guard row.text.contains("\"kind\":\"failed\"") else { throw TestingError(row.text) }
            guard situation == .mended else { break }
            try await ask("\(path)/set", #"{"set": {"list": [7]}, "reason": "a test"}"#)
        case .suspended: try await ask("\(path)/suspend", #"{"reason": "a test"}"#)
        case .migrated: try await ask("\(path)/migrate", #"{"to": 2, "reason": "a test"}"#)
        case .waiting: try await ask("\(path)/events", #"{"event": "work"}"#)
        }
    }

    func instance(_ name: String) async throws -> Instance {
        try Instance(body: await ask("/v1/instances/\(ConsoleForm.encoded(name))").body, unknownFields: .ignored)
    }

    func history(_ name: String) async throws -> [HistoryItem] {
        let answer = try await ask("/v1/instances/\(ConsoleForm.encoded(name))/history")
        return try Page<HistoryItem>(body: answer.body, unknownFields: .ignored).items
    }

    /// Returns the id of an instance's first effect.
    func effect(of name: String) async throws -> String {
        let answer = try await ask("/v1/effects?instance=\(ConsoleForm.encoded(name))")
        guard let effect = try Page<EffectItem>(body: answer.body, unknownFields: .ignored).items.first else {
            throw TestingError("no effect: \(answer.text)")
        }
        return effect.id
    }

    // MARK: In the browser

    func get(_ target: String) async throws -> RawAnswer { try await host.get(target, cookie) }

    /// Opens the form of a verb, types values, and presses its button.
    func rehearse(
        _ word: String, _ name: String, _ query: String = "", _ values: [String: String] = [:]
    ) async throws -> RawAnswer {
        let page = try await get("/console/instances/\(name)/\(word)\(query)")
        return try await ConsoleForm(in: page, to: "/console/act/\(word)/\(name)").typing(values)
            .press(on: host, cookie)
    }

    /// Presses the button behind a rehearsal.
    func press(_ word: String, _ name: String, in page: RawAnswer) async throws -> RawAnswer {
        try await ConsoleForm(in: page, to: "/console/act/\(word)/\(name)").press(on: host, cookie)
    }
}
