import EngineFloor
import Foundation

/// Counts the instructions of this program under valgrind's callgrind.
struct Callgrind {
    /// True if valgrind is installed.
    static var isInstalled: Bool {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return places.contains { FileManager.default.isExecutableFile(atPath: $0 + "/valgrind") }
    }

    private let folder: URL
    private let program: URL

    /// - Parameter folder: An empty folder.
    init(in folder: URL) throws {
        self.folder = folder
        program = folder.appending(path: "wfcount")
        // What the linker writes for debuggers is newer than what valgrind reads.
        try Self.run(["strip", "-g", "-o", program.path, CommandLine.arguments[0]])
    }

    /// Returns the instructions for one part of the work: the difference between doing it once and twice as often, so
    /// that start and end do not count.
    func count(_ work: CountedWork) async throws -> Double {
        let prepared = folder.appending(path: work.rawValue)
        try FileManager.default.createDirectory(at: prepared, withIntermediateDirectories: true)
        try await work.prepare(in: prepared)
        let once = try run(work, work.count, prepared)
        let twice = try run(work, 2 * work.count, prepared)
        return Double(twice - once) / Double(work.count * work.parts)
    }

    private func run(_ work: CountedWork, _ count: Int, _ prepared: URL) throws -> Int {
        let files = folder.appending(path: "\(work.rawValue)-\(count)")
        try FileManager.default.copyItem(at: prepared, to: files)
        let profile = folder.appending(path: "callgrind-\(work.rawValue)-\(count).out")
        try Self.run([
            "valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=" + profile.path, program.path, "work",
            work.rawValue, "\(count)", files.path,
        ])
        let text = try String(contentsOf: profile, encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("summary: ") || $0.hasPrefix("totals: ") }
        guard let number = line?.split(separator: " ").last, let total = Int(number) else {
            throw BenchmarkError("callgrind told no total for '\(work)'")
        }
        return total
    }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        // The order of sets and dictionaries, and with it the work, would differ from run to run.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("failed: " + arguments.joined(separator: " "))
        }
    }
}
