import ArgumentParser
import EngineFloor

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
            if figure.needsPostgres, !PostgresCluster.isInstalled {
                print(figure.id.filled(26), "skipped: PostgreSQL is not installed")
                continue
            }
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
    /// True if a lower value is better.
    fileprivate var isLowGood: Bool {
        switch goal {
        case .atMost, .ratioAtMost: true
        case .atLeast, .ratioAtLeast, .ratioAndValueAtLeast, nil: unit != .perSecond
        }
    }
}
