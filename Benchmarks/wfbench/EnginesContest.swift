import EngineFloor
import Foundation
import WorkflowEngine

/// The engine on one file, beside the engine on another.
struct EnginesContest: Contest {
    /// An engine on its own file.
    private struct Side {
        let workload: Workload
        var files: EngineFiles
        let running: RunningEngine

        init(_ workload: Workload, _ setting: Setting, _ name: String) async throws {
            let folder = setting.folder.appending(path: name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            self.workload = workload
            files = try await EngineFiles(workload, in: folder)
            running = try RunningEngine(path: files.ours)
            try await running.send(files.firstCommands(), atOnce: workload.requestsAtOnce)
        }

        /// Sends events until the file has a number of them.
        mutating func fill(to events: Int) async throws {
            while running.engine.statistics.counts.events < events {
                let missing = events - running.engine.statistics.counts.events
                try await running.send(files.commands(min(missing, 100_000)), atOnce: workload.requestsAtOnce)
            }
        }

        mutating func measure(_ events: Int) async throws -> Sample {
            try await running.measure(files.commands(events), atOnce: workload.requestsAtOnce)
        }
    }

    private var side: Side
    private var other: Side
    private let events: Int

    /// Creates a contest of one instance beside 1,000 of the same machine.
    init(hot setting: Setting) async throws {
        try await self.init(.flat(1), .flat(1_000), setting)
        try await side.fill(to: 20_000)
        try await other.fill(to: 20_000)
    }

    /// Creates a contest of a file with a number of events beside one with 10 thousand.
    init(events: Int, _ setting: Setting) async throws {
        try await self.init(.flat(1_000), .flat(1_000), setting)
        try await side.fill(to: events)
        try await other.fill(to: 10_000)
    }

    private init(_ workload: Workload, _ beside: Workload, _ setting: Setting) async throws {
        side = try await Side(workload, setting, "ours")
        other = try await Side(beside, setting, "beside")
        events = side.files.events(in: setting.seconds)
    }

    mutating func ours() async throws -> Sample { try await side.measure(events) }

    mutating func floor() async throws -> Sample? { try await other.measure(events) }

    mutating func end() async throws {
        try await side.running.stop()
        try await other.running.stop()
    }
}
