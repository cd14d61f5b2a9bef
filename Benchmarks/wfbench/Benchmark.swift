import ArgumentParser
import Foundation

/// Measures, and shows every figure beside a floor that was measured in the same run.
@main
struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wfbench", abstract: "Measures wfd, every figure beside a floor of the same run.",
        subcommands: [
            TableCommand.self, EventBenchmark.self, StepBenchmark.self, ReplayBenchmark.self, ScaleBenchmark.self,
        ],
        defaultSubcommand: TableCommand.self)
}

extension Double {
    func text(_ digits: Int) -> String {
        String(format: "%.\(digits)f", self)
    }
}

extension String {
    func padded(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
