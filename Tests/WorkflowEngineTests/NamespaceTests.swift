import DaemonTesting
import IdentityTesting
import SQLiteStore
import Statechart
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests two namespaces in one file, with the same names: no caller sees or changes anything of the other namespace.
@Suite struct NamespaceTests {
    /// The caller whose namespace has the lamp of `RunningEngine`.
    private static let here = Caller.test
    /// The caller whose namespace has another machine of the same name.
    private static let there = Caller("uid:2", namespace: NamespaceID(rawValue: 2))

    private static let definition = """
        id: lamp
        initial: dim
        states:
          dim: {on: {flip: bright}, after: {30d: burnt}}
          bright: {on: {flip: dim}}
          burnt: {}
        """

    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
        try folder.open().writer().close()
        try DatabaseFile(folder.path + "/wfd.db").change("INSERT INTO namespace (id, name) VALUES (2, 'other')")
    }

    private func begin() async throws -> RunningEngine {
        let running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.definition, syntax: .yaml, by: Self.there)
        return running
    }

    /// Returns an engine with an instance `a` in each namespace.
    private func started() async throws -> RunningEngine {
        let running = try await begin()
        for caller in [Self.here, Self.there] {
            _ = try await running.engine.start(StartCommand(machine: "lamp", instance: "a", by: caller))
        }
        return running
    }

    private func paths(_ engine: Engine) async throws -> [[String]] {
        [
            try await engine.instance(named: "a", by: Self.here).record.leafPaths,
            try await engine.instance(named: "a", by: Self.there).record.leafPaths,
        ]
    }

    /// Sends an event to both instances in one batch.
    private func flipBoth(_ engine: Engine) async throws -> [[String]] {
        let sends = [Self.here, Self.there].map { SendCommand(instance: "a", event: Event(name: "flip"), by: $0) }
        return try await engine.send(sends).map { try $0.get().to }
    }

    @Test(.timeLimit(.minutes(20))) func commandsAreAppliedToTheCallersOwn() async throws {
        var running = try await started()
        #expect(try await paths(running.engine) == [["off"], ["dim"]])
        #expect(try await flipBoth(running.engine) == [["on"], ["bright"]])
        let together = [Self.there, Self.here].map { SendCommand(instance: "a", event: Event(name: "flip"), by: $0) }
        #expect(try await running.engine.sendTogether(together).map(\.to) == [["dim"], ["off"]])
        try await running.stop()
        // After a restart, nothing is in a cache.
        running = try await begin()
        #expect(try await flipBoth(running.engine) == [["on"], ["bright"]])
        #expect(try await paths(running.engine) == [["on"], ["bright"]])
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func listsDoNotMix() async throws {
        let running = try await started()
        let engine = running.engine
        _ = try await engine.start(StartCommand(machine: "lamp", instance: "b", by: Self.there))
        for (caller, names) in [(Self.here, ["a"]), (Self.there, ["a", "b"])] as [(Caller, [InstanceName])] {
            let isHere = caller == Self.here
            let views = try await engine.instances(InstanceQuery(limit: 10), by: caller).views
            #expect(views.map(\.record.name) == names)
            #expect(views.allSatisfy { $0.record.namespace == caller.namespace })
            let named = try await engine.instances(InstanceQuery(machines: ["lamp"], limit: 10), by: caller).views
            #expect(named.map(\.record.id) == views.map(\.record.id))
            let machines = try await engine.machines(after: nil, limit: 10, by: caller)
            #expect(machines.map(\.source) == [isHere ? RunningEngine.definition : Self.definition])
            #expect(try await engine.machine(named: "lamp", by: caller) == machines[0])
            #expect(try await engine.machineNames(by: caller) == ["lamp"])
            #expect(try await engine.instanceNames(near: "a", by: caller) == names)
            let timers = try await engine.timers(after: nil, limit: 10, by: caller)
            #expect(timers.map(\.instance) == (isHere ? [] : ["a", "b"]))
            #expect(try await engine.timers(after: nil, limit: 1, by: caller) == Array(timers.prefix(1)))
        }
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whatIsTheOthersIsNotThere() async throws {
        let running = try await started()
        let engine = running.engine
        _ = try await engine.start(StartCommand(machine: "lamp", instance: "b", by: Self.there))
        let send = SendCommand(instance: "b", event: Event(name: "flip"), by: Self.here)
        await #expect { _ = try await engine.send(send) } throws: { Self.isNotFound($0) }
        await #expect { _ = try await engine.instance(named: "b", by: Self.here) } throws: { Self.isNotFound($0) }
        let record = try await engine.instance(named: "a", by: Self.there).record
        let query = HistoryQuery(
            instance: record.id, head: record.head, headSeq: record.seq, seqs: 1...1, isReversed: false)
        #expect(try await engine.history(query, of: record, by: Self.there).map(\.actor) == ["uid:2"])
        await #expect { _ = try await engine.history(query, of: record, by: Self.here) } throws: {
            Self.isNotFound($0)
        }
        let row = try await engine.instance(named: "a", by: Self.here).record.head
        #expect(try await engine.row(at: row, of: record, by: Self.there) == nil)
        try await running.stop()
    }

    private static func isNotFound(_ error: any Error) -> Bool { (error as? Rejection)?.code == .instanceNotFound }

    /// The same key is of another start in each namespace. Swift takes the Kelvin sign for a K; the store does not.
    @Test(.timeLimit(.minutes(20))) func namesAreComparedAsTheStoreDoes() async throws {
        let running = try await begin()
        _ = try await running.engine.start(StartCommand(machine: "lamp", instance: "K", by: Self.here))
        let send = SendCommand(instance: "\u{212A}", event: Event(name: "flip"), by: Self.here)
        let outcome = await running.engine.outcome(of: send)
        #expect(throws: Rejection.self) { try outcome.get() }
        #expect(InstanceName(rawValue: "K") != "\u{212A}" && MachineName(rawValue: "K") != "\u{212A}")
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func keysDoNotMix() async throws {
        let running = try await begin()
        var names: [InstanceName] = []
        for _ in 0..<2 {
            for caller in [Self.here, Self.there] {
                let start = StartCommand(machine: "lamp", key: RequestKey(text: "one"), by: caller)
                names.append(try await running.engine.start(start).record.name)
            }
        }
        #expect(names[0] != names[1])
        #expect(names[2...] == names[..<2])
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func onlyTheCallersInstancesAreReplayed() async throws {
        let running = try await started()
        _ = try await running.engine.start(StartCommand(machine: "lamp", instance: "b", by: Self.there))
        let machine = try DefinitionReader.read(RunningEngine.definition).machine
        for (caller, counts) in [(Self.here, [1, 0]), (Self.there, [0, 2])] {
            let found = try await running.engine.backtest(
                machine: "lamp", versions: [], with: machine, by: caller
            ) { _ in }
            #expect([found.same, found.differs] == counts)
        }
        try await running.stop()
    }
}
