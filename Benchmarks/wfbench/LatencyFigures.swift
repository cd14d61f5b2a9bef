import EngineFloor
import Foundation

/// The figures of a send's latency.
enum LatencyFigures {
    static let figures: [Figure] = [
        Figure(
            id: "latency.one", title: "p50 of one client's sends / p50 of a raw commit + p50 of an empty round trip",
            unit: .milliseconds, goal: .ratioAtMost(1.5), isQuick: true,
            begin: { setting in try await OneClientContest(setting) }),
        Figure(
            id: "latency.busy", title: "p99 of sends while a backup, a verification and 4 lists run / p99 without",
            unit: .milliseconds, goal: .ratioAtMost(2), isQuick: true,
            begin: { setting in try await BusyContest(setting) }),
        Figure(
            id: "latency.burning", title: "p99 of sends beside 64 clients that burn / p50 of one burning send alone",
            unit: .milliseconds, goal: .ratioAtMost(1.5), isQuick: true,
            begin: { setting in try await BurningContest(setting) }),
    ]
}

/// One client with one request under way. The floor is the unavoidable part: its rows written and flushed by the loop
/// over sqlite3, and a round trip to the same server without an engine.
struct OneClientContest: Contest {
    private let daemon: ServerProcess
    private let empty: ServerProcess
    private let load: ClosedLoad
    private let emptyLoad: ClosedLoad
    private var files: EngineFiles
    private let loop: SQLiteFloorFile
    private let seconds: Double
    /// The last result of `ours`.
    private var last = Double.infinity

    init(_ setting: Setting) async throws {
        seconds = setting.seconds
        var workload = Workload.flat(1_000)
        workload.data = [#"{"amount":250}"#]
        daemon = try await .daemon(in: setting.folder)
        empty = try await .empty(in: setting.folder)
        try daemon.prepare(instances: workload.instances)
        let book = RequestBook(flips: workload.instances)
        load = try ClosedLoad(socket: daemon.socket, clients: 1, book: book)
        emptyLoad = try ClosedLoad(socket: empty.socket, clients: 1, book: book)
        files = try await EngineFiles(workload, in: setting.folder)
        loop = try SQLiteFloorFile(path: files.floor)
        try loop.run(files.firstPlan())
        for one in [load, emptyLoad] { _ = try one.run(seconds: min(0.2, seconds)) }
    }

    mutating func ours() async throws -> Sample {
        let outcome = try load.run(seconds: seconds)
        last = outcome.latencies.milliseconds(50)
        return Sample(value: last, note: outcome.latencies.percentilesText)
    }

    /// Measures the floor. A send contains a commit and cannot be faster. If it seems to be, one side got the cores
    /// less often than the other, and no ratio of the two means anything.
    mutating func floor() async throws -> Sample? {
        let before = CoreWait.ofThread()
        let begin = nanoseconds()
        let commit = try commits(until: begin + UInt64(seconds / 2 * 1e9))
        let waited = Double(CoreWait.ofThread() - before) / Double(max(nanoseconds() - begin, 1))
        let trip = try emptyLoad.run(seconds: seconds / 2).latencies.milliseconds(50)
        guard commit <= last else {
            throw BenchmarkError(
                "the machine is too busy to tell: a send took \(last.text(3)) ms, but the commit in it "
                    + "\(commit.text(3)) ms, \((waited * 100).text(0)) % of it waiting for a core")
        }
        return Sample(value: commit + trip, note: "commit \(commit.text(3)), round trip \(trip.text(3)) ms")
    }

    /// Returns the median time of a commit of one event, in milliseconds.
    private mutating func commits(until end: UInt64) throws -> Double {
        var latencies = Latencies()
        repeat {
            let plan = try files.plan(1)
            let begin = nanoseconds()
            try loop.run(plan)
            latencies.record(nanoseconds() - begin)
        } while nanoseconds() < end
        return latencies.milliseconds(50)
    }

    mutating func end() async throws {
        load.close()
        emptyLoad.close()
        loop.close()
        try daemon.stop()
        try empty.stop()
    }
}

/// The time that a thread could have run and had no core.
enum CoreWait {
    /// Returns that time of the calling thread since its start, in nanoseconds; 0 if the kernel does not count it
    /// (https://docs.kernel.org/scheduler/sched-stats.html).
    static func ofThread() -> UInt64 {
        // A kernel without the file only leaves the number out of a message.
        let text = (try? String(contentsOfFile: "/proc/thread-self/schedstat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: " ")
        return fields.count > 1 ? UInt64(fields[1]) ?? 0 : 0
    }
}

/// Sends at a fixed rate, a third of the daemon's limit, while it is kept busy with other work. The floor is the same
/// sends without that work.
struct BusyContest: Contest {
    private let daemon: ServerProcess
    private let load: OpenLoad
    private let rate: Double
    private let seconds: Double

    init(_ setting: Setting) async throws {
        let instances = 1_000
        // The 99th percentile of less than a second says nothing.
        seconds = max(setting.seconds, 1)
        daemon = try await .daemon(in: setting.folder)
        try daemon.prepare(instances: instances)
        // Something to be verified and copied.
        let history = LineLoad(
            try LineConnection(socket: daemon.socket), LineBody(lines: 50_000, instances: instances, keyed: false))
        _ = try history.run(until: 0)
        history.close()
        let book = RequestBook(flips: instances)
        let full = try ClosedLoad(socket: daemon.socket, clients: 64, book: book)
        let capacity = try full.run(seconds: 1).perSecond
        full.close()
        rate = max(100, (capacity / 300).rounded() * 100)
        load = try OpenLoad(socket: daemon.socket, connections: 256, book: book)
    }

    func ours() async throws -> Sample {
        let work = BackgroundWork(
            try [Readers.backup(daemon.socket), Readers.verify(daemon.socket)]
                + (0..<4).map { _ in try Readers.list(daemon.socket, rest: 0) })
        let sample = try measured()
        let turns = try work.stop()
        return Sample(value: sample.value, note: (sample.note ?? "") + ", beside \(turns) other requests")
    }

    func floor() async throws -> Sample? { try measured() }

    private func measured() throws -> Sample {
        let latencies = try load.run(perSecond: rate, seconds: seconds)
        return Sample(
            value: latencies.milliseconds(99), note: "\(latencies.percentilesText) at \(Int(rate)) sends/s")
    }

    func end() async throws {
        load.close()
        try daemon.stop()
    }
}
