import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that a batch takes one round trip on a store where each lookup takes one, with the same answers as on every
/// other store.
@Suite(.timeLimit(.minutes(20)), .onePartition("the round trips of one lane are counted"))
struct PrefetchTests {
    private static let key = "0189d7e2-8000-7000-8000-000000000001"

    private static let limits: EngineLimits = {
        var limits = EngineLimits()
        limits.batchApplying = .seconds(60)
        return limits
    }()

    /// Returns an engine that has just begun, so that it knows no instance and no machine, on a store with instances of
    /// `lamp`.
    private static func cold(
        _ names: [String], clock: any WallClock = HandClock(fresh)
    ) async throws -> (RunningEngine, FakeStore) {
        let first = FakeStore(isRemote: true)
        let running = try await RunningEngine(store: first, limits: limits, clock: clock)
        for name in names { try await running.start(name) }
        try await running.stop()
        let store = first.reopened()
        let again = try await RunningEngine(store: store, limits: limits, clock: clock)
        store.forgetTrips()
        return (again, store)
    }

    /// A time at which `key` is new.
    private static let fresh = (RequestKey(text: key)?.time?.rawValue ?? 0) + 1_000

    private static func flip(_ name: String, key: String? = nil) -> SendCommand {
        SendCommand(instance: name, event: Event(name: "flip"), key: key.flatMap(RequestKey.init(text:)))
    }

    private static let hundred = (0..<100).map { "lamp-\($0)" }

    @Test func aHundredEventsForAHundredInstancesAreOneRoundTrip() async throws {
        let (running, store) = try await Self.cold(Self.hundred)
        let outcomes = try await running.engine.send(Self.hundred.map { Self.flip($0) })
        #expect(try outcomes.allSatisfy { try $0.get().seq.rawValue == 2 })
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        // Instances that are known are not read again.
        _ = try await running.engine.send(Self.hundred.map { Self.flip($0) })
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        try await running.stop()
    }

    /// Otherwise a batch would close with few commands, and the next one would read the same rows again.
    @Test func theTimeOfARoundTripIsNoTimeOfApplying() async throws {
        let first = FakeStore(isRemote: true)
        var limits = Self.limits
        let filling = try await RunningEngine(store: first, limits: limits, clock: HandClock())
        for name in Self.hundred { try await filling.start(name) }
        try await filling.stop()
        let store = first.reopened()
        limits.batchApplying = .seconds(1)
        let running = try await RunningEngine(store: store, limits: limits, clock: HandClock())
        store.forgetTrips()
        let trip = Hold()
        trip.shut()
        store.content.withLock { $0.prefetched = { _ in trip.pass() } }
        async let outcomes = running.engine.send(Self.hundred.map { Self.flip($0) })
        await trip.somebodyIsHeld()
        // No batch stays open for so long.
        try await letPass(limits.batchApplying + .milliseconds(100))
        trip.open()
        #expect(try await outcomes.allSatisfy { try $0.get().seq.rawValue == 2 })
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        try await running.stop()
    }

    @Test func instancesThatAreNotThereAreReadWithTheOthers() async throws {
        let (running, store) = try await Self.cold(["a"])
        let outcomes = try await running.engine.send(["x", "a", "y", "a", "x"].map { Self.flip($0) })
        let told = outcomes.map { outcome in
            switch outcome {
            case .success(let event): "\(event.seq.rawValue)"
            case .failure(let rejection): rejection.kind
            }
        }
        #expect(told == ["instanceNotFound", "2", "instanceNotFound", "3", "instanceNotFound"])
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        try await running.stop()
    }

    /// There are more commands than one batch can take.
    @Test func everyBatchReadsForItself() async throws {
        let store = FakeStore(isRemote: true)
        var limits = Self.limits
        limits.batchRows = 8
        limits.cachedInstanceBytes = 0
        let running = try await RunningEngine(store: store, limits: limits, clock: HandClock())
        let names = Self.hundred.prefix(40)
        for name in names { try await running.start(name) }
        store.forgetTrips()
        let outcomes = try await running.engine.send(names.map { Self.flip($0) })
        #expect(try outcomes.allSatisfy { try $0.get().seq.rawValue == 2 })
        #expect(store.trips == FakeStore.Trips(prefetches: 5, lookups: 0))
        try await running.stop()
    }

    @Test func startsReadTheirMachinesAndTheirNames() async throws {
        let (running, store) = try await Self.cold(["a", "held"])
        let key = try #require(RequestKey(text: Self.key))
        store.hold.shut()
        async let held = running.flip("held")
        await store.hold.somebodyIsHeld()
        store.forgetTrips()
        let starts = [
            StartCommand(machine: "lamp", instance: "b"), StartCommand(machine: "lamp"),
            StartCommand(machine: "lamp", version: 1, instance: "c"),
            StartCommand(machine: "lamp", instance: "d", key: key), StartCommand(machine: "lamp", instance: "a"),
        ]
        let told = await withTaskGroup(of: (Int, String).self) { group in
            for (number, start) in starts.enumerated() {
                group.addImmediateTask {
                    do throws(Rejection) {
                        return (number, "\(try await running.engine.start(start).record.seq.rawValue)")
                    } catch {
                        return (number, error.kind)
                    }
                }
            }
            store.hold.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        _ = try await held
        #expect((0..<starts.count).map { told[$0] } == ["1", "1", "1", "1", "instanceExists"])
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        // A definition reads the latest version of its machine.
        store.forgetTrips()
        _ = try await running.engine.apply(RunningEngine.definition + "\n", syntax: .yaml)
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        try await running.stop()
    }

    @Test func keysAreReadWithTheirInstances() async throws {
        let (running, store) = try await Self.cold(["a", "b"])
        let sends = ["a", "b", "a"].map { Self.flip($0, key: Self.key) }
        let first = try await running.engine.send(sends)
        #expect(try first.map { try $0.get().isRepeated } == [false, false, true])
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        store.forgetTrips()
        let again = try await running.engine.send(sends)
        #expect(try again.allSatisfy { try $0.get().isRepeated })
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        // Commands that succeed or fail together are read together too.
        store.forgetTrips()
        let together = try await running.engine.sendTogether(sends)
        #expect(together.map(\.isRepeated) == [true, true, true])
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        try await running.stop()
    }

    @Test func aKeyOfAnInstanceThatBeganInTheBatchIsNotLookedUp() async throws {
        let (running, store) = try await Self.cold(["held"])
        store.hold.shut()
        async let held = running.flip("held")
        await store.hold.somebodyIsHeld()
        store.forgetTrips()
        let seqs = try await withThrowingTaskGroup(of: Int64.self) { group in
            // An immediate task runs at once until it has to wait: with its command in the queue.
            group.addImmediateTask { try await running.start("new").record.seq.rawValue }
            group.addImmediateTask {
                try await running.engine.send(Self.flip("new", key: Self.key)).seq.rawValue
            }
            store.hold.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(seqs.sorted() == [1, 2])
        _ = try await held
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 0))
        try await running.stop()
    }

    @Test func whatComesWhileABatchIsAppliedIsReadWithASecondRoundTrip() async throws {
        let (running, store) = try await Self.cold(["a", "b", "c"])
        let (answers, continuation) = AsyncStream.makeStream(of: Int64.self)
        store.content.withLock { content in
            content.prefetched = { number in
                guard number == 1 else { return }
                for name in ["b", "c"] {
                    running.engine.begin(Self.flip(name)) { continuation.yield((try? $0.get())?.seq.rawValue ?? 0) }
                }
            }
        }
        let commits = store.content.withLock { $0.commits.count }
        #expect(try await running.flip("a").seq.rawValue == 2)
        var late: [Int64] = []
        for await seq in answers.prefix(2) { late.append(seq) }
        #expect(late == [2, 2])
        #expect(store.trips == FakeStore.Trips(prefetches: 2, lookups: 0))
        #expect(store.content.withLock { $0.commits.count } == commits + 1)
        try await running.stop()
    }

    private static let ticker = """
        id: ticker
        initial: on
        states:
          on: {after: {1s: off}}
          off: {}
        """

    @Test func timersThatAreDueReadTheirInstancesAtOnce() async throws {
        let clock = HandClock()
        let first = FakeStore(isRemote: true)
        let running = try await RunningEngine(store: first, limits: Self.limits, clock: clock)
        _ = try await running.engine.apply(Self.ticker, syntax: .yaml)
        for number in 0..<50 {
            _ = try await running.engine.start(StartCommand(machine: "ticker", instance: "t-\(number)"))
        }
        try await running.stop()
        let store = first.reopened()
        let again = try await RunningEngine(store: store, limits: Self.limits, clock: clock)
        store.forgetTrips()
        clock.advance(1_000)
        again.engine.clockWasMoved()
        try await eventually("the timers have fired") { store.content.withLock { $0.timers.isEmpty } }
        // The second read may come behind the machine, which is compiled when the timers are due.
        #expect(1...2 ~= store.trips.prefetches && store.trips.lookups == 0)
        #expect(store.content.withLock { $0.journal.suffix(50).allSatisfy { $0.kind == .timer } })
        try await again.stop()
    }

    /// Each command then reads for itself.
    @Test func whatCannotBeReadAtOnceIsLookedUp() async throws {
        let (running, store) = try await Self.cold(["a", "b"])
        store.content.withLock { $0.failingPrefetches = 1 }
        let outcomes = try await running.engine.send(["a", "b", "a"].map { Self.flip($0) })
        #expect(try outcomes.map { try $0.get().seq.rawValue } == [2, 2, 3])
        #expect(store.trips == FakeStore.Trips(prefetches: 1, lookups: 2))
        try await running.stop()
    }

    /// The test sends commands of all kinds for few names, in batches of every size, one after another and beside
    /// commits.
    @Test(arguments: [1, 2, 3, 4]) func answersAreThoseOfAStoreThatReadsOneByOne(seed: UInt64) async throws {
        var told: [[String]] = []
        for isRemote in [false, true] {
            let store = FakeStore(isRemote: isRemote)
            var limits = Self.limits
            limits.batchRows = 4
            limits.cachedInstanceBytes = 0
            let running = try await RunningEngine(store: store, limits: limits, clock: HandClock(Self.fresh))
            var answers = try await Self.told(by: running, seed)
            try await running.stop()
            answers += store.content.withLock { content in
                content.journal.map { "\($0.position.rawValue) \($0.instanceID.rawValue) \($0.event) \($0.to)" }
            }
            told.append(answers)
            if isRemote { #expect(store.trips.lookups == 0) }
        }
        #expect(told[0].count > 200)
        #expect(told[0] == told[1], "seed \(seed)")
    }

    private static func told(by running: RunningEngine, _ seed: UInt64) async throws -> [String] {
        var random = SeededRandom(seed: seed)
        var told: [String] = []
        for _ in 0..<60 {
            let name = "lamp-\(Int.random(in: 0..<6, using: &random))"
            let text = "k-\(Int.random(in: 0..<8, using: &random))"
            let key = Bool.random(using: &random) ? RequestKey(text: text) : nil
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let start = StartCommand(machine: "lamp", instance: name, key: key)
                told.append(
                    await answer(of: { () throws(Rejection) in try await running.engine.start(start).record.seq }))
            case 1:
                let retry = RepairCommand(instance: name, .retry)
                told.append(await answer(of: { () throws(Rejection) in try await running.engine.repair(retry).seq }))
            case 2:
                let sends = (0..<3).map { flip("lamp-\($0)", key: key == nil ? nil : "\(text)-\($0)") }
                told.append(
                    await answer(of: { () throws(Rejection) in try await running.engine.sendTogether(sends).last?.seq })
                )
            default:
                let sends = (0..<Int.random(in: 1...14, using: &random)).map { _ in
                    SendCommand(
                        instance: "lamp-\(Int.random(in: 0..<6, using: &random))",
                        event: Event(name: Bool.random(using: &random) ? "flip" : "off"),
                        isDryRun: Int.random(in: 0..<5, using: &random) == 0,
                        key: Bool.random(using: &random)
                            ? RequestKey(text: "s-\(Int.random(in: 0..<20, using: &random))") : nil)
                }
                for outcome in try await running.engine.send(sends) {
                    told.append(await answer(of: { () throws(Rejection) in try outcome.get().seq }))
                }
            }
        }
        return told
    }

    private static func answer(of body: () async throws(Rejection) -> Seq?) async -> String {
        do throws(Rejection) {
            return "\(try await body()?.rawValue ?? 0)"
        } catch {
            return error.kind
        }
    }
}
