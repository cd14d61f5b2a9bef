import ArgumentParser
import Foundation
import Statechart
import WorkflowEngine
import WorkflowStore

/// Measures how fast histories are gone through again, on one core, beside reading and hashing them alone.
struct ReplayBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Measures verify and replay per second on one core, beside reading and hashing the same rows alone.")

    @Option(help: ArgumentHelp("Journal rows.", valueName: "n"))
    var events: Int = 500_000

    @Option(help: ArgumentHelp("Instances that they belong to.", valueName: "n"))
    var instances: Int = 10_000

    @Option(help: ArgumentHelp("Measurements of each figure, of which the median counts.", valueName: "n"))
    var rounds: Int = 5

    func validate() throws {
        guard (1_000...100_000_000).contains(events), (1...events).contains(instances), (1...99).contains(rounds) else {
            throw ValidationError("1000 to 100000000 events, 1 instance to as many as events, 1 to 99 rounds")
        }
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wfbench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What is left behind is only untidy.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "wfd.db").path
        let traffic = try LampTraffic(path: path, instances: instances)
        try traffic.write(events: events)
        let file = try SQLiteFile.open(at: path)
        print("what                                          events/s     floor/s   ratio   spread")
        try await measure("verify, flat machine", file) {
            let counts = try await Verification(of: file).run { event in
                if case .finding(let finding) = event { throw ValidationError("\(finding)") }
            }
            return counts.events
        }
        let machine = try DefinitionReader.read(LampTraffic.source).machine
        try await measure("replay with another definition, flat machine", file) {
            let counts = try await Backtest(of: file, with: machine).run(machine: "lamp", version: nil) { event in
                if case .parts(let instance, _) = event { throw ValidationError("\(instance) parts") }
            }
            return counts.events
        }
        try file.close()
    }

    private func measure(_ name: String, _ file: SQLiteFile, _ body: () async throws -> Int) async throws {
        var ours: [Double] = []
        var floors: [Double] = []
        for _ in 0..<rounds {
            ours.append(try await perSecond(body))
            floors.append(try await perSecond { try await Self.floor(file) })
        }
        ours.sort()
        floors.sort()
        let (median, floor) = (ours[rounds / 2], floors[rounds / 2])
        let spread = (ours[rounds - 1] - ours[0]) / median * 100
        let cells = [
            String(Int(median)).padded(10), String(Int(floor)).padded(11), (median / floor).text(3).padded(7),
            (spread.text(0) + " %").padded(8),
        ]
        print(name.padding(toLength: 45, withPad: " ", startingAt: 0) + cells.joined(separator: " "))
    }

    private func perSecond(_ body: () async throws -> Int) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        let count = try await body()
        let (seconds, attoseconds) = (clock.now - start).components
        guard count == events else { throw ValidationError("\(count) of \(events) events were gone through") }
        return Double(events) / (Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// Reads the same rows in the same slices, and hashes the same bytes.
    private static func floor(_ file: SQLiteFile) async throws -> Int {
        var buffer = DigestBuffer()
        let uuid = UniqueID(bytes: Array(repeating: 7, count: 16))
        var count = 0
        var next: Int64 = 1
        while true {
            let slice = try await file.inspectJournal(next...Int64.max, of: 1...Int64.max)
            for row in slice.rows {
                let digest = buffer.digest(
                    row: row, previous: row.digest, uuid: uuid, machine: row.digest, semantics: 1,
                    snapshot: slice.snapshots[row.position]?.record)
                if digest != row.digest { count += 1 }
            }
            guard !slice.isLast else { return count }
            next = slice.through + 1
        }
    }
}
