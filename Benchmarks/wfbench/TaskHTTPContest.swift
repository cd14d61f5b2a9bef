import EngineFloor
import Foundation

/// Tasks over HTTP to a real `wfd` process: each connection begins 100 with a body of lines, leases 100 and completes
/// them with another body of lines. The floor is the loop over sqlite3 that writes the same rows, of one queue.
struct TaskHTTPContest: Contest {
    private static let connections = 4
    private static let queues = 10
    private static let instances = 4_000

    private let daemon: ServerProcess
    private let lanes: [TaskLane]
    private var files: TaskFiles
    private let loop: SQLiteFloorFile
    private let rounds: Int
    private let seconds: Double

    init(_ setting: Setting) async throws {
        seconds = setting.seconds
        let daemon = try await ServerProcess.daemon(in: setting.folder)
        self.daemon = daemon
        try daemon.prepareTasks(queues: Self.queues, instances: Self.instances)
        lanes = try (0..<Self.connections).map { number in
            // No two share a queue: each takes what it has begun.
            let queues = (0..<Self.queues).filter { $0 % Self.connections == number }
            return try TaskLane(
                socket: daemon.socket,
                queues.map { queue in
                    TaskLane.Queue(queue, stride(from: queue, to: Self.instances, by: Self.queues).map { $0 })
                })
        }
        files = try await TaskFiles(.tasks(Self.instances), in: setting.folder)
        loop = try SQLiteFloorFile(path: files.floor)
        rounds = files.rounds(in: seconds)
        try loop.run(files.plan(rounds: Self.instances / files.tasksOfRound + 1), batch: files.workload.batch)
        _ = try await run(seconds: min(0.5, seconds))
    }

    mutating func ours() async throws -> Sample { try await run(seconds: seconds) }

    private func run(seconds: Double) async throws -> Sample {
        let begin = nanoseconds()
        let end = begin + UInt64(seconds * 1e9)
        let tasks = try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in lanes {
                group.addTask { try lane.run(until: end) }
            }
            return try await group.reduce(0, +)
        }
        return Sample(value: Double(tasks) / (Double(nanoseconds() - begin) / 1e9))
    }

    mutating func floor() async throws -> Sample? {
        let plan = try files.plan(rounds: rounds)
        let work = Stopwatch()
        try loop.run(plan, batch: files.workload.batch)
        return Sample(events: rounds * files.tasksOfRound, work)
    }

    mutating func end() async throws {
        for lane in lanes { lane.close() }
        loop.close()
        try daemon.stop()
    }
}

/// A connection that begins, leases and completes the tasks of some queues, one after another.
final class TaskLane: @unchecked Sendable {
    /// The requests of a queue.
    struct Queue {
        /// The bodies that begin tasks, each for other instances.
        fileprivate let begins: [[UInt8]]
        fileprivate let lease: [UInt8]

        init(_ number: Int, _ instances: [Int]) {
            begins = stride(from: 0, to: instances.count, by: TaskLane.batch).map { first in
                let lines = instances[first..<min(first + TaskLane.batch, instances.count)].map {
                    #"{"instance":"i-\#($0)","event":"begin"}"# + "\n"
                }
                return HTTPRequestText.post("/v1/events", lines.joined(), type: TaskLane.lines)
            }
            lease = HTTPRequestText.post("/v1/tasks/q-\(number)/lease", #"{"max":\#(TaskLane.batch)}"#)
        }
    }

    static let batch = 100
    fileprivate static let lines = "application/x-ndjson"

    // Each is used by one task at a time: the contest awaits all of them before it asks again.
    private let connection: LineConnection
    private let queues: [Queue]
    private var turn = 0

    init(socket: String, _ queues: [Queue]) throws {
        connection = try LineConnection(socket: socket)
        self.queues = queues
    }

    /// Takes tasks from begin to end, at least one turn, until a time. Returns their number.
    func run(until end: UInt64) throws -> Int {
        var done = 0
        repeat {
            let queue = queues[turn % queues.count]
            let begins = queue.begins[turn / queues.count % queue.begins.count]
            turn += 1
            let begun = try answers(to: begins, status: #""status":200"#)
            let tasks = try queue.lease.withUnsafeBytes { try connection.body(of: $0) }
                .withUnsafeBytes { LeaseAnswer.tasks(in: $0) }
            guard tasks.count == begun else { throw BenchmarkError("\(tasks.count) of \(begun) tasks were handed out") }
            let lines = tasks.map { #"{"task":"\#($0)","complete":\#(TaskPlanner.result)}"# + "\n" }
            let completed = try answers(
                to: HTTPRequestText.post("/v1/tasks", lines.joined(), type: Self.lines), status: #""status":204"#)
            guard completed == begun else { throw BenchmarkError("\(completed) of \(begun) tasks were completed") }
            done += completed
        } while nanoseconds() < end
        return done
    }

    /// Sends lines. Returns the number of answers, all of which must have a status.
    private func answers(to request: [UInt8], status: StaticString) throws -> Int {
        var answers = 0
        try request.withUnsafeBytes { bytes in
            try connection.exchange(bytes) { line in
                guard UnsafeRawBufferPointer(rebasing: line.prefix(64)).place(of: status) != nil else {
                    throw BenchmarkError("a line was answered " + String(decoding: line, as: UTF8.self))
                }
                answers += 1
            }
        }
        return answers
    }

    /// Closes the connection.
    func close() {
        connection.close()
    }
}
