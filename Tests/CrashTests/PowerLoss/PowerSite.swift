import DaemonTesting
import DiskTesting
import Foundation
import IdentityTesting
import SQLiteStore
import Statechart
import Synchronization
import WorkflowEngine
import WorkflowStore

/// A database whose disk loses its power again and again, and the answers to everything that was sent to it.
final class PowerSite {
    private static let shared = (1...3).map { "shared-\($0)" }
    private static let mostBursts = 24
    private static let mostKeyed = 12

    private let seed: UInt64
    private let folder: TemporaryFolder
    private let honesty: PowerDisk.Honesty
    private let clock = PowerClock()
    /// The content of the disk after the last cut.
    private var files: [String: [UInt8]] = [:]
    private var attempts: [Attempt] = []
    private var reached: [String: Int64] = [:]
    private var names: [String] = []
    /// The instances that somebody wanted to delete; they may be gone.
    private var deleted: Set<String> = []
    /// Some commands with keys, and some completions, to be sent again.
    private var keyed: [PowerLoad.Command] = []
    /// The leased tasks, and the answers about their ends.
    private var given: [GivenTask] = []
    private var said: [PowerLoad.Told] = []

    init(seed: UInt64, honesty: PowerDisk.Honesty = .honest) throws {
        self.seed = seed
        self.honesty = honesty
        // In memory where possible: what a flush does is the disk's business, not the machine's.
        folder = try TemporaryFolder(in: "/dev/shm")
    }

    /// The result of one cut.
    struct Outcome {
        /// The phase of the cut.
        var phase = PowerCut.Phase.creating
        var call: String?
        /// The number of answers to repeated commands, which had been sent with the same key before the cut.
        var again = 0
        var acknowledged = 0
        var unanswered = 0
        /// The number of operators' actions.
        var repaired = 0
        /// The numbers of leased and of completed tasks.
        var leased = 0
        var completed = 0
        /// The number of batches that were committed while the next was applied.
        var overlapped = 0
        /// The number of batches that were committed together with the one before.
        var together = 0
        var mistakes: [String] = []
    }

    /// Limits so low that checkpoints of all kinds, and the return of pages, happen within a few commands.
    private static var limits: StoreLimits {
        var limits = StoreLimits()
        limits.readers = 1
        limits.passiveFrames = 30
        limits.passiveStepFrames = 15
        limits.restartFrames = 80
        limits.truncateFrames = 120
        limits.keptPages = 1
        return limits
    }

    /// Uses the database until the power is cut, and checks the content of the disk.
    func cut(round: Int) async throws -> Outcome {
        var random = SeededRandom(seed: seed, round)
        let cut = PowerCut(isNew: files.isEmpty, using: &random)
        let path = try write(files, to: "disk-\(round)")
        let disk = try PowerDisk(path, honesty: honesty, flush: Self.isSlow(round) ? .microseconds(500) : .zero)
        var outcome = Outcome()
        var phase = files.isEmpty ? PowerCut.Phase.creating : .opening
        /// Begins a phase, and remembers the phase of the cut.
        func enter(_ next: PowerCut.Phase) {
            if disk.isCut { return }
            phase = next
            if cut.phase == next { disk.cut(atCall: cut.call) }
        }
        enter(phase)
        if let host = try open(path, disk, round: round) {
            enter(.serving)
            try await serve(host, on: disk, round: round, &outcome, using: &random)
            let counts = host.engine.statistics.counts
            outcome.overlapped = counts.overlapped
            outcome.together = counts.batches - counts.commits
            enter(.closing)
            _ = await host.stop()
            enter(.closed)
        }
        disk.cut()
        outcome.phase = phase
        outcome.call = disk.cutCall
        disk.forget()
        files = disk.remains(using: &random)
        try FileManager.default.removeItem(atPath: path)
        outcome.mistakes += try await check(round: round)
        return outcome
    }

    /// Returns true if the disk is so slow, and the load so high, that several batches are committed together.
    private static func isSlow(_ round: Int) -> Bool { round % 4 == 3 }

    /// Opens the store; `nil` if the power went first. In every second round, batches are so small that they overlap.
    /// Then two threads decide the order of calls, and a seed repeats the round only approximately.
    private func open(_ path: String, _ disk: PowerDisk, round: Int) throws -> EngineHost? {
        do throws(StoreError) {
            let store = try SQLiteFileStore.open(at: path + "/wfd.db", clock: clock.now(), limits: Self.limits)
            return EngineHost(store: store, clock: clock, batchRows: [512, 3, 512, 2][round % 4])
        } catch {
            guard disk.isCut else { throw error }
            return nil
        }
    }

    private func serve(
        _ host: EngineHost, on disk: PowerDisk, round: Int, _ outcome: inout Outcome, using random: inout SeededRandom
    ) async throws {
        do throws(Rejection) {
            _ = try await host.engine.apply(PowerLoad.definition, syntax: .yaml)
            _ = try await host.engine.apply(PowerLoad.job, syntax: .yaml)
            if files.isEmpty || names.isEmpty { _ = try await host.engine.apply(PowerVerb.first, syntax: .yaml) }
            _ = try await host.engine.apply(PowerVerb.second, syntax: .yaml)
        } catch {
            guard disk.isCut else { throw error }
            return
        }
        var load = PowerLoad(host, on: disk, round: round, given: given)
        if names.isEmpty {
            await load.give(Self.shared.map { PowerLoad.Command(instance: $0) })
            await load.give(PowerLoad.jobs.map { PowerLoad.Command(machine: "job", instance: $0) })
            await load.give(PowerVerb.tours.map { PowerLoad.Command(machine: PowerVerb.machine, instance: $0) })
        }
        await load.give(keyed.shuffled(using: &random))
        let again = load.told.suffix(keyed.count)
        outcome.mistakes = again.compactMap(mistake)
        outcome.again = again.count { $0.outcome != .refused }
        for _ in 0..<Int.random(in: 1...Self.mostBursts, using: &random) where !disk.isCut {
            clock.advance(Int64.random(in: 0...20_000, using: &random))
            await load.burst(
                of: Int.random(in: 1...(Self.isSlow(round) ? 20 : 6), using: &random), names: names + Self.shared,
                using: &random)
        }
        note(load.told)
        keyed = load.told.map(\.command).filter { $0.key != nil || $0.work?.isCompletion == true }
            .suffix(Self.mostKeyed)
        said += load.told.filter { $0.command.work != nil && $0.tasks.isEmpty }
        outcome.leased = load.given.count - given.count
        given = load.given
        outcome.completed = load.told.count { $0.command.work?.isCompletion == true && $0.outcome.isAccepted }
        outcome.repaired = load.told.count { $0.command.verb != nil && $0.outcome.isAccepted }
        outcome.acknowledged = load.told.count { $0.reached > 0 }
        outcome.unanswered = load.told.count { $0.outcome == .unknown }
    }

    /// Returns the mistake in the answer to a repeated command; `nil` if there is none.
    private func mistake(_ told: PowerLoad.Told) -> String? {
        guard let first = attempts.first(where: { $0.isSame(as: told.command) }), first.isAccepted, !told.isFailure,
            told.command.work == nil ? told.outcome != first.outcome : !told.outcome.isAccepted
        else { return nil }
        let what = told.command.key?.text ?? "the result of \(told.command.instance)"
        return "'\(what)' was \(first.outcome), and with the same key \(told.outcome)"
    }

    /// Adds answers. The answer to a repeated command replaces the first one, unless that was an acceptance.
    private func note(_ told: [PowerLoad.Told]) {
        for told in told {
            if told.command.verb == .delete, told.outcome != .refused { deleted.insert(told.command.instance) }
            reached[told.command.instance] = max(reached[told.command.instance] ?? 0, told.reached)
            guard let attempt = told.attempt else { continue }
            if let index = attempts.firstIndex(where: { $0.isSame(as: told.command) }) {
                if !attempts[index].isAccepted { attempts[index] = attempt }
            } else {
                attempts.append(attempt)
            }
        }
    }

    /// Returns the mistakes on the disk. The store is opened as at any start, and then read without its own code.
    private func check(round: Int) async throws -> [String] {
        let folder = try write(files, to: "check-\(round)")
        defer {
            // A folder that cannot be removed does no harm.
            try? FileManager.default.removeItem(atPath: folder)
        }
        let path = folder + "/wfd.db"
        var mistakes: [String] = []
        do {
            let store = try SQLiteFileStore.open(at: path, clock: clock.now(), limits: Self.limits)
            let findings = Mutex<[Inconsistency]>([])
            _ = try await Verification(of: store).run { event in
                if case .inconsistency(let finding) = event { findings.withLock { $0.append(finding) } }
            }
            mistakes += findings.withLock { $0.map { "verify: \($0)" } }
            try store.writer().close()
        } catch {
            return ["it cannot be opened: \(error)"]
        }
        let check = try JournalCheck(path, attempts: attempts)
        mistakes += check.mistakes
        for (name, seq) in reached.sorted(by: { $0.key < $1.key })
        where check.seqs[name] ?? 0 < seq && !deleted.contains(name) {
            mistakes.append("\(name) was said to be at seq \(seq), and is at \(check.seqs[name] ?? 0)")
        }
        mistakes += try TaskCheck(path, given: given, said: said).mistakes
        // The outcomes that were unknown are known now. They must stay as they are, unless the command is given again
        // with its key.
        attempts = attempts.map { check.settled($0) }.filter { $0.isAccepted || $0.marker != nil }
        names = check.seqs.keys.filter { !$0.hasPrefix("!") }.sorted()
        return mistakes
    }

    private func write(_ files: [String: [UInt8]], to name: String) throws -> String {
        let path = try folder.makeFolder(name)
        for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: path + "/" + name)) }
        return path
    }
}

extension Attempt {
    /// Returns true if the attempt has the identity of a command in the file.
    fileprivate func isSame(as command: PowerLoad.Command) -> Bool {
        instance == command.instance && marker == command.marker
    }
}
