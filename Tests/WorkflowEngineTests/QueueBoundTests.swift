import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEngine  // The queue is no part of what the daemon uses.

/// Tests the limits of the writer's queue: a caller beyond them is told at once.
@Suite(.onePartition("the bounds of one lane are reached"))
struct QueueBoundTests {
    /// Sends events while the writer is held up, until all that do not fit are answered. Then releases the writer.
    private static func answers(
        to sends: Int, withData data: JSONValue?, limits: EngineLimits, refused: Int
    ) async throws -> [String: Int] {
        let store = FakeStore()
        let running = try await RunningEngine(store: store, limits: limits)
        try await running.start("lamp-1")
        store.hold.shut()
        async let held = running.flip("lamp-1")
        await store.hold.somebodyIsHeld()
        let answers = await withTaskGroup(of: String.self) { group in
            for _ in 0..<sends {
                group.addTask {
                    do throws(Rejection) {
                        _ = try await running.flip("lamp-1", data: data)
                        return "accepted"
                    } catch {
                        return error.kind
                    }
                }
            }
            var answers: [String: Int] = [:]
            for await answer in group {
                answers[answer, default: 0] += 1
                // These commands are refused while the writer still stands still.
                if answers["overloaded"] == refused { store.hold.open() }
            }
            return answers
        }
        #expect(try await held.seq.rawValue == 2)
        try await running.stop()
        return answers
    }

    @Test(.timeLimit(.minutes(20))) func aQueueThatIsFullInNumberRefusesTheNext() async throws {
        var limits = EngineLimits()
        limits.queuedCommands = 4
        let answers = try await Self.answers(to: 20, withData: nil, limits: limits, refused: 16)
        #expect(answers == ["accepted": 4, "overloaded": 16])
    }

    @Test(.timeLimit(.minutes(20))) func aQueueThatIsFullInBytesRefusesTheNext() async throws {
        var limits = EngineLimits()
        limits.queuedBytes = 10_000
        let data = JSONValue.string(String(repeating: "x", count: 3_000))
        let answers = try await Self.answers(to: 20, withData: data, limits: limits, refused: 17)
        #expect(answers == ["accepted": 3, "overloaded": 17])
    }

    // MARK: Lines that wait for room

    private static let flip = SendCommand(instance: "lamp-1", event: Event(name: "flip"))

    /// Returns an engine whose writer is held up and whose queue of four is full, and the seqs of the queued events.
    private static func full(
        _ store: FakeStore, waiting: Duration = .seconds(60)
    ) async throws -> (running: RunningEngine, sent: [PendingSends]) {
        var limits = EngineLimits()
        limits.queuedCommands = 4
        limits.roomWaiting = waiting
        let running = try await RunningEngine(store: store, limits: limits)
        try await running.start("lamp-1")
        store.hold.shut()
        var sent = [try running.engine.begin([flip])]
        await store.hold.somebodyIsHeld()
        for _ in 0..<4 { sent.append(try running.engine.begin([flip])) }
        #expect(throws: Rejection.self) { _ = try running.engine.begin([flip]) }
        return (running, sent)
    }

    /// Returns the answers to groups of events that wait for room.
    private static func told(
        _ group: [SendCommand], _ running: RunningEngine
    ) async -> [String] {
        do throws(Rejection) {
            let lines = group.map(LineCommand.send)
            return try await running.engine.beginWhenRoom(lines, in: CommandSequence()).outcomes().map { outcome in
                switch outcome {
                case .success(let sent): "\(sent.seq.rawValue)"
                case .failure(let rejection): rejection.kind
                }
            }
        } catch {
            return [error.kind]
        }
    }

    @Test(.timeLimit(.minutes(20))) func linesThatWaitForRoomComeInTheirOrder() async throws {
        let store = FakeStore()
        let (running, sent) = try await Self.full(store)
        let engine = running.engine
        async let first = Self.told([Self.flip, Self.flip, Self.flip], running)
        try await eventually("the first group waits") { engine.queue.queues[0].groupsThatWait == 1 }
        async let second = Self.told([Self.flip, Self.flip], running)
        try await eventually("the second group waits") { engine.queue.queues[0].groupsThatWait == 2 }
        store.hold.open()
        #expect(await first == ["7", "8", "9"])
        #expect(await second == ["10", "11"])
        for (offset, events) in sent.enumerated() {
            #expect(try await events.outcomes().map { try $0.get().seq.rawValue } == [Int64(offset + 2)])
        }
        #expect(engine.queue.queues[0].groupsThatWait == 0)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whatWaitsForRoomIsBoundedInBytes() async throws {
        let store = FakeStore()
        let (running, _) = try await Self.full(store)
        let engine = running.engine
        let half = JSONValue.string(String(repeating: "x", count: engine.limits.queuedBytes / 2))
        let large = SendCommand(instance: "lamp-1", event: Event(name: "flip", data: half))
        async let first = Self.told([large], running)
        try await eventually("the first group waits") { engine.queue.queues[0].groupsThatWait == 1 }
        #expect(await Self.told([large], running) == ["overloaded"])
        #expect(engine.queue.queues[0].groupsThatWait == 1)
        store.hold.open()
        #expect(await first == ["7"])
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whereNoRoomComesInTimeLinesAreToldSo() async throws {
        let store = FakeStore()
        let (running, _) = try await Self.full(store, waiting: .milliseconds(20))
        #expect(await Self.told([Self.flip], running) == ["overloaded"])
        #expect(running.engine.queue.queues[0].groupsThatWait == 0)
        store.hold.open()
        // The group that was refused is never applied.
        #expect(await Self.told([Self.flip], running) == ["7"])
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func linesWhoseCallerGoesAwayAreNotApplied() async throws {
        let store = FakeStore()
        let (running, _) = try await Self.full(store)
        // The task is awaited below.
        let group = Task { await Self.told([Self.flip], running) }
        try await eventually("the group waits") { running.engine.queue.queues[0].groupsThatWait == 1 }
        group.cancel()
        #expect(await group.value == ["overloaded"])
        store.hold.open()
        #expect(await Self.told([Self.flip], running) == ["7"])
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whoWaitsForRoomIsToldThatTheDaemonStops() async throws {
        let store = FakeStore()
        let (running, sent) = try await Self.full(store)
        async let told = Self.told([Self.flip], running)
        try await eventually("the group waits") { running.engine.queue.queues[0].groupsThatWait == 1 }
        await running.beginStop()
        #expect(await told == ["draining"])
        store.hold.open()
        #expect(try await sent[4].outcomes().map { try $0.get().seq.rawValue } == [6])
        try await running.ended()
    }
}
