import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that instances that never become stable keep no others from their turn: their own events count as evaluation
/// does.
@Suite struct SelfMotionTurnTests {
    private static let loop = """
        id: loop
        initial: a
        context: {n: 0}
        states:
          a:
            on:
              go: {actions: [{assign: {n: context.n + 1}}, {send: go}]}
              nudge: {actions: {assign: {n: 0}}}
          b: {}
        """
    private static let loops = (0..<8).map { "loop-\($0)" }

    /// True when the senders to loops must end.
    private final class End: Sendable {
        let isReached = Mutex(false)
    }

    /// An observer that has the last row on disk.
    private final class LastRow: CommitObserver {
        private let number = Mutex<Int64>(0)
        var position: Int64 { number.withLock { $0 } }

        func committed(_ committed: Committed) {
            guard let last = committed.positions?.upperBound.number else { return }
            number.withLock { $0 = last }
        }
    }

    private static func running(in folder: StoreFolder, _ last: LastRow) async throws -> RunningEngine {
        var limits = EngineLimits()
        limits.brake = nil
        let running = try await RunningEngine(store: folder.open(), limits: limits, observers: [last])
        _ = try await running.engine.apply(loop, syntax: .yaml)
        for name in loops {
            let start = StartCommand(machine: "loop", instance: name)
            _ = try await running.engine.start(start)
        }
        try await running.start("lamp-1")
        for name in loops { running.engine.begin(command(name, "go")) { _ in } }
        return running
    }

    private static func command(_ instance: String, _ event: String) -> SendCommand {
        SendCommand(instance: instance, event: Event(name: event))
    }

    /// Returns the numbers of rows between plain sends and their own rows, sorted.
    private static func rowsBeforePlainSends(_ running: RunningEngine, _ last: LastRow) async throws -> [Int64] {
        var counts: [Int64] = []
        for _ in 0..<21 {
            let before = last.position
            _ = try await running.flip("lamp-1")
            let head = try await running.engine.instance(named: "lamp-1").record.head
            counts.append(head.number - before - 1)
        }
        return counts.sorted()
    }

    /// Each loop makes a hundred macrosteps and one in its turn. A plain send waits for one turn that is under way, and
    /// for one before it in its own batch.
    @Test(.timeLimit(.minutes(20))) func aPlainSendWaitsForTwoTurnsOfLoops() async throws {
        let (folder, last) = (try StoreFolder(isInMemory: true), LastRow())
        let running = try await Self.running(in: folder, last)
        try await eventually("all loops run") { last.position > 8 * 500 }
        let counts = try await Self.rowsBeforePlainSends(running, last)
        // The middle one: between the look at the last row and the send others may be written.
        #expect(counts[10] <= Int64(2 * (StepLimits.chain + 1)), "rows before a plain send: \(counts)")
        try await running.stop()
    }

    /// A command to a loop comes after the items that were due when it came, and after a hundred macrosteps that these
    /// arm. It does not come after a hundred times a hundred.
    @Test(.timeLimit(.minutes(20))) func commandsToLoopsAreNoLongerThanTheirTurns() async throws {
        let (folder, last) = (try StoreFolder(isInMemory: true), LastRow())
        let running = try await Self.running(in: folder, last)
        let end = End()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in Self.loops {
                group.addTask {
                    while !end.isReached.withLock({ $0 }) {
                        _ = try await running.engine.send(Self.command(name, "nudge"))
                    }
                }
            }
            try await eventually("all loops run") { last.position > 8 * 500 }
            let counts = try await Self.rowsBeforePlainSends(running, last)
            end.isReached.withLock { $0 = true }
            try await group.waitForAll()
            #expect(counts[10] <= Int64(6 * (StepLimits.chain + 1)), "rows before a plain send: \(counts)")
        }
        let largest = running.engine.statistics.counts.largestBatch
        #expect(largest <= 4 * (StepLimits.chain + 1), "\(largest) rows in one batch")
        try await running.stop()
    }
}
