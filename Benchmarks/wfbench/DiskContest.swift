import EngineFloor
import Foundation

/// The bytes by which a file grows for an event, once the log is in it.
struct DiskContest: Contest {
    private var files: EngineFiles
    private let workload: Workload
    private let events: Int

    init(_ workload: Workload, _ setting: Setting) async throws {
        self.workload = workload
        files = try await EngineFiles(workload, in: setting.folder)
        // It takes as many as it takes for the first pages not to matter.
        events = setting.isQuick ? 20_000 : 100_000
    }

    mutating func ours() async throws -> Sample {
        let before = try Self.size(of: files.ours)
        let running = try RunningEngine(path: files.ours)
        try await running.send(files.commands(events), atOnce: workload.requestsAtOnce)
        try await running.stop()
        return Sample(value: Double(try Self.size(of: files.ours) - before) / Double(events))
    }

    mutating func floor() async throws -> Sample? {
        let before = try Self.size(of: files.floor)
        let loop = try SQLiteFloorFile(path: files.floor)
        try loop.run(files.plan(events))
        loop.close()
        return Sample(value: Double(try Self.size(of: files.floor) - before) / Double(events))
    }

    mutating func end() async throws {
        try SameRows.check(files.ours, files.floor)
    }

    private static func size(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let size = attributes[.size] as? Int else { throw BenchmarkError("'\(path)' has no size") }
        return size
    }
}
