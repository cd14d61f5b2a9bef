import ArgumentParser
import EngineFloor

/// Measures, and shows every figure beside a floor that was measured in the same run.
struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wfbench", abstract: "Measures wfd, every figure beside a floor of the same run.",
        subcommands: [
            Table.self, Check.self, Peers.self, ScaleBenchmark.self, PendingBenchmark.self, PurgeBenchmark.self,
            MigrateBenchmark.self, BackupBenchmark.self, WorstBenchmark.self, ServeEmpty.self, ServeCalls.self,
        ],
        defaultSubcommand: Table.self)
}

/// The entry point of the program.
@main
enum Main {
    static func main() {
        // A server of ours ends in order.
        let servers = [ServeEmpty.configuration, ServeCalls.configuration].compactMap(\.commandName)
        if !servers.contains(where: CommandLine.arguments.contains) { Interruption.prepare() }
        MeasuringProgram.run { await Benchmark.main() }
    }
}
