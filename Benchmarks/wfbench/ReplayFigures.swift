import EngineFloor
import SQLiteStore
import Statechart
import WorkflowEngine
import WorkflowStore

/// The figures of replaying histories on one core, beside reading and hashing them alone.
enum ReplayFigures {
    static let figures = [
        Figure(
            id: "replay.verify", title: "verify / reading and hashing the rows", unit: .perSecond, goal: nil,
            isQuick: false, begin: { try await ReplayContest($0, verify) }),
        Figure(
            id: "replay.definition", title: "replay with a definition / reading and hashing the rows",
            unit: .perSecond, goal: nil, isQuick: false, begin: { try await ReplayContest($0, replay) }),
    ]

    private static func verify(_ file: SQLiteFile) async throws -> Int {
        try await Verification(of: file).run { event in
            if case .inconsistency(let finding) = event { throw BenchmarkError("\(finding)") }
        }.events
    }

    private static func replay(_ file: SQLiteFile) async throws -> Int {
        let machine = try DefinitionReader.read(Workload.flat(1).source).machine
        let key = MachineKey(MachineName(rawValue: machine.name), in: .default)
        return try await Backtest(of: file, with: machine).run(machine: key, versions: []) { event in
            if case .parts(let instance, _) = event { throw BenchmarkError("\(instance) parts") }
        }.events
    }
}

/// A pass over a whole file.
struct ReplayContest: Contest {
    private static let instances = 10_000
    private let events: Int
    private let file: SQLiteFile
    private let pass: @Sendable (SQLiteFile) async throws -> Int

    /// Fills a file. The pass returns the number of replayed events.
    init(_ setting: Setting, _ pass: @escaping @Sendable (SQLiteFile) async throws -> Int) async throws {
        self.pass = pass
        let workload = Workload.flat(Self.instances)
        var files = try await EngineFiles(workload, in: setting.folder)
        let sent = max(1, Int(setting.seconds * 5)) * 100_000
        let running = try RunningEngine(path: files.ours)
        for _ in 0..<(sent / 100_000) {
            try await running.send(files.commands(100_000), atOnce: workload.requestsAtOnce)
        }
        try await running.stop()
        events = sent + Self.instances
        file = try SQLiteFile.open(at: files.ours)
    }

    mutating func ours() async throws -> Sample { try await measure(pass) }

    mutating func floor() async throws -> Sample? { try await measure(Self.floor) }

    mutating func end() async throws { try file.close() }

    private func measure(_ pass: @Sendable (SQLiteFile) async throws -> Int) async throws -> Sample {
        let work = Stopwatch()
        let count = try await pass(file)
        let sample = Sample(events: events, work)
        guard count == events else { throw BenchmarkError("\(count) of \(events) events were gone through") }
        return sample
    }

    /// Reads the same rows in the same slices, and hashes the same bytes.
    private static func floor(_ file: SQLiteFile) async throws -> Int {
        var buffer = DigestBuffer()
        let bytes = Array(repeating: UInt8(7), count: 16)
        let instance = ChainInstance(uuid: UniqueID(bytes: bytes), name: "", salt: Salt(bytes: bytes))
        let machine = ChainMachine(name: "", version: 1, digest: .zero, semantics: 1)
        var count = 0
        var next: Int64 = 1
        while true {
            let slice = try await file.inspectJournal(next...Int64.max, of: 1...Int64.max)
            for row in slice.rows {
                let digest = buffer.digest(
                    row: row, previous: row.digest, instance: instance, machine: machine,
                    snapshot: slice.snapshots[row.position]?.digest)
                if digest != row.digest { count += 1 }
            }
            guard !slice.isLast else { return count }
            next = slice.through + 1
        }
    }
}
