import DiskTesting
import Foundation
import SQLiteStore
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowStore

/// Tests the scenario on a store that fails, and on one that is left again and again: it must end as if nothing had
/// happened.
///
/// One of up to 127 failing calls and every 24th of the places to leave is tried, from a random one on, which
/// `SIMULATION_SEED` and `CASE_SEED` repeat; `SIMULATION_STRIDE=1` and `CASE_STRIDE=1` try all.
@Suite(.tags(.heavy)) struct SimulationTests {
    /// Returns the scenario's result without faults.
    private static func undisturbed() async throws -> (Simulation.Reference, StoredRows) {
        let folder = try StoreFolder(isInMemory: true)
        let simulation = Simulation(at: folder.path + "/wfd.db", reference: nil)
        try await simulation.run()
        try await simulation.stop()
        return (simulation.found, try await rows(in: folder.path))
    }

    /// Returns the content of the file after a start without faults, and expects that its histories lead to it.
    private static func rows(in folder: String) async throws -> StoredRows {
        let end = Scenario.begin + (Scenario.steps.last?.time ?? 0)
        let store = try SQLiteFileStore.open(at: folder + "/wfd.db", clock: Timestamp(rawValue: end))
        let counts = try await Verification(of: store).run { event in
            if case .inconsistency(let finding) = event { Issue.record("verify: \(finding)") }
        }
        #expect(counts.differences == 0)
        let rows = try await StoredRows(of: Scenario.instances, in: store)
        try store.writer().close()
        return rows
    }

    @Test(.timeLimit(.minutes(20))) func theScenarioHasWhatItIsThereFor() async throws {
        let (reference, rows) = try await Self.undisturbed()
        let rejections = reference.told.map(\.rejection)
        #expect(
            rejections.compactMap(\.self).sorted() == ["failed", "finished", "suspended", "suspended", "unknownEvent"])
        for row in [
            "timer 'after.1m.idle'", "timer 'after.5s.busy'", "timer 'after.40s.busy'", "timer 'note'", "failed 'bad'",
            "retried 'bad'", "sent 'next'", "migrated 'rename'", "reset 'undo'", "reset 'reset'", "redacted 'redact'",
        ] {
            #expect(rows.contains(row), "there is no row \(row)")
        }
        #expect(!rows.contains("c: "), "the last of its name was purged")
        print("simulation: \(reference.told.count) steps, \(rows.count) rows")
    }

    /// The strides of calls that the scenario makes seldom.
    private static let strides: [FaultyVFS.Call: Int] = [.mapIndex: 1, .truncate: 8, .sync: 31]

    @Test(.timeLimit(.minutes(180)), arguments: FaultyVFS.Call.allCases)
    func whateverCallFailsTheScenarioEndsTheSame(call: FaultyVFS.Call) async throws {
        let (reference, expected) = try await Self.undisturbed()
        let environment = ProcessInfo.processInfo.environment
        let usual = Self.strides[call] ?? 127
        let stride = environment["SIMULATION_STRIDE"].flatMap { Int($0) } ?? usual
        let seed = environment["SIMULATION_SEED"].flatMap { Int($0) } ?? Int.random(in: 0..<1_000_000)
        var count = seed % stride + 1 - stride
        var (runs, starts) = (0, 0)
        var hasFailed = true
        while hasFailed {
            count += stride
            runs += 1
            let folder = try StoreFolder(isInMemory: true)
            let path = folder.path + "/wfd.db"
            FaultyVFS.watch(path)
            FaultyVFS.fail(path, [call], after: count)
            let simulation = Simulation(at: path, reference: reference)
            try await simulation.run()
            // A stop that fails is no clean one, and loses nothing.
            try? await simulation.stop()
            hasFailed = FaultyVFS.plan(path).hasFailed
            FaultyVFS.forget(path)
            let difference = try await Self.rows(in: folder.path).difference(to: expected)
            #expect(difference == nil, "\(call) number \(count) failed; SIMULATION_SEED=\(seed) repeats it")
            starts += simulation.starts
        }
        print("simulation: seed \(seed), \(call) fails: \(runs - 1) of the first \(count - stride), \(starts) starts")
        #expect(count > (call == .mapIndex ? 2 : 20))
    }

    @Test(.timeLimit(.minutes(20))) func leftAfterAnyCommitTheScenarioEndsTheSame() async throws {
        let (reference, expected) = try await Self.undisturbed()
        let folder = try StoreFolder(isInMemory: true)
        let copies = CommitCopies(of: folder.path)
        WatchedVFS.watch(folder.path + "/", copies)
        let simulation = Simulation(at: folder.path + "/wfd.db", reference: reference)
        try await simulation.run { copies.step = $0 }
        try await simulation.stop()
        WatchedVFS.forget(copies)
        let all = copies.taken
        for (number, copy) in sample(Array(all.enumerated()), every: 24) {
            let again = try StoreFolder(isInMemory: true)
            for (name, bytes) in copy.files { try bytes.write(to: URL(filePath: again.path + "/" + name)) }
            let simulation = Simulation(at: again.path + "/wfd.db", reference: reference, step: copy.step)
            simulation.resumed = copy.step
            try await simulation.run(from: copy.step)
            try await simulation.stop()
            let difference = try await Self.rows(in: again.path).difference(to: expected)
            #expect(difference == nil, "left at write \(number), in step \(copy.step)")
        }
        print("simulation: left at \(all.count) flushes of the log in \(Scenario.steps.count) steps")
        #expect(all.count > Scenario.steps.count)
    }
}

/// Copies a store whenever its log is flushed, as a daemon that is killed at that moment leaves it.
///
/// The copy is complete: the thread that flushes is the only one that writes.
private final class CommitCopies: DiskWatcher {
    struct Copy {
        let step: Int
        let files: [String: Data]
    }

    private let folder: String
    private let state = Mutex((step: 0, copies: [Copy]()))

    init(of folder: String) {
        self.folder = folder
    }

    /// The step that is under way.
    var step: Int {
        get { state.withLock { $0.step } }
        set { state.withLock { $0.step = newValue } }
    }

    var taken: [Copy] { state.withLock { $0.copies } }

    func answer(to call: DiskCall, at path: String) -> CInt? {
        guard case .sync = call, path.hasSuffix("/wfd.db-wal") else { return nil }
        var files: [String: Data] = [:]
        for name in ["wfd.db", "wfd.db-wal"] {
            // A file that is not there is not copied.
            files[name] = try? Data(contentsOf: URL(filePath: folder + "/" + name))
        }
        state.withLock { $0.copies.append(Copy(step: $0.step, files: files)) }
        return nil
    }
}
