import GRDB
import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests calls: effects whose end nobody waits for.
@Suite(.timeLimit(.minutes(20))) struct CallTests {
    private static let mailing = """
        id: mailing
        initial: a
        context: {n: 0}
        states:
          a:
            entry:
              - call: {task: mail, input: {n: context.n}, retry: {attempts: 1}}
              - call: {task: mail, input: {n: context.n}, retry: {attempts: 1}}
            invoke: {task: work}
            exit: {call: {http: {url: 'https://mail.example.com/left/{instance.name}', body: {to: event.name}}}}
            on: {tick: {}, again: {actions: {call: {exec: count, input: event.data}}}, end: b}
          b: {type: final}
        """

    private func bench() async throws -> TaskBench {
        let bench = try await TaskBench(Self.mailing)
        try await bench.timed.start("mailing", "o")
        return bench
    }

    private func summary(_ bench: TaskBench) async throws -> [String] {
        // The records of machine versions are before the first row.
        let before = try await bench.timed.rows("o")[0].position.rawValue - 1
        return try await bench.effects().map { effect in
            let number = effect.number.map(String.init) ?? "-"
            return "\(effect.id.rawValue - before) \(effect.seq.rawValue).\(number) \(effect.name) "
                + "\(effect.queue) \(effect.state)"
        }
    }

    @Test func aCallIsARowThatOutlivesItsStateAndItsInstance() async throws {
        let bench = try await bench()
        #expect(
            try await summary(bench) == [
                "2 1.- call.1.1 task:mail ready", "3 1.- call.1.2 task:mail ready", "4 1.3 a task:work ready",
            ])
        try await bench.expectWhole()
        try await bench.timed.send("end", to: "o")
        #expect(try await bench.timed.record("o").status == .done)
        #expect(
            try await summary(bench) == [
                "2 1.- call.1.1 task:mail ready", "3 1.- call.1.2 task:mail ready",
                "6 2.- call.2.1 http:mail.example.com:443 ready",
            ])
        let left = try #require(try await bench.effects().last)
        #expect(
            left.request
                == #"{"http":{"body":{"to":"end"},"method":"POST","url":"https://mail.example.com/left/o"}}"#)
        try await bench.expectWhole()
        try await bench.timed.restart()
        #expect(try await bench.effects().count == 3)
        try await bench.expectWhole()
    }

    /// The calls of an instance are found by its rows, together with the effects that it waits for; those of others are
    /// not among them.
    @Test(arguments: [1, 2, 100]) func theCallsOfAnInstanceAreListed(limit: Int) async throws {
        let bench = try await bench()
        try await bench.timed.start("mailing", "p")
        try await bench.timed.send("again", to: "p")
        try await bench.timed.send("again", to: "o")
        try await bench.timed.send("tick", to: "o")
        for task in try await bench.lease("mail") where task.id == "call.1.1" {
            try await bench.report(.completed(1), task)
        }
        func names(_ queue: String? = nil) async throws -> [String] {
            var query = EffectQuery(queues: queue.map { [$0] } ?? [], limit: limit)
            var names: [String] = []
            repeat {
                let page = try await bench.engine.effects(of: "o", query, by: .test)
                names += page.effects.map(\.effect.name)
                query.after = page.next
            } while query.after != nil
            return names
        }
        #expect(try await names() == ["call.1.2", "a", "call.2.1"])
        #expect(try await names("exec:count") == ["call.2.1"])
        let waited = try await bench.engine.effects(of: "o", EffectQuery(limit: 9), withCalls: false, by: .test)
        #expect(waited.effects.map(\.effect.name) == ["a"])
    }

    /// Two calls of one macrostep with the same request are two calls.
    @Test func eachCallHasItsKey() async throws {
        let bench = try await bench()
        let tasks = try await bench.lease("mail")
        try #require(tasks.count == 2 && tasks[0].key != tasks[1].key && tasks[0].id == "call.1.1")
        try await bench.report(.completed(1), tasks[0])
        #expect(try await summary(bench).count == 2)
        #expect(try await bench.timed.record("o").seq.rawValue == 1)
        // An effect that has failed for good waits for a person, also when its instance has ended.
        try await bench.timed.send("end", to: "o")
        try await bench.fail(tasks[1])
        let failed = try #require(try await bench.effects().first)
        #expect(failed.state == .failed && failed.error == #"{"message":"m","type":"broken"}"#)
        #expect(try await bench.timed.record("o").seq.rawValue == 2)
        #expect(await bench.rejection(of: .completed(1), tasks[0]) == "leaseLost")
        try await bench.expectWhole()
    }

    @Test func aRepeatedEventCallsOnceAndADryRunNever() async throws {
        let bench = try await bench()
        try await bench.timed.send("again", to: "o", isDryRun: true)
        #expect(try await bench.effects().count == 3)
        let command = SendCommand(
            instance: "o", event: Event(name: "again", data: ["x": 1]), key: RequestKey(text: "k"), by: .test)
        let first = try await bench.engine.send(command)
        let second = try await bench.engine.send(command)
        #expect(second.isRepeated && second.seq == first.seq)
        let effects = try await bench.effects()
        #expect(effects.count == 4 && effects[3].queue == "exec:count")
        #expect(effects[3].request == #"{"exec":{"args":[]},"input":{"x":1}}"#)
        try await bench.expectWhole()
    }

    /// A dry run reports the effects that would begin and be cancelled, once all self-sent events are done.
    @Test func aDryRunSaysWhatItWouldDo() async throws {
        let bench = try await TaskBench(
            Self.mailing,
            """
            id: hasty
            initial: a
            states:
              a: {invoke: {task: one}, on: {go: {target: b, actions: {send: {event: on}}}}}
              b: {invoke: {task: two}, exit: {call: {exec: e}}, on: {on: c}}
              c: {invoke: {http: {url: 'http://h/'}}}
            """)
        try await bench.timed.start("hasty", "h")
        let send = { (event: String, name: InstanceName, isDryRun: Bool) async throws in
            try await bench.engine.send(
                SendCommand(instance: name, event: Event(name: event), isDryRun: isDryRun, by: .test))
        }
        let forecast = try #require(try await send("go", "h", true).effects)
        #expect(forecast.begun.map { "\($0.name) \($0.queue)" } == ["call.3.1 exec:e", "c http:h:80"])
        #expect(forecast.cancelled == ["a"])
        #expect(try await send("go", "h", false).effects == nil)
        #expect(try await bench.effects().map(\.name) == ["call.3.1", "c"])
    }

    @Test func callsStandBehindManyRows() async throws {
        let bench = try await bench()
        for number in 0..<260 {
            try await bench.timed.send(number % 2 == 0 ? "tick" : "again", to: "o")
        }
        #expect(try await bench.effects().count == 133)
        try await bench.expectWhole()
        // Along the history of one instance, too.
        #expect(try await bench.findings(of: "o").isEmpty)
    }

    // MARK: verify

    /// Changes the file of an instance with calls. Returns the findings of a verification of everything and of the
    /// instance alone.
    private func findings(after change: String) async throws -> (all: [String], one: [String]) {
        let bench = try await bench()
        try await bench.timed.send("tick", to: "o")
        try await bench.timed.send("again", to: "o")
        try await bench.timed.stop()
        let file = try DatabaseQueue(path: bench.timed.folder.path + "/wfd.db")
        try await file.write { try $0.execute(sql: change) }
        try file.close()
        return (try await bench.findings(reopening: true), try await bench.findings(of: "o", reopening: true))
    }

    private static let row = """
        INSERT INTO effect (id, instance_id, seq, number, name, queue, state, priority, due_ms, attempts, earlier, round,
            request)
        SELECT max(id) + 1, instance_id, seq, NULL, 'call.3.2', 'task:mine', 'ready', 3, 0, 0, 0, 0, '{}'
        FROM effect WHERE seq = 3
        """

    @Test(arguments: [
        "UPDATE effect SET request = '{}' WHERE name = 'call.1.2'",
        "UPDATE effect SET queue = 'task:mine' WHERE name = 'call.1.1'",
        "UPDATE effect SET name = 'call.1.9' WHERE name = 'call.1.1'",
        "UPDATE effect SET priority = 1 WHERE queue = 'exec:count'",
    ])
    func aChangedCallIsFound(change: String) async throws {
        let found = try await findings(after: change)
        #expect(found.all.count == 1 && found.all[0].contains("does not ask what its history leads to"), "\(found)")
        #expect(found.all == found.one)
    }

    @Test(arguments: [
        // The added call stands behind the row that made one, at the end of the journal.
        row + "; UPDATE store SET next_position = next_position + 1",
        // The call stands in another place than it was made in.
        "UPDATE effect SET id = id + 1 WHERE seq = 3; UPDATE store SET next_position = next_position + 1",
    ])
    func anAddedCallIsFound(change: String) async throws {
        let found = try await findings(after: change)
        let message = "there is an effect that its history does not ask for"
        #expect(found.all.contains { $0.contains(message) } && found.one.contains { $0.contains(message) }, "\(found)")
    }

    /// Nothing records which calls have ended.
    @Test func aDeletedCallIsNotFound() async throws {
        let found = try await findings(after: "DELETE FROM effect WHERE name = 'call.1.1'")
        #expect(found.all.isEmpty && found.one.isEmpty)
    }
}
