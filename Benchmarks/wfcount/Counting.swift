import ArgumentParser
import EngineFloor

/// Counts instructions, and compares the rows of the engine with those of its floor. The target does not use HTTP, so
/// that it is built quickly.
struct Counting: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wfcount",
        abstract: "Counts instructions, and checks that the C loop writes the same rows as the engine.",
        subcommands: [FloorCheck.self, Count.self, Work.self])
}

/// The entry point of the program.
@main
enum Main {
    static func main() {
        Interruption.prepare()
        MeasuringProgram.run { await Counting.main() }
    }
}
