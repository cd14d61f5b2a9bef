import DaemonTesting
import Foundation
import Testing

/// Tests values that only a file can have: every column of every table with its extremes, then every route, `verify`
/// and `restore`.
@Suite struct ColumnWalkTests {
    /// The number of processes that share the cells.
    private static let shards = 4
    /// The number of cells that end a process after which further ones tell nothing new.
    private static let patience = 40
    private static let specimen = Task {
        let folder = try TemporaryFolder()
        try await ColumnSpecimen.make(at: folder.path("wfd.db"))
        return folder
    }

    /// Cells are tried in a separate process. If one ends the process, its name is in a file, and the next process
    /// continues after it. `WFD_COLUMNS=all` tries every value.
    @Test(.timeLimit(.minutes(60)), arguments: 0..<shards) func noColumnEndsTheProcess(shard: Int) async throws {
        let folder = try await Self.specimen.value
        let isWhole = ProcessInfo.processInfo.environment["WFD_COLUMNS"] == "all"
        let seed = isWhole ? 0 : UInt64.random(in: 0 ... .max)
        let (path, shards) = (folder.path, Self.shards)
        var first = 0
        for _ in 0..<Self.patience {
            let result = await #expect(processExitsWith: .success, "seed \(seed)") {
                [
                    path = path as String, shard = shard as Int, shards = shards as Int, seed = seed as UInt64,
                    isWhole = isWhole as Bool, first = first as Int
                ] in
                try await Self.walk(path, shard, of: shards, from: first, isWhole ? nil : 2, seed: seed)
            }
            // Values need not be text.
            let told = String(
                decoding: try Data(contentsOf: URL(filePath: folder.path("\(shard).log"))), as: UTF8.self)
            let lines = told.split(separator: "\n")
            for line in lines where line.hasPrefix("fault ") { Issue.record("seed \(seed): \(line)") }
            if result != nil { return }
            guard let last = lines.lastIndex(where: { $0.hasPrefix("cell ") }),
                let number = lines[last].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
            else { throw TestingError("the process did not begin: \(told)") }
            Issue.record("seed \(seed), ended by \(lines[last...].prefix(4).joined(separator: "\n"))")
            first = number + 1
        }
    }

    /// Tries its share of the cells in a separate process, and writes the name of each to a file first.
    private static func walk(
        _ folder: String, _ shard: Int, of shards: Int, from first: Int, _ bound: Int?, seed: UInt64
    ) async throws {
        let log = open("\(folder)/\(shard).log", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        dup2(log, STDERR_FILENO)
        let specimen = folder + "/wfd.db"
        let cells = try ColumnCell.all(of: DatabaseFile(specimen), bound: bound, seed: seed)
        let walk = ColumnWalk(folder: try TemporaryFolder(), specimen: specimen)
        for (number, cell) in cells.enumerated() where number % shards == shard && number >= first {
            FileHandle.standardError.write(Data("cell \(number) of \(cells.count): \(cell)\n".utf8))
            for fault in try await walk.faults(of: cell, number: number) {
                FileHandle.standardError.write(Data("fault of \(cell): \(fault)\n".utf8))
            }
        }
    }
}
