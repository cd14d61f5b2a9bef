package import ArgumentParser
import Foundation

/// What must hold, as `thresholds.json` says.
package struct Thresholds: Decodable {
    /// The median ratio of a figure, by its id: the least, or the most for a figure that must be low.
    package let ratios: [String: Double]
    /// Instructions of a counted work, by its name.
    package let instructions: [String: Double]

    /// Reads the file.
    package init(at path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
    }
}

/// Where the thresholds are.
package struct ThresholdOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What must hold.", valueName: "file"))
    package var thresholds = "Benchmarks/thresholds.json"

    @Option(help: ArgumentHelp("Where the measured files are made; .build without it.", valueName: "folder"))
    package var folder: String?

    /// Before the arguments are read.
    package init() {}
}
