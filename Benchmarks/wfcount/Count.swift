import ArgumentParser
import EngineFloor

/// Checks counts of instructions.
struct Count: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Counts instructions under valgrind, and fails when they are more than 5 % off the thresholds.")

    /// The allowed deviation of a count, as a fraction.
    private static let tolerance = 0.05

    @OptionGroup var options: ThresholdOptions

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Only these works.", valueName: "work"))
    var only: [CountedWork] = []

    func run() async throws {
        guard Callgrind.isInstalled else {
            print("count: skipped, because valgrind is not installed")
            return
        }
        let bounds = try Thresholds(at: options.thresholds).instructions
        let folder = try MeasuredFolder(in: options.folder)
        defer { folder.remove() }
        var misses = 0
        for work in CountedWork.allCases where only.isEmpty || only.contains(work) {
            guard let bound = bounds[work.rawValue] else { throw BenchmarkError("there is no threshold for '\(work)'") }
            let count = try await folder.withFolder { try await Callgrind(in: $0).count(work) }
            let verdict = Self.verdict(count / bound - 1)
            if verdict != nil { misses += 1 }
            print(
                work.rawValue.filled(8), count.text(0).padded(8), "instructions for", work.title.filled(20),
                "threshold", bound.text(0).padded(8), " ", verdict ?? "ok")
        }
        if misses > 0 { throw ExitCode.failure }
    }

    /// Returns the verdict about a deviation; `nil` if it is allowed.
    private static func verdict(_ share: Double) -> String? {
        let percent = (abs(share) * 100).text(1) + " %"
        if share > tolerance { return "MISS: \(percent) more than it must be" }
        if share < -tolerance { return "MISS: \(percent) less, so lower the threshold" }
        return nil
    }
}
