import ArgumentParser
import EngineFloor
import Foundation

/// Measures figures, our side and the floor in turn, and prints a line for each.
struct Table: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures the figures, each beside its floor, and prints one table.")

    @Flag(help: "Only the figures that matter most, in less than two minutes.")
    var quick = false

    @Flag(help: "The figures of the store on PostgreSQL that matter most, on private servers, in three minutes.")
    var postgres = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Only these figures; the first parts of an id stand for all that begin so.", valueName: "id")
    )
    var only: [String] = []

    @Option(help: ArgumentHelp("Rounds of each figure, of which the median counts.", valueName: "n"))
    var rounds: Int?

    @Option(help: ArgumentHelp("About how long one measurement takes.", valueName: "s"))
    var seconds: Double?

    @Option(help: ArgumentHelp("Where the measured files are made; .build without it.", valueName: "folder"))
    var folder: String?

    @Option(help: ArgumentHelp("Writes every round of every figure there.", valueName: "file"))
    var json: String?

    @Flag(help: "Lists the figures and measures nothing.")
    var list = false

    func validate() throws {
        guard (1...1_000).contains(rounds ?? 1), (0.01...600).contains(seconds ?? 1) else {
            throw ValidationError("1 to 1000 rounds of 0.01 to 600 seconds")
        }
    }

    func run() async throws {
        let figures = try Figures.selected(only, isQuick: quick || postgres, ofPostgres: postgres)
        if list {
            for figure in figures {
                print(
                    figure.id.filled(26), figure.goalText.filled(14), figure.isQuick ? "quick " : "      ", figure.title
                )
            }
            return
        }
        let (usualRounds, usualSeconds) = postgres ? (3, 1) : quick ? (3, 0.5) : (5, 2)
        let measuring = Measuring(
            rounds: rounds ?? usualRounds, seconds: seconds ?? usualSeconds, isQuick: quick || postgres,
            folder: try MeasuredFolder(in: folder))
        defer { measuring.folder.remove() }
        let surroundings = try Surroundings(folder: measuring.folder.root)
        Self.tell(surroundings.text + "\n\n" + TableText.columns)
        var record = TableRecord(surroundings: surroundings)
        var failures = 0
        for figure in figures {
            do {
                let measurement = try await measuring.measure(figure)
                Self.tell(TableText.line(of: measurement))
                record.add(measurement)
            } catch {
                Self.tell(TableText.line(of: figure, failed: error))
                failures += 1
            }
        }
        Self.tell("\nload     \(Surroundings.load)")
        if let json { try record.bytes().write(to: URL(filePath: json)) }
        if failures > 0 { throw ExitCode.failure }
    }

    /// Prints at once, also into a pipe, so that earlier figures remain if a later one is stopped.
    private static func tell(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// The way in which figures are measured.
struct Measuring {
    let rounds: Int
    let seconds: Double
    let isQuick: Bool
    let folder: MeasuredFolder

    /// Measures a figure; reports its progress on standard error.
    func measure(_ figure: Figure) async throws -> Measurement {
        let isTerminal = isatty(STDERR_FILENO) == 1
        func tell(_ text: String) {
            let line = isTerminal ? "\r\u{1B}[K" + text : text.isEmpty ? "" : text + "\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
        defer { tell("") }
        return try await folder.withFolder { folder in
            try await Measurement(
                figure, Setting(folder: folder, isQuick: isQuick, seconds: seconds), rounds: rounds, progress: tell)
        }
    }
}
