import EngineFloor
import Foundation

/// The figures of events in lines over HTTP to a real `wfd` process.
enum LineFigures {
    static let figures: [Figure] = [
        figure(
            "http.ndjson", "NDJSON, 1,000 instances / C floor", goal: .ratioAtLeast(0.5), isQuick: true),
        figure("http.ndjson.uuid7", "NDJSON with a UUIDv7 key each, 1,000 instances / C floor", keyed: true),
        figure("http.ndjson.4", "NDJSON over 4 connections, 1,000 instances / C floor", connections: 4),
    ]

    private static func figure(
        _ id: String, _ title: String, connections: Int = 1, keyed: Bool = false, goal: Figure.Goal? = nil,
        isQuick: Bool = false
    ) -> Figure {
        Figure(
            id: id, title: title, unit: .perSecond, goal: goal, isQuick: isQuick,
            begin: { setting in
                try await LineContest(setting, instances: 1_000, connections: connections, keyed: keyed)
            })
    }
}

/// Bodies of ten thousand lines, one after another on each connection. The floor is the loop over sqlite3 that writes
/// the same rows in batches of 500.
struct LineContest: Contest {
    private let daemon: ServerProcess
    private let loads: [LineLoad]
    private var files: EngineFiles
    private let loop: SQLiteFloorFile
    private let seconds: Double

    init(_ setting: Setting, instances: Int, connections: Int, keyed: Bool) async throws {
        seconds = setting.seconds
        let daemon = try await ServerProcess.daemon(in: setting.folder)
        self.daemon = daemon
        try daemon.prepare(instances: instances)
        loads = try (0..<connections).map { number in
            let body = LineBody(lines: 10_000, instances: instances, keyed: keyed, seed: UInt64(number) + 1)
            return LineLoad(try LineConnection(socket: daemon.socket), body)
        }
        var workload = Workload.flat(instances).with(keys: keyed ? .growing : .none)
        workload.data = [#"{"amount":250}"#]
        files = try await EngineFiles(workload, in: setting.folder)
        loop = try SQLiteFloorFile(path: files.floor)
        try loop.run(files.firstPlan())
        try loop.run(files.plan(20_000))
        // The daemon's cache and log are as large as they become.
        for load in loads { _ = try load.run(until: 0) }
    }

    func ours() async throws -> Sample {
        let begin = nanoseconds()
        let end = begin + UInt64(seconds * 1e9)
        let lines = try await withThrowingTaskGroup(of: Int.self) { group in
            for load in loads {
                group.addTask { try load.run(until: end) }
            }
            return try await group.reduce(0, +)
        }
        return Sample(value: Double(lines) / (Double(nanoseconds() - begin) / 1e9))
    }

    mutating func floor() async throws -> Sample? {
        let events = files.events(in: seconds)
        let plan = try files.plan(events)
        let begin = nanoseconds()
        try loop.run(plan)
        return Sample(value: Double(events) / (Double(nanoseconds() - begin) / 1e9))
    }

    func end() async throws {
        for load in loads { load.close() }
        loop.close()
        try daemon.stop()
    }
}

/// A connection that sends bodies in lines.
final class LineLoad: @unchecked Sendable {
    // Each is used by one task at a time: the contest awaits all of them before it asks again.
    private let connection: LineConnection
    private var body: LineBody

    init(_ connection: LineConnection, _ body: LineBody) {
        self.connection = connection
        self.body = body
    }

    /// Sends bodies, at least one, until a time. Returns the number of their lines. A line that was not applied is an
    /// error.
    func run(until end: UInt64) throws -> Int {
        var sent = 0
        repeat {
            body.renewKeys()
            var answers = 0
            try body.bytes.withUnsafeBytes { bytes in
                try connection.exchange(bytes) { line in
                    let front = UnsafeRawBufferPointer(rebasing: line.prefix(64))
                    guard front.place(of: #""status":200"#) != nil else {
                        throw BenchmarkError("a line was answered " + String(decoding: line, as: UTF8.self))
                    }
                    answers += 1
                }
            }
            guard answers == body.lines else {
                throw BenchmarkError("\(answers) of \(body.lines) lines were answered")
            }
            sent += answers
        } while nanoseconds() < end
        return sent
    }

    /// Closes the connection.
    func close() {
        connection.close()
    }
}
