import EngineFloor
import Foundation
import SQLiteStore
import Synchronization
import WorkflowStore
import WorkflowThreads

/// The figures of how fast rows reach their readers.
enum StreamFigures {
    static let figures = [
        Figure(
            id: "stream.start", title: "one stream, from the first row on / reading the same rows", unit: .perSecond,
            goal: .ratioAtLeast(0.6), isQuick: true, begin: { try await WholeStreamContest($0) }),
        Figure(
            id: "stream.live", title: "100 streams at 1,000 events/s: p99 from the row's time until it is read",
            unit: .milliseconds, goal: .atMost(50), isQuick: true, begin: { try await LiveStreamContest($0) }),
    ]
}

/// A journal from its first row to its last in one stream of a daemon, beside reading the rows in this process.
struct WholeStreamContest: Contest {
    private static let instances = 10_000
    private let rows: Int
    private let daemon: ServerProcess
    private let copy: SQLiteFile

    init(_ setting: Setting) async throws {
        let workload = Workload.flat(Self.instances)
        var files = try await EngineFiles(workload, in: setting.folder)
        let sent = setting.isQuick ? 200_000 : 1_000_000 - Self.instances
        let running = try RunningEngine(path: files.ours)
        var left = sent
        while left > 0 {
            let part = min(left, 100_000)
            try await running.send(files.commands(part), atOnce: workload.requestsAtOnce)
            left -= part
        }
        try await running.stop()
        rows = sent + Self.instances
        let served = setting.folder.appending(path: "wfd.db").path
        try FileManager.default.copyItem(atPath: files.ours, toPath: served)
        copy = try SQLiteFile.open(at: files.ours)
        daemon = try await .daemon(in: setting.folder)
    }

    mutating func ours() async throws -> Sample {
        let work = Stopwatch()
        let computed = try daemon.computed()
        let stream = try StreamConnection(socket: daemon.socket, "/v1/stream?after=start")
        defer { stream.close() }
        while stream.rows < rows {
            UnixSocket.wait(for: POLLIN, on: stream.descriptor)
            try stream.receive { _ in }
        }
        let (seconds, _) = work.elapsed()
        let each = (try daemon.computed() - computed) / Double(rows) * 1e6
        return Sample(value: Double(rows) / seconds, note: "\(each.text(2)) µs of the daemon's CPU each")
    }

    /// Reads the same rows in slices, and makes records of them.
    mutating func floor() async throws -> Sample? {
        let work = Stopwatch()
        var count = 0
        var next: Int64 = 1
        while true {
            let slice = try await copy.inspectJournal(next...Int64.max, of: 1...Int64.max)
            count += slice.rows.count
            if slice.isLast { break }
            next = slice.through + 1
        }
        guard count == rows else { throw BenchmarkError("\(count) of \(rows) rows were read") }
        return Sample(events: rows, work)
    }

    mutating func end() async throws {
        try copy.close()
        try daemon.stop()
    }
}

/// Streams of all rows, while events come at a fixed rate.
struct LiveStreamContest: Contest {
    private static let streams = 100
    private static let rate = 1_000
    private let daemon: ServerProcess
    private let load: OpenLoad
    private let streams: [StreamConnection]
    private let poller: Poller
    private let seconds: Double

    init(_ setting: Setting) async throws {
        let instances = 1_000
        // The 99th percentile of less than a second says nothing.
        seconds = max(setting.seconds, 2)
        daemon = try await .daemon(in: setting.folder)
        try daemon.prepare(instances: instances)
        load = try OpenLoad(socket: daemon.socket, connections: 64, book: RequestBook(flips: instances))
        let socket = daemon.socket
        streams = try (0..<Self.streams).map { _ in try StreamConnection(socket: socket, "/v1/stream") }
        poller = try Poller(streams.map(\.descriptor))
    }

    mutating func ours() async throws -> Sample {
        let before = streams.map(\.rows)
        var latencies = Latencies()
        let sending = SendingThread(load, perSecond: Self.rate, seconds: seconds)
        while sending.isRunning { try read(into: &latencies, seconds: 1) }
        while try read(into: &latencies, seconds: 1) > 0 {}
        let expected = try sending.sent
        let counts = zip(streams, before).map { $0.rows - $1 }
        guard counts.allSatisfy({ $0 == expected }) else {
            throw BenchmarkError("\(expected) events were sent, and the streams told \(counts)")
        }
        return Sample(
            value: latencies.milliseconds(99),
            note: latencies.percentilesText + ", \(Self.rate * Self.streams) rows a second")
    }

    /// Reads the available rows. Returns the number of streams that had some.
    @discardableResult
    private func read(into latencies: inout Latencies, seconds: Int) throws -> Int {
        let ready = try poller.wait(seconds: seconds)
        for number in 0..<ready {
            try streams[poller[number]].receive { row in
                guard let place = row.place(of: #""at":""#) else { return }
                latencies.record(UInt64(max(0, Self.age(UnsafeRawBufferPointer(rebasing: row[(place + 6)...])))))
            }
        }
        return ready
    }

    /// Returns the nanoseconds since the time of a row, as in `2026-07-31T09:30:00.123Z`; its milliseconds are rounded
    /// down.
    private static func age(_ text: UnsafeRawBufferPointer) -> Int {
        func number(_ start: Int, _ count: Int) -> Int {
            text[start..<start + count].reduce(0) { $0 * 10 + Int($1) - 48 }
        }
        let millisecond = ((number(11, 2) * 60 + number(14, 2)) * 60 + number(17, 2)) * 1_000 + number(20, 3)
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let now = time.tv_sec % 86_400 * 1_000_000_000 + time.tv_nsec
        let age = now - millisecond * 1_000_000
        return age < -43_200_000_000_000 ? age + 86_400_000_000_000 : age
    }

    mutating func floor() async throws -> Sample? { nil }

    mutating func end() async throws {
        for stream in streams { stream.close() }
        load.close()
        poller.close()
        try daemon.stop()
    }
}

/// An open load that runs once, on its own thread.
private final class SendingThread: Sendable {
    private let result = Mutex<Result<Int, any Error>?>(nil)

    init(_ load: OpenLoad, perSecond rate: Int, seconds: Double) {
        // Used by this thread alone until it has ended.
        nonisolated(unsafe) let load = load
        startThread("send", turns: .later) { [self] in
            let sent = Result {
                _ = try load.run(perSecond: Double(rate), seconds: seconds)
                return Int(Double(rate) * seconds)
            }
            result.withLock { $0 = sent }
        }
    }

    var isRunning: Bool { result.withLock { $0 == nil } }

    /// The number of events that were sent and answered.
    var sent: Int {
        get throws { try result.withLock { try $0?.get() } ?? 0 }
    }
}
