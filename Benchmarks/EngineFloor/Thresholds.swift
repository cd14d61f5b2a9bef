package import ArgumentParser
import Foundation

/// The thresholds in `thresholds.json`.
package struct Thresholds: Decodable {
    /// The median ratios of figures by their ids: the least, or the most for a figure that must be low.
    package let ratios: [String: Double]
    /// The instructions of counted work, by its name.
    package let instructions: [String: Double]

    /// Reads the file.
    package init(at path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
    }
}

/// The place of the thresholds.
package struct ThresholdOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What must hold.", valueName: "file"))
    package var thresholds = "Benchmarks/thresholds.json"

    @Option(help: ArgumentHelp("Where the measured files are made; .build without it.", valueName: "folder"))
    package var folder: String?

    /// Creates the options before the arguments are read.
    package init() {}
}
