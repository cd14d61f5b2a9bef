import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests runs whose parts cannot be written, or whose instances change at the worst time.
@Suite(.timeLimit(.minutes(20))) struct BulkFailureTests {
    private static let count = 60

    private let store = FakeStore()
    private let running: RunningEngine

    init() async throws {
        var limits = EngineLimits()
        limits.selectedPage = 4
        limits.batchRows = 8
        running = try await RunningEngine(store: store, limits: limits)
        for number in 0..<Self.count { try await running.start("l-\(number)") }
    }

    private func begin(
        _ action: BulkAction, isAtomic: Bool = false, names: [InstanceName] = []
    ) async throws -> BulkView {
        let selection = BulkSelection(machines: ["lamp"], versions: [1])
        let targets: BulkRequest.Targets =
            names.isEmpty ? .selection(selection) : .names(names.count, BulkRequest.digest(of: names))
        let request = BulkRequest(action: action, targets: targets, reason: "r", isAtomic: isAtomic)
        return try await running.engine.begin(run: "r", request, names, by: .test)
    }

    private func ended() async throws -> BulkOutcome {
        let engine = running.engine
        try await eventually("the run has ended") { try await engine.run(named: "r", by: .test).record.state == .done }
        return try await engine.run(named: "r", by: .test).outcome
    }

    /// Expects that each instance has flipped once, with some exceptions.
    private func expectFlipped(except names: Set<String> = []) {
        for number in 0..<Self.count {
            let name = "l-\(number)"
            #expect(store.record(name)?.seq.rawValue == (names.contains(name) ? 1 : 2), "\(name)")
        }
    }

    @Test func aWriterThatHangsHoldsUpNoDryRunAndNoRehearsal() async throws {
        let flip = Event(name: "flip", data: nil)
        store.hold.shut()
        defer { store.hold.open() }
        async let waiting = running.engine.send(SendCommand(instance: "l-0", event: flip, by: .test))
        await store.hold.somebodyIsHeld()
        let trial = SendCommand(instance: "l-0", event: flip, isDryRun: true, by: .test)
        #expect(try await running.engine.send(trial).seq.rawValue == 2)
        let request = BulkRequest(
            action: .send(event: "flip", data: nil), targets: .selection(BulkSelection(machines: ["lamp"])))
        let rehearsal = try await running.engine.rehearse(request, [], by: .test)
        #expect(rehearsal.outcome.brief == "done 60")
        #expect(store.record("l-0")?.seq.rawValue == 1)
        store.hold.open()
        #expect(try await waiting.seq.rawValue == 2)
    }

    /// More commands wait all the time than a batch takes. Each part of a run is overtaken at most once.
    @Test func aRunEndsHoweverMuchOthersSend() async throws {
        let names = (0..<16).map { InstanceName(rawValue: "l-\($0)") }
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Void.self) { [engine = running.engine] group in
            for number in 16..<48 {
                let flip = SendCommand(
                    instance: InstanceName(rawValue: "l-\(number)"), event: Event(name: "flip", data: nil), by: .test)
                group.addTask {
                    while !isOver.isSet {
                        for answer in try await engine.send(Array(repeating: flip, count: 32)) { _ = try answer.get() }
                    }
                }
            }
            defer { isOver.set() }
            let request = BulkRequest(
                action: .send(event: "flip", data: nil), targets: .names(names.count, BulkRequest.digest(of: names)))
            _ = try await engine.begin(run: "r", request, names, by: .test)
            try await eventually("the run has ended") {
                try await engine.run(named: "r", by: .test).record.state == .done
            }
        }
        #expect(try await ended().brief == "done 16")
    }

    /// Pages that were read before the failure are not read again, whatever failed.
    @Test(arguments: [StoreError.Code.unavailable, .constraint])
    func whatFailsForAWhileIsDoneLaterAndOnce(_ code: StoreError.Code) async throws {
        store.fail { attempt, batch in
            [3, 4, 7].contains(attempt) && !batch.changedInstances.isEmpty ? StoreError(code, "made to fail") : nil
        }
        _ = try await begin(.send(event: "flip", data: nil))
        let outcome = try await ended()
        #expect(outcome.total == Self.count)
        if code == .unavailable {
            #expect(outcome.brief == "done \(Self.count)")
            expectFlipped()
        }
        for number in 0..<Self.count {
            let seq = try #require(store.record("l-\(number)")?.seq.rawValue)
            #expect(seq <= 2)
        }
        try await running.stop()
    }

    @Test func theOneThatCannotBeWrittenIsToldAndTheOthersAreDone() async throws {
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == "l-21" } ? StoreError(.constraint, "made to fail") : nil
        }
        _ = try await begin(.send(event: "flip", data: nil))
        let outcome = try await ended()
        #expect(outcome.brief == "done \(Self.count - 1), refused 1")
        #expect(outcome.told.first { $0.kind == .refused }?.instance == "l-21")
        expectFlipped(except: ["l-21"])
        try await running.stop()
    }

    /// The instance fitted when the run began, and does not when all have their turn.
    @Test(.onePartition("a run for all or none is refused in several partitions"))
    func whatIsForAllOrNothingDoesNothingWhenOneStopsFittingAfterTheBegin() async throws {
        let engine = running.engine
        _ = try await engine.apply("id: lamp\ninitial: off\ncontext: {lit: false}\nstates: {off: {}}", syntax: .yaml)
        store.hold.shut()
        async let begun = begin(.migrate(to: 2, MigrationPlan(), retries: false), isAtomic: true)
        // All instances were looked at, and the begin of the run is being written.
        await store.hold.somebodyIsHeld()
        let flipped = Task.immediate { [running] in try await running.flip("l-21") }
        store.hold.open()
        #expect(try await begun.record.selected == Int64(Self.count))
        _ = try await flipped.value
        let outcome = try await ended()
        #expect(outcome.brief == "misfit 1")
        #expect(outcome.told.first?.instance == "l-21")
        for number in 0..<Self.count where number != 21 {
            #expect(store.record("l-\(number)")?.seq.rawValue == 1)
        }
        try await running.stop()
    }

    /// The run would look for the instance by a name that no longer exists.
    @Test(.onePartition("the new name belongs to another partition"))
    func whatARunUnderWayNamesIsRenamedWhenItIsDone() async throws {
        let engine = running.engine
        store.fail { _, batch in
            batch.changedInstances.isEmpty ? nil : StoreError(.unavailable, "made to fail")
        }
        _ = try await begin(.send(event: "flip", data: nil), names: ["l-1", "l-2"])
        try await eventually("the run pauses") { try await engine.run(named: "r", by: .test).paused != nil }
        func rename() async throws(Rejection) {
            _ = try await engine.redact(RedactCommand(instance: "l-2", newName: "m", reason: "r", by: .test))
        }
        do {
            try await rename()
            Issue.record("it was renamed")
        } catch {
            #expect(error.code == .preconditionFailed && error.message.contains("'wfctl bulk stop r'"))
        }
        store.fail { _, _ in nil }
        #expect(try await ended().brief == "done 2")
        try await rename()
        #expect(try await engine.run(named: "r", by: .test).outcome.told.map(\.instance) == ["l-1", "m"])
        try await running.stop()
    }

    @Test(.onePartition("the run stops before it has done anything"))
    func whatWasSelectedAndIsNoMoreIsNotTold() async throws {
        let engine = running.engine
        store.fail { _, batch in
            batch.changedInstances.contains { $0.name == "l-0" } ? StoreError(.unavailable, "made to fail") : nil
        }
        _ = try await begin(.send(event: "flip", data: nil))
        try await eventually("the run pauses") { try await engine.run(named: "r", by: .test).paused != nil }
        // The instance was read with the first page, and has not had its turn.
        _ = try await engine.redact(RedactCommand(instance: "l-3", newName: "m", reason: "r", by: .test))
        store.fail { _, _ in nil }
        let outcome = try await ended()
        #expect(outcome.brief == "done \(Self.count - 1), changed 1")
        #expect(outcome.told.allSatisfy { $0.kind == .done && $0.instance != "l-3" })
        try await running.stop()
    }
}

/// A condition that becomes true once.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}
