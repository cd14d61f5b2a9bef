import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests an engine on a store with four partitions, among which the names fall apart.
@Suite(.timeLimit(.minutes(20))) struct PartitionedEngineTests {
    private static let names = (0..<16).map { "i-\($0)" }
    private static let partitions = (0..<4).map(PartitionID.init(rawValue:))

    private static let job = """
        id: job
        initial: a
        states: {a: {invoke: {task: q}, on: {done.invoke.a: b}}, b: {after: {1s: c}}, c: {type: final}}
        """

    private static func start(_ running: RunningEngine, _ machine: String = "lamp") async throws {
        for name in names { _ = try await running.engine.start(StartCommand(machine: machine, instance: name)) }
    }

    private static func partition(of name: String) -> PartitionID {
        Placement(partitions: 4).partition(of: InstanceKey(InstanceName(rawValue: name), in: .default))
    }

    @Test func instancesLiveWhereTheirNamesPutThem() async throws {
        let store = FakeStore(partitions: 4)
        let running = try await RunningEngine(store: store)
        try await Self.start(running)
        #expect(Set(Self.names.map(Self.partition)) == Set(Self.partitions))
        for name in Self.names {
            let sent = try await running.flip(name)
            #expect(sent.seq.rawValue == 2)
            let dry = try await running.engine.send(
                SendCommand(instance: name, event: Event(name: "off"), isDryRun: true))
            #expect(dry.seq.rawValue == 3)
            let view = try await running.engine.instance(named: name)
            #expect(view.record.id.partition == Self.partition(of: name) && view.record.seq.rawValue == 2)
            #expect(view.record.head.partition == view.record.id.partition)
            let history = try await running.engine.history(
                HistoryQuery(
                    instance: view.record.id, head: view.record.head, headSeq: view.record.seq, seqs: 1...9,
                    isReversed: false), of: view.record, by: .test)
            #expect(history.map(\.event) == ["init", "flip"])
        }
        let page = try await running.engine.instances(InstanceQuery(limit: 100), by: .test)
        #expect(Set(page.views.map(\.record.name.rawValue)) == Set(Self.names))
        // Each partition's positions are in order, whatever the others do.
        for partition in Self.partitions {
            let rows = store.content.withLock { $0.journal.filter { $0.position.partition == partition } }
            #expect(rows.map(\.position) == rows.map(\.position).sorted() && !rows.isEmpty)
        }
        try await running.stop()
        let isClosed = store.content.withLock { $0.isClosed }
        #expect(isClosed)
        let again = try await RunningEngine(store: store.reopened())
        for name in Self.names { #expect(try await again.flip(name).seq.rawValue == 3) }
        try await again.stop()
    }

    @Test func startsWithoutANameGetOneOfTheirPartition() async throws {
        let store = FakeStore(partitions: 4)
        let running = try await RunningEngine(store: store)
        for number in 0..<32 {
            let key = number < 16 ? RequestKey(bytes: Array("k-\(number)".utf8)) : nil
            let command = StartCommand(machine: "lamp", key: key)
            let view = try await running.engine.start(command)
            #expect(view.record.id.partition == Self.partition(of: view.record.name.rawValue))
            #expect(try await running.flip(view.record.name.rawValue).seq.rawValue == 2)
            guard key != nil else { continue }
            let again = try await running.engine.start(command)
            #expect(again.isRepeated && again.record.id == view.record.id)
        }
        let used = store.content.withLock { $0.instances.values.map(\.id.partition) }
        #expect(Set(used) == Set(Self.partitions))
        try await running.stop()
    }

    /// Two lanes that get one key at the same time: one uses it, and the other finds it.
    @Test(arguments: [false, true]) func aKeyOfTwoNamesIsUsedOnce(together: Bool) async throws {
        let store = FakeStore(partitions: 4)
        let running = try await RunningEngine(store: store)
        try await Self.start(running)
        for round in 0..<30 {
            let key = RequestKey(bytes: Array("k-\(round)".utf8))
            let commands = ["a", "b"].flatMap { side in
                (0..<8).map { StartCommand(machine: "lamp", instance: "\(side)-\(round)-\($0)", key: key) }
            }
            let outcomes = await withTaskGroup(of: String.self) { group in
                for command in commands {
                    group.addTask {
                        do throws(Rejection) {
                            if !together {
                                let view = try await running.engine.start(command)
                                return view.isRepeated ? "again" : ""
                            }
                            let other = SendCommand(instance: "i-0", event: Event(name: "flip"))
                            _ = try await running.engine.sendTogether([.send(other), .start(StartLine(command))])
                            return ""
                        } catch {
                            return error.kind
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.sorted() == [""] + Array(repeating: "keyReused", count: 15))
            let begun = store.content.withLock { content in
                content.instances.keys.count { $0.name.rawValue.contains("-\(round)-") }
            }
            #expect(begun == 1)
        }
        try await running.stop()
    }

    @Test func linesOfManyPartitionsKeepTheirOrderPerInstance() async throws {
        let running = try await RunningEngine(store: FakeStore(partitions: 4))
        try await Self.start(running)
        let commands = (0..<5).flatMap { _ in
            Self.names.map { SendCommand(instance: $0, event: Event(name: "flip")) }
        }
        let outcomes = try await running.engine.send(commands)
        #expect(try outcomes.map { try $0.get().seq.rawValue } == (2...6).flatMap { [Int64](repeating: $0, count: 16) })
        try await running.stop()
    }

    @Test func tasksAndTimersOfAllPartitionsComeToTheirEnd() async throws {
        let (store, clock) = (FakeStore(partitions: 4), HandClock())
        let running = try await RunningEngine(store: store, clock: clock)
        try await running.engine.apply(Self.job, syntax: .yaml)
        try await Self.start(running, "job")
        var done: Set<String> = []
        while done.count < Self.names.count {
            let command = LeaseTasksCommand(queue: "q", max: 5, milliseconds: 60_000, worker: "w", by: .test)
            let tasks = try await running.engine.lease(command, wait: .zero)
            #expect(tasks.count == min(5, Self.names.count - done.count))
            for task in tasks {
                #expect(done.insert(task.instance.rawValue).inserted)
                try await running.engine.report(EndTaskCommand(task: task.token, report: .completed(1), by: .test))
            }
            guard !tasks.isEmpty else { break }
        }
        clock.advance(1_000)
        running.engine.clockWasMoved()
        try await eventually("all timers") {
            store.content.withLock { $0.instances.values.allSatisfy { $0.status == .done } }
        }
        try await running.stop()
    }

    /// The lanes together lease no more than the queue's settings allow, and a lane's end gives room to the others.
    @Test func limitsOfAQueueCountAllPartitions() async throws {
        let running = try await RunningEngine(store: FakeStore(partitions: 4))
        try await running.engine.apply(Self.job, syntax: .yaml)
        try await Self.start(running, "job")
        let settings = SetQueueCommand(queue: "task:q", concurrency: .set(3), by: .test)
        _ = try await running.engine.set(settings)
        func lease(_ max: Int, _ wait: Duration = .zero) async throws -> [LeasedTask] {
            let command = LeaseTasksCommand(queue: "q", max: max, milliseconds: 60_000, worker: "w", by: .test)
            return try await running.engine.lease(command, wait: wait)
        }
        let tasks = try await withThrowingTaskGroup(of: [LeasedTask].self) { group in
            for _ in 0..<6 { group.addTask { try await lease(2) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(tasks.count == 3)
        // Every worker that waits hears of the room, in whatever lane it is.
        var held = tasks
        for _ in 0..<8 {
            async let next = lease(1, .seconds(60))
            let task = held.removeFirst()
            try await running.engine.report(EndTaskCommand(task: task.token, report: .completed(1), by: .test))
            held += try await next
            #expect(held.count == 3)
        }
        try await running.stop()
    }

    @Test func aRateCountsTheStartsOfAllPartitions() async throws {
        let clock = HandClock()
        let running = try await RunningEngine(store: FakeStore(partitions: 4), clock: clock)
        try await running.engine.apply(Self.job, syntax: .yaml)
        try await Self.start(running, "job")
        _ = try await running.engine.set(
            SetQueueCommand(queue: "task:q", rate: .set(.init(count: 5, milliseconds: 60_000)), by: .test))
        func lease() async throws -> Int {
            let command = LeaseTasksCommand(queue: "q", max: 2, milliseconds: 600_000, worker: "w", by: .test)
            return try await running.engine.lease(command, wait: .zero).count
        }
        var counts: [Int] = []
        for _ in 0..<4 { counts.append(try await lease()) }
        #expect(counts == [2, 2, 1, 0])
        clock.advance(61_000)
        #expect(try await lease() == 2)
        try await running.stop()
    }

    @Test func effectsOfAllPartitionsAreDoneOnce() async throws {
        let (store, servant) = (FakeStore(partitions: 4), Servant(always: .done(1)))
        let running = try await RunningEngine(store: store, executors: [servant])
        try await running.engine.apply(Self.job, syntax: .yaml)
        try await Self.start(running, "job")
        try await eventually("all effects") { store.content.withLock { $0.effects.isEmpty } }
        #expect(servant.begun.map(\.instance.rawValue).sorted() == Self.names.sorted())
        try await running.stop()
    }

    /// When a setting is answered, no lane applies anything without it.
    @Test func settingsHoldInEveryPartitionWhenTheyAreAnswered() async throws {
        let store = FakeStore(partitions: 4)
        let running = try await RunningEngine(store: store)
        try await Self.start(running)
        for _ in 0..<10 {
            let sending = Task {
                while !Task.isCancelled {
                    _ = try await running.engine.send(
                        Self.names.map { SendCommand(instance: $0, event: Event(name: "flip")) })
                }
            }
            _ = try await running.engine.suspend(machine: "lamp", reason: nil, by: .test)
            let before = store.content.withLock { $0.journal.count { $0.event == "flip" } }
            for name in Self.names {
                await #expect { try await running.flip(name) } throws: {
                    ($0 as? Rejection)?.code == .machineSuspended
                }
            }
            sending.cancel()
            _ = await sending.result
            let after = store.content.withLock { $0.journal.count { $0.event == "flip" } }
            #expect(after == before)
            _ = try await running.engine.set(SetMachineCommand(machine: "lamp", .suspended(false), by: .test))
        }
        let hasFlips = store.content.withLock { $0.journal.contains { $0.event == "flip" } }
        #expect(hasFlips)
        try await running.stop()
    }

    @Test func anotherOwnerEndsOneLaneOnly() async throws {
        let store = FakeStore(partitions: 4)
        let running = try await RunningEngine(store: store)
        try await Self.start(running)
        let lost = Self.partition(of: "i-2")
        store.fail { _, batch in batch.numbers.partition == lost ? StoreError(.fenced, "taken") : nil }
        for name in Self.names {
            let isLost = Self.partition(of: name) == lost
            let sent = await running.engine.outcome(of: SendCommand(instance: name, event: Event(name: "flip")))
            #expect((try? sent.get()) == nil ? isLost : !isLost)
        }
        #expect(running.engine.currentHealth == .ready)
        await running.beginStop()
        try await running.ended()
    }
}
