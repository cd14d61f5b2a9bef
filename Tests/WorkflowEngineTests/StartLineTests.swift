import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests starts in a batch of events for many instances.
@Suite(.timeLimit(.minutes(20))) struct StartLineTests {
    private static func start(_ name: String, _ machine: String = "lamp", key: String? = nil) -> LineCommand {
        .start(StartLine(StartCommand(machine: machine, instance: name, key: key.flatMap(RequestKey.init(text:)))))
    }

    private static func flip(_ name: String) -> LineCommand {
        .send(SendCommand(instance: name, event: Event(name: "flip")))
    }

    /// Returns the answers to lines that are applied independently.
    private static func told(_ lines: [LineCommand], _ engine: Engine) async throws -> [String] {
        try await engine.beginWhenRoom(lines, in: CommandSequence()).outcomes().map(told)
    }

    private static func told(_ outcome: Result<SendResult, Rejection>) -> String {
        switch outcome {
        case .success(let result):
            "\(result.event) \(result.fromSeq.rawValue) \(result.from) -> \(result.seq.rawValue) \(result.to)"
                + (result.isStart ? " start" : "") + (result.isRepeated ? " again" : "")
        case .failure(let rejection): rejection.kind
        }
    }

    private static let started = #"init 0 [] -> 1 ["off"] start"#
    private static let flipped = #"flip 1 ["off"] -> 2 ["on"]"#

    @Test func anEventBehindItsStartIsApplied() async throws {
        let running = try await RunningEngine(store: FakeStore())
        let lines = [Self.start("a"), Self.flip("a"), Self.flip("b"), Self.start("b"), Self.start("a")]
        #expect(
            try await Self.told(lines, running.engine)
                == [Self.started, Self.flipped, "instanceNotFound", Self.started, "instanceExists"])
        // None of those that were refused did anything.
        #expect(try await running.engine.instance(named: "a").record.seq.rawValue == 2)
        #expect(try await running.engine.instance(named: "b").record.seq.rawValue == 1)
        try await running.stop()
    }

    /// A key of a start belongs to its machine, in a line as in a request of its own.
    @Test(.onePartition("lanes that get one key at the same time are not in order"))
    func aStartWithAKeyIsDoneOnce() async throws {
        let running = try await RunningEngine(store: FakeStore())
        let first = try await running.engine.start(
            StartCommand(machine: "lamp", instance: "alone", key: RequestKey(text: "alone")))
        let lines = [Self.start("a", key: "k"), Self.flip("a"), Self.start("a", key: "k"), Self.start("c", key: "k")]
        #expect(
            try await Self.told(lines, running.engine)
                == [Self.started, Self.flipped, Self.started + " again", "keyReused"])
        #expect(
            try await Self.told([Self.start("alone", key: "alone")], running.engine) == [Self.started + " again"])
        #expect(try await running.engine.instance(named: "alone").record.uuid == first.record.uuid)
        try await running.stop()
    }

    @Test func theContextIsSaidWhereItIsWanted() async throws {
        let running = try await RunningEngine(store: FakeStore())
        for wantsContext in [true, false] {
            let command = StartCommand(machine: "lamp", instance: "l-\(wantsContext)")
            let line = LineCommand.start(StartLine(command, wantsContext: wantsContext))
            let outcomes = try await running.engine.beginWhenRoom([line], in: CommandSequence()).outcomes()
            #expect(try outcomes.map { try $0.get().context == ["lit": false] } == [wantsContext])
        }
        try await running.stop()
    }

    /// A key that was used for another request refuses all lines, wherever the line with the key stands.
    @Test(arguments: [0, 1, 2]) func aUsedKeyRefusesAll(place: Int) async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        let key = RequestKey(text: "f")
        let keyed = LineCommand.send(SendCommand(instance: "a", event: Event(name: "flip"), key: key))
        _ = try await Self.told([Self.start("a", key: "k"), keyed], running.engine)
        let rows = store.content.withLock { $0.journal.count }
        for used in [
            Self.start("b", key: "k"), Self.start("a", key: "f"),
            .send(SendCommand(instance: "a", event: Event(name: "off"), key: key)),
            .send(SendCommand(instance: "a", event: Event(name: "flip", data: 1), key: key)),
        ] {
            var lines = [Self.start("c"), Self.start("d", key: "new")]
            lines.insert(used, at: place)
            do throws(Rejection) {
                _ = try await running.engine.sendTogether(lines)
                Issue.record("the key is used")
            } catch {
                // The scopes of starts and events are apart: 'f' is new for a start.
                #expect(["keyReused", "instanceExists"].contains(error.kind) && error.offset == place, "\(error)")
            }
            #expect(store.content.withLock { $0.journal.count } == rows)
        }
        // A key of the same batch, too.
        do throws(Rejection) {
            _ = try await running.engine.sendTogether([Self.start("c", key: "two"), Self.start("e", key: "two")])
            Issue.record("the key is used")
        } catch {
            #expect(error.kind == "keyReused" && error.offset == 1, "\(error)")
        }
        let twice = try await running.engine.sendTogether([Self.start("e", key: "e"), Self.start("e", key: "e")])
        #expect(twice.map { $0.isRepeated } == [false, true])
        // The same requests are answered as before, and the others are carried out.
        let told = try await running.engine.sendTogether([
            Self.start("a", key: "k"), keyed, Self.start("c"),
        ])
        #expect(told.map { $0.isRepeated } == [true, true, false])
        try await running.stop()
    }

    @Test(arguments: [true, false]) func allOrNone(onDisk: Bool) async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        if onDisk { try await running.start("taken") }
        do throws(Rejection) {
            _ = try await running.engine.sendTogether([
                Self.start("a"), Self.flip("a"), Self.start("b"), onDisk ? Self.start("taken") : Self.start("a"),
            ])
            Issue.record("a name is taken")
        } catch {
            #expect(error.kind == "instanceExists" && error.offset == 3)
        }
        // Nothing is left of them, neither in memory nor on disk: the names and their ids are free.
        #expect(
            try await Self.told([Self.flip("a"), Self.flip("b")], running.engine)
                == ["instanceNotFound", "instanceNotFound"])
        #expect(store.content.withLock { $0.journal.count } == (onDisk ? 1 : 0))
        let together = try await running.engine.sendTogether([
            Self.start("a"), Self.flip("a"), Self.start("b"), Self.flip("b"),
        ])
        #expect(together.map { Self.told(.success($0)) } == [Self.started, Self.flipped, Self.started, Self.flipped])
        // Later commands find the instances that were started so.
        #expect(try await running.flip("a").seq.rawValue == 3)
        #expect(try await running.engine.instance(named: "b").record.seq.rawValue == 2)
        try await running.stop()
    }

    /// The lines are one transaction, and a plain command after them finds the started instances.
    @Test func aCommandBehindThoseTogetherFindsWhatTheyStarted() async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        try await running.start("held")
        store.hold.shut()
        async let held = running.flip("held")
        await store.hold.somebodyIsHeld()
        async let together = running.engine.sendTogether([Self.start("a"), Self.flip("a")])
        async let behind = running.engine.start(StartCommand(machine: "lamp", instance: "other"))
        store.hold.open()
        _ = try await (held, together, behind)
        #expect(try await running.flip("a").seq.rawValue == 3)
        #expect(try await running.flip("other").seq.rawValue == 2)
        try await running.stop()
    }
}
