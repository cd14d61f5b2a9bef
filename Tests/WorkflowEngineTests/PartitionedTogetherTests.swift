import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore
import WorkflowThreads

/// Tests events for instances of several partitions that are taken all or none.
@Suite(.timeLimit(.minutes(20))) struct PartitionedTogetherTests {
    private static let names = (0..<16).map { "i-\($0)" }

    private static func start(_ limits: EngineLimits = EngineLimits()) async throws -> (RunningEngine, FakeStore) {
        let store = FakeStore(partitions: 4)
        let running = try await RunningEngine(store: store, limits: limits)
        for name in names { _ = try await running.engine.start(StartCommand(machine: "lamp", instance: name)) }
        return (running, store)
    }

    private static func flips(_ names: [String], _ event: String = "flip") -> [SendCommand] {
        names.map { SendCommand(instance: $0, event: Event(name: event)) }
    }

    private static func partition(of name: String) -> PartitionID {
        Placement(partitions: 4).partition(of: InstanceKey(InstanceName(rawValue: name), in: .default))
    }

    private static func seqs(_ store: FakeStore) -> Set<Int64> {
        store.content.withLock { Set($0.instances.values.map(\.seq.rawValue)) }
    }

    @Test func allAreWrittenInOneTransaction() async throws {
        let (running, store) = try await Self.start()
        let before = store.content.withLock { $0.commits.count }
        let told = try await running.engine.sendTogether(Self.flips(Self.names + Self.names))
        #expect(told.map(\.seq.rawValue) == Array(repeating: 2, count: 16) + Array(repeating: 3, count: 16))
        #expect(store.content.withLock { $0.commits.count } == before + 1)
        #expect(store.content.withLock { $0.commits.last } == 4)
        #expect(Self.seqs(store) == [3])
        // Readers of each partition learn of its rows.
        for partition in store.partitions {
            let newest = store.content.withLock { content in
                content.journal.map(\.position).filter { $0.partition == partition }.max()
            }
            #expect(running.engine.feed.newest(in: partition) == newest)
        }
        // The lanes go on from the same state.
        for name in Self.names { #expect(try await running.flip(name).seq.rawValue == 4) }
        try await running.stop()
    }

    /// The first event that is not accepted is named, wherever it is.
    @Test(arguments: [0, 7, 15]) func oneThatIsRefusedRefusesAll(place: Int) async throws {
        let (running, store) = try await Self.start()
        var commands = Self.flips(Self.names)
        commands[place].event = Event(name: "off")
        commands[15].event = Event(name: "off")
        let tries = store.content.withLock { $0.tries }
        let rejection = await #expect(throws: Rejection.self) { try await running.engine.sendTogether(commands) }
        #expect(rejection?.code == .notAccepted && rejection?.offset == place)
        #expect(store.content.withLock { $0.tries } == tries)
        #expect(Self.seqs(store) == [1])
        let told = try await running.engine.sendTogether(Self.flips(Self.names))
        #expect(Set(told.map(\.seq.rawValue)) == [2])
        try await running.stop()
    }

    @Test(arguments: [StoreError.Code.unavailable, .constraint])
    func aFailedCommitChangesNothing(code: StoreError.Code) async throws {
        let (running, store) = try await Self.start()
        let isFailing = Mutex(true)
        store.fail { _, batch in
            // The last one, so that it would be too late if the others had a transaction of their own.
            let isBad = batch.numbers.partition == PartitionID(rawValue: 3) && isFailing.withLock { $0 }
            return isBad ? StoreError(code, "made to fail") : nil
        }
        await #expect(throws: Rejection.self) { try await running.engine.sendTogether(Self.flips(Self.names)) }
        #expect(Self.seqs(store) == [1])
        isFailing.withLock { $0 = false }
        let told = try await running.engine.sendTogether(Self.flips(Self.names))
        #expect(Set(told.map(\.seq.rawValue)) == [2])
        #expect(Self.seqs(store) == [2])
        try await running.stop()
    }

    @Test func aCommitWithoutAnAnswerIsToldAsItIs() async throws {
        let (running, store) = try await Self.start()
        store.content.withLock { $0.outcome = .committed }
        store.fail { tries, batch in
            batch.numbers.partition == Self.partition(of: "i-2") ? StoreError(.outcomeUnknown, "cut") : nil
        }
        let told = try await running.engine.sendTogether(Self.flips(Self.names))
        #expect(Set(told.map(\.seq.rawValue)) == [2] && Self.seqs(store) == [2])
        try await running.stop()
    }

    @Test func aRepeatedKeyIsAnsweredAsBefore() async throws {
        let (running, store) = try await Self.start()
        var commands = Self.flips(Self.names)
        for place in commands.indices { commands[place].key = RequestKey(bytes: Array("k-\(place)".utf8)) }
        let first = try await running.engine.sendTogether(commands)
        let again = try await running.engine.sendTogether(commands)
        #expect(again.map(\.seq) == first.map(\.seq) && Self.seqs(store) == [2])
        try await running.stop()
    }

    /// No lane sees the key of another, so a key of two partitions is refused before the lanes meet.
    @Test func aKeyOfTwoPartitionsIsRefused() async throws {
        let (running, store) = try await Self.start()
        let lines = (0..<8).map { number in
            LineCommand.start(
                StartLine(
                    StartCommand(machine: "lamp", instance: "n-\(number)", key: RequestKey(bytes: Array("k".utf8)))))
        }
        let rejection = await #expect(throws: Rejection.self) { try await running.engine.sendTogether(lines) }
        #expect(rejection?.code == .keyReused)
        #expect(store.content.withLock { $0.instances.count } == 16)
        try await running.stop()
    }

    @Test func startsAndEventsGoTogether() async throws {
        let (running, store) = try await Self.start()
        var lines = Self.flips(Self.names).map(LineCommand.send)
        lines += (0..<8).map { .start(StartLine(StartCommand(machine: "lamp", instance: "new-\($0)"))) }
        lines.append(.start(StartLine(StartCommand(machine: "lamp"))))
        #expect(try await running.engine.sendTogether(lines).count == 25)
        #expect(store.content.withLock { $0.instances.count } == 25)
        // A name that is taken refuses all others, too.
        let taken = LineCommand.start(StartLine(StartCommand(machine: "lamp", instance: "new-3")))
        let rejection = await #expect(throws: Rejection.self) {
            try await running.engine.sendTogether(Self.flips(Self.names).map(LineCommand.send) + [taken])
        }
        #expect(rejection?.offset == 16)
        try await running.stop()
    }

    /// Machine versions that are not compiled do not wait for the thread that compiles for single events.
    @Test func versionsThatAreNotCompiledAreCompiled() async throws {
        let (first, store) = try await Self.start()
        for (place, name) in Self.names.enumerated() {
            let door = "{id: door-\(place), initial: a, states: {a: {on: {push: b}}, b: {}}}"
            _ = try await first.engine.apply(door, syntax: .yaml)
            _ = try await first.engine.start(StartCommand(machine: "door-\(place)", instance: "door-" + name))
        }
        try await first.stop()
        let (threads, hold) = (BackgroundThreads("held-compile", count: 1), Hold())
        let running = try await RunningEngine(store: store.reopened(), compiling: threads)
        hold.shut()
        threads.runFirst { hold.pass() }
        let told = try await running.engine.sendTogether(Self.flips(Self.names.map { "door-" + $0 }, "push"))
        #expect(Set(told.map(\.seq.rawValue)) == [2])
        hold.open()
        try await running.stop()
    }

    /// Many such commands and single events at once: each is taken whole, and nothing stands still.
    @Test func manyAtOnceEndAndLoseNothing() async throws {
        let (running, store) = try await Self.start()
        let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
            for round in 0..<40 {
                group.addTask {
                    let names = Self.names.enumerated().filter { ($0.offset + round) % 3 == 0 }.map(\.element)
                    let commands = Self.flips(names, round % 5 == 0 ? "off" : "flip")
                    do {
                        return try await running.engine.sendTogether(commands).count
                    } catch let rejection as Rejection where rejection.code == .notAccepted {
                        return 0
                    }
                }
                group.addTask {
                    try await running.engine.send(Self.flips(Self.names)).count { (try? $0.get()) != nil }
                }
            }
            return try await group.reduce(0, +)
        }
        let rows = store.content.withLock { content in content.journal.count { $0.kind != .started } }
        #expect(rows == accepted)
        // Each instance's rows follow each other.
        for instance in store.content.withLock({ Array($0.instances.values) }) {
            let own = store.content.withLock { content in
                content.journal.filter { $0.instanceID == instance.id }.map(\.seq.rawValue)
            }
            #expect(own.sorted() == Array(1...instance.seq.rawValue))
        }
        try await running.stop()
    }

    /// A lane that has ended refuses what concerns it, and the others go on.
    @Test func aLaneThatHasEndedRefusesAll() async throws {
        let (running, store) = try await Self.start()
        let lost = Self.partition(of: "i-2")
        store.fail { _, batch in batch.numbers.partition == lost ? StoreError(.fenced, "taken") : nil }
        await #expect(throws: Rejection.self) { try await running.flip("i-2") }
        await #expect(throws: Rejection.self) { try await running.engine.sendTogether(Self.flips(Self.names)) }
        #expect(Self.seqs(store) == [1])
        let others = Self.names.filter { Self.partition(of: $0) != lost }
        let told = try await running.engine.sendTogether(Self.flips(others))
        #expect(Set(told.map(\.seq.rawValue)) == [2])
        await running.beginStop()
        try await running.ended()
    }

    /// A partition that writes for too long is not waited for.
    @Test func aLaneThatDoesNotComeIsNotAwaited() async throws {
        var limits = EngineLimits()
        limits.meetingWaiting = .milliseconds(200)
        let (running, store) = try await Self.start(limits)
        store.hold.shut()
        async let held = running.flip("i-2")
        await store.hold.somebodyIsHeld()
        let rejection = await #expect(throws: Rejection.self) {
            try await running.engine.sendTogether(Self.flips(Self.names))
        }
        #expect(rejection?.code == .storageUnavailable)
        store.hold.open()
        #expect(try await held.seq.rawValue == 2)
        let told = try await running.engine.sendTogether(Self.flips(Self.names))
        #expect(Set(told.map(\.seq.rawValue)) == [2, 3])
        try await running.stop()
    }

    @Test func tooManyThatWaitAreRefused() async throws {
        var limits = EngineLimits()
        limits.meetings = 1
        let (running, store) = try await Self.start(limits)
        store.hold.shut()
        async let first = running.engine.sendTogether(Self.flips(Self.names))
        await store.hold.somebodyIsHeld()
        let rejection = await #expect(throws: Rejection.self) {
            try await running.engine.sendTogether(Self.flips(Self.names))
        }
        #expect(rejection?.code == .overloaded)
        store.hold.open()
        #expect(try await first.count == 16)
        try await running.stop()
    }
}
