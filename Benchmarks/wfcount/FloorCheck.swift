import ArgumentParser
import EngineFloor

/// Lets the floor and the engine write every kind of row, and compares the rows.
struct FloorCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks that the C loop writes the same rows as the engine, with a few events of every kind.")

    @Option(help: ArgumentHelp("Where the files are made; .build without it.", valueName: "folder"))
    var folder: String?

    func run() async throws {
        let workloads: [(name: String, Workload)] = [
            ("flat", .flat(100)), ("one instance", .flat(1)), ("nested", .nested(100)), ("timers", .after(100)),
            ("UUIDv7 keys", .flat(100).with(keys: .growing)), ("random keys", .flat(100).with(keys: .random)),
            ("10 KiB", .flat(100).with(dataBytes: 10_240)),
            ("all at once", .after(7).with(dataBytes: 100).with(keys: .growing)),
        ]
        let folder = try MeasuredFolder(in: folder)
        defer { folder.remove() }
        for (name, workload) in workloads {
            try await folder.withFolder { folder in
                var contest = try await EngineContest(
                    workload, Setting(folder: folder, isQuick: true, seconds: 0.013))
                _ = try await contest.ours()
                _ = try await contest.floor()
                // Compares the files.
                try await contest.end()
            }
            print("floor: the same rows,", name)
        }
        try await folder.withFolder { folder in
            var contest = try await TaskContest(
                Setting(folder: folder, isQuick: true, seconds: 0.013), instances: 2_000)
            _ = try await contest.ours()
            _ = try await contest.floor()
            try await contest.end()
        }
        print("floor: the same rows, tasks")
    }
}
