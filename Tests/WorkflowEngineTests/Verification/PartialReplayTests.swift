import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that a replay of some seqs begins at a snapshot, and reports what a replay from the first seq reports.
///
/// `REPLAY_SEED` repeats a run.
@Suite(.timeLimit(.minutes(20))) struct PartialReplayTests {
    private static func definition(_ step: Int) -> String {
        """
        id: walk
        initial: a
        context: {n: 0, last: null}
        states:
          a:
            on:
              step: {target: b, actions: {assign: {n: context.n + \(step), last: event.data}}}
              stay: {actions: [{assign: {n: context.n + 1}}, {send: {event: echo}}]}
              echo: {actions: {assign: {last: "'echo'"}}}
          b:
            on: {step: a, stay: {actions: {assign: {last: event.data}}}, break: {actions: {send: boom}}}
            after: {PT1H: a}
          c: {}
        """
    }

    /// Fills an instance with random rows: events, migrations, timers, and redactions, whose rows have snapshots.
    private static func bench(rows: Int64, _ random: inout SeededRandom) async throws -> TaskBench {
        let bench = try await TaskBench(definition(1), definition(2))
        try await bench.timed.start("walk", "w")
        var version: Int64 = 2
        while true {
            let seq = try await bench.timed.record("w").seq.rawValue
            if seq >= rows { return bench }
            do throws(Rejection) {
                switch Int.random(in: 0..<20, using: &random) {
                case 0:
                    version = 3 - version
                    try await bench.migrate("w", to: MachineVersion(rawValue: version))
                case 1 where seq > 4:
                    let first = Int64.random(in: 1...seq, using: &random)
                    let last = min(seq, first + Int64.random(in: 0...3, using: &random))
                    _ = try await bench.engine.redact(
                        RedactCommand(instance: "w", seqs: SeqSet([first...last]), reason: "r", by: .test))
                case let number:
                    let event = number % 3 == 0 ? "stay" : "step"
                    try await bench.timed.send(event, ["x": .int(seq)], to: "w")
                }
            } catch {
                // A random command that does not fit now.
                continue
            }
            if Int.random(in: 0..<15, using: &random) == 0 { try await bench.timed.pass(3_600_001) }
        }
    }

    /// Returns the steps of a range as texts.
    private static func steps(_ bench: TaskBench, _ seqs: ClosedRange<Int64>) async throws -> [String] {
        let record = try await bench.timed.record("w")
        let steps = Collected<String>()
        try await bench.engine.replay(
            record, in: Seq(rawValue: seqs.lowerBound)...Seq(rawValue: seqs.upperBound), isTracing: true, by: .test
        ) { step in
            steps.add(
                """
                \(step.row.seq) \(step.row.kind) \(step.row.event) \(step.status) v\(step.row.machineID.rawValue) \
                \(String(describing: step.snapshot)) \(step.microsteps)
                """)
        }
        return steps.all
    }

    private static func random(_ number: Int) -> SeededRandom {
        let given = ProcessInfo.processInfo.environment["REPLAY_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("partial replays: REPLAY_SEED=\(seed)")
        return SeededRandom(seed: seed, number)
    }

    @Test func everyRangeOfAShortHistoryIsToldAsInTheWhole() async throws {
        var random = Self.random(0)
        for _ in 0..<2 {
            let bench = try await Self.bench(rows: 40, &random)
            let rows = try await bench.timed.rows("w")
            let whole = try await Self.steps(bench, 1...Int64(rows.count))
            try #require(whole.count == rows.count)
            for first in 0..<whole.count {
                for last in first..<whole.count {
                    let part = try await Self.steps(bench, Int64(first + 1)...Int64(last + 1))
                    #expect(part == Array(whole[first...last]), "from \(first + 1) to \(last + 1)")
                }
            }
        }
    }

    @Test func rangesOfALongHistoryAreToldAsInTheWhole() async throws {
        var random = Self.random(1)
        let bench = try await Self.bench(rows: 600, &random)
        let count = try await bench.timed.rows("w").count
        let whole = try await Self.steps(bench, 1...Int64(count))
        let edges = [1, 2, 255, 256, 257, 258, 511, 512, 513, 514, count]
        for first in edges + (0..<20).map({ _ in Int.random(in: 1...count, using: &random) }) {
            let last = min(count, first + Int.random(in: 0...4, using: &random))
            let part = try await Self.steps(bench, Int64(first)...Int64(last))
            #expect(part == Array(whole[first - 1...last - 1]), "from \(first) to \(last)")
        }
    }

    /// Rows before the snapshot are not read: one that does not fit its machine does not matter there. From there on,
    /// each row is compared with its macrostep.
    @Test func aReplayBeginsAtTheSnapshotBefore() async throws {
        let file = try await WrittenFile()
        let running = try await RunningEngine(store: file.folder.open(), clock: HandClock(1_800_000_000_000))
        let record = try await running.engine.instance(named: "long").record
        for (forged, isRead) in [(200, false), (257, true)] {
            try file.forge("UPDATE journal SET event = 'unheard' WHERE position = {long/\(forged)}")
            let seqs = Collected<Int64>()
            var rejection: Rejection?
            do {
                try await running.engine.replay(
                    record, in: Seq(rawValue: 258)...Seq(rawValue: 259), isTracing: true, by: .test
                ) { seqs.add($0.row.seq.rawValue) }
            } catch let error as Rejection {
                rejection = error
            }
            #expect(isRead == (rejection != nil))
            #expect(seqs.all == (isRead ? [] : [258, 259]))
        }
        try await running.stop()
    }
}
