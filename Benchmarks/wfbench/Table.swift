import ArgumentParser
import Foundation

/// Measures figures, ours and floor in turn, and prints a line for each.
struct TableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table", abstract: "Measures the figures, each beside its floor, and prints one table.")

    @Flag(help: "Only the figures that matter most, in less time.")
    var quick = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Only these figures; the beginning of an id is enough.", valueName: "id"))
    var only: [String] = []

    @Option(help: ArgumentHelp("Measurements of each, of which the median counts.", valueName: "n"))
    var rounds: Int?

    @Option(help: ArgumentHelp("About how long one measurement takes.", valueName: "s"))
    var seconds: Double?

    func run() async throws {
        for figure in EngineFigures.figures where only.isEmpty || only.contains(where: { figure.id.hasPrefix($0) }) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "wfbench-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            var contest = try await figure.begin(Setting(folder: folder, isQuick: quick, seconds: seconds ?? 1))
            for _ in 0..<(rounds ?? 5) {
                let ours = try await contest.ours()
                let floor = try await contest.floor()
                print(figure.id, ours, floor as Any, ours.value / (floor?.value ?? 1))
            }
            try await contest.end()
        }
    }
}
