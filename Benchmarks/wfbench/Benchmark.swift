import ArgumentParser

/// Measures, and shows every figure beside a floor that was measured in the same run.
@main
struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wfbench", abstract: "Measures wfd, every figure beside a floor of the same run.",
        subcommands: [Table.self, EventBenchmark.self, ScaleBenchmark.self],
        defaultSubcommand: Table.self)
}
