import ArgumentParser
import Dispatch
import SQLiteStore
import WorkflowStore

/// Measures, and shows every figure beside a floor that was measured in the same run.
struct Benchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wfbench", abstract: "Measures wfd, every figure beside a floor of the same run.",
        subcommands: [
            Table.self, Check.self, Count.self, Peers.self, ScaleBenchmark.self, PendingBenchmark.self,
            PurgeBenchmark.self, MigrateBenchmark.self, BackupBenchmark.self, FloorCheck.self, Work.self,
            ServeEmpty.self, ServeCalls.self,
        ],
        defaultSubcommand: Table.self)
}

/// Where the program begins. An asynchronous `main` ends the main thread, at which valgrind 3.19 crashes.
@main
enum Main {
    static func main() {
        // The floors have it too.
        SQLiteMemory.stopCounting()
        // A server of ours ends in order.
        let servers = [ServeEmpty.configuration, ServeCalls.configuration].compactMap(\.commandName)
        if !servers.contains(where: CommandLine.arguments.contains) { Interruption.prepare() }
        let ended = DispatchSemaphore(value: 0)
        // Awaited below; a command that fails ends the process itself. Not on the main actor, whose thread waits.
        Task.detached {
            await Benchmark.main()
            ended.signal()
        }
        ended.wait()
    }
}
