import ArgumentParser
import Foundation

/// What must hold, as `thresholds.json` says.
struct Thresholds: Decodable {
    /// The median ratio of a figure, by its id: the least, or the most for a figure that must be low.
    let ratios: [String: Double]
    /// Instructions of a counted work, by its name.
    let instructions: [String: Double]

    /// How far a count may be off, as a share.
    static let tolerance = 0.05

    init(at path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
    }
}

/// Where the thresholds are.
struct ThresholdOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What must hold.", valueName: "file"))
    var thresholds = "Benchmarks/thresholds.json"

    @Option(help: ArgumentHelp("Where the measured files are made; .build without it.", valueName: "folder"))
    var folder: String?
}

/// Checks ratios.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures the figures that thresholds are for, and fails when one does not hold.")

    @OptionGroup var options: ThresholdOptions

    @Option(help: ArgumentHelp("Rounds of each figure, of which the median counts.", valueName: "n"))
    var rounds = 5

    @Option(help: ArgumentHelp("About how long one measurement takes.", valueName: "s"))
    var seconds = 1.0

    func validate() throws {
        guard (1...1_000).contains(rounds), (0.01...600).contains(seconds) else {
            throw ValidationError("1 to 1000 rounds of 0.01 to 600 seconds")
        }
    }

    func run() async throws {
        let ratios = try Thresholds(at: options.thresholds).ratios
        let measuring = Measuring(
            rounds: rounds, seconds: seconds, isQuick: true, folder: try MeasuredFolder(in: options.folder))
        defer { measuring.folder.remove() }
        for id in ratios.keys where !Figures.all.contains(where: { $0.id == id }) {
            throw BenchmarkError("there is no figure '\(id)' for the threshold")
        }
        var misses = 0
        for figure in Figures.all {
            guard let bound = ratios[figure.id] else { continue }
            let measurement = try await measuring.measure(figure)
            let ratio = measurement.ratio ?? .nan
            let holds = figure.isLowGood ? ratio <= bound : ratio >= bound
            if !holds { misses += 1 }
            print(
                figure.id.filled(26), ratio.text(2).padded(7), figure.isLowGood ? " ≤" : " ≥", bound.text(2).filled(7),
                holds ? "ok  " : "MISS", measurement.note ?? "")
        }
        if misses > 0 { throw ExitCode.failure }
    }
}

extension Figure {
    /// Whether less is better.
    fileprivate var isLowGood: Bool {
        switch goal {
        case .atMost, .ratioAtMost: true
        case .atLeast, .ratioAtLeast, .ratioAndValueAtLeast, nil: unit != .perSecond
        }
    }
}

/// Checks counts of instructions.
struct Count: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Counts instructions under valgrind, and fails when they are more than 5 % off the thresholds.")

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

    /// What is wrong with a count that is so far off; nil when nothing is.
    private static func verdict(_ share: Double) -> String? {
        let percent = (abs(share) * 100).text(1) + " %"
        if share > Thresholds.tolerance { return "MISS: \(percent) more than it must be" }
        if share < -Thresholds.tolerance { return "MISS: \(percent) less, so lower the threshold" }
        return nil
    }
}
