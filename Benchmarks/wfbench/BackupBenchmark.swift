import ArgumentParser
import EngineFloor
import Foundation
import SQLiteStore
import Synchronization
import WorkflowStore
import WorkflowThreads

/// Measures the cost of a backup of a large database: the time of copying and checking, and the latency of sends
/// meanwhile. Also measures the time of `wfd verify`, with its comparison of the indexes apart.
struct BackupBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Measures a backup of a large database, the sends beside it, and 'wfd verify'.")

    @Option(help: ArgumentHelp("Events in the database.", valueName: "n"))
    var events: Int = 1_000_000

    @Option(help: ArgumentHelp("Instances that have them.", valueName: "n"))
    var instances: Int = 10_000

    @Option(help: ArgumentHelp("Sends a second beside the backup.", valueName: "n"))
    var rate: Int = 1_000

    @Option(help: ArgumentHelp("Makes the database below this folder.", valueName: "folder"))
    var folder: String?

    func validate() throws {
        guard (1_000...100_000_000).contains(events), (1...events).contains(instances), (1...100_000).contains(rate)
        else { throw ValidationError("1000 to 100000000 events, no more instances, up to 100000 sends a second") }
    }

    func run() async throws {
        let parent = folder.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let folder = parent.appending(path: "wfbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What is left behind is only untidy.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try await fill(folder)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("filled: \(events) events of \(instances) instances, \(size >> 20) MiB")
        try await serve(folder)
        try verify(path)
        try await compareIndexes(path)
    }

    private func fill(_ folder: URL) async throws -> String {
        let workload = Workload.flat(instances)
        var files = try await EngineFiles(workload, in: folder)
        let running = try RunningEngine(path: files.ours)
        var left = events - instances
        while left > 0 {
            try await running.send(files.commands(min(left, 100_000)), atOnce: workload.requestsAtOnce)
            left -= 100_000
        }
        try await running.stop()
        try FileManager.default.removeItem(atPath: files.floor)
        return files.ours
    }

    /// Sends without a backup, and while one is made.
    private func serve(_ folder: URL) async throws {
        let daemon = try await ServerProcess.daemon(in: folder, name: "ours")
        let load = try OpenLoad(socket: daemon.socket, connections: 64, book: RequestBook(flips: instances))
        var warm = Latencies()
        try load.run(perSecond: Double(rate), seconds: 2, into: &warm)
        var alone = Latencies()
        try load.run(perSecond: Double(rate), seconds: 10, into: &alone)
        let backup = TimedBackup(socket: daemon.socket)
        var beside = Latencies()
        backup.start()
        while !backup.isOver { try load.run(perSecond: Double(rate), seconds: 1, into: &beside) }
        let times = try backup.times()
        load.close()
        try daemon.stop()
        print("backup: copied in \(times.copying.text(2)) s, checked in \(times.checking.text(2)) s")
        print("\(rate) sends/s without it: \(alone.percentilesText)")
        print("\(rate) sends/s beside it:  \(beside.percentilesText)")
    }

    private func verify(_ path: String) throws {
        let process = Process()
        process.executableURL = ServerProcess.directory.appending(path: "wfd")
        process.arguments = ["verify", path]
        // It tells its counts, which are known here.
        process.standardOutput = FileHandle.nullDevice
        let work = Stopwatch()
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("'wfd verify' finds a difference") }
        print("wfd verify: \(work.elapsed().passed.text(2)) s")
    }

    private func compareIndexes(_ path: String) async throws {
        let file = try SQLiteFile.open(at: path)
        let work = Stopwatch()
        var place: InspectionPlace? = .start
        while let next = place {
            let slice = try await file.inspectIndexes(after: next)
            if let found = slice.inconsistencies.first { throw BenchmarkError("\(found)") }
            place = slice.next
        }
        print("the comparison of the indexes in it: \(work.elapsed().passed.text(2)) s")
        try file.close()
    }
}

/// A backup that is made beside a measurement, on its own thread.
private final class TimedBackup: Sendable {
    private struct State {
        /// The time when the copy was complete; `nil` before.
        var copied: UInt64?
        var end: UInt64?
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let begin = Mutex<UInt64>(0)
    private let socket: String

    init(socket: String) { self.socket = socket }

    /// True if the backup is made, or has failed.
    var isOver: Bool { state.withLock { $0.end != nil } }

    func start() {
        startThread("backup", turns: .later) { [self] in
            begin.withLock { $0 = nanoseconds() }
            var failure: (any Error)?
            do { try make() } catch let error { failure = error }
            state.withLock { state in
                state.end = nanoseconds()
                state.failure = failure
            }
        }
    }

    /// Returns the seconds until the copy was complete, and from then on until it was checked.
    func times() throws -> (copying: Double, checking: Double) {
        let state = state.withLock { $0 }
        if let failure = state.failure { throw failure }
        let begin = begin.withLock { $0 }
        guard let copied = state.copied, let end = state.end else { throw BenchmarkError("the backup was not made") }
        return (Double(copied - begin) / 1e9, Double(end - copied) / 1e9)
    }

    private func make() throws {
        let connection = try LineConnection(socket: socket)
        defer { connection.close() }
        let request = "POST /v1/backups HTTP/1.1\r\nHost: wfd\r\nContent-Length: 0\r\n\r\n"
        var last = ""
        try Array(request.utf8).withUnsafeBytes { bytes in
            try connection.exchange(bytes) { line in
                last = String(decoding: line, as: UTF8.self)
                guard !last.contains(#""copying""#) else { return }
                state.withLock { state in
                    if state.copied == nil { state.copied = nanoseconds() }
                }
            }
        }
        guard last.contains(#""backup":"#) else { throw BenchmarkError("the backup was not made: \(last)") }
    }
}
