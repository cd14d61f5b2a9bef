import Foundation
import Statechart

/// The definitions in the folders of examples and vectors.
enum DefinitionFolders {
    /// The root of the package, two folders above this one.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Returns the texts of `Examples`, by name.
    static func examples() throws -> [(name: String, text: String)] {
        try files(in: root.appending(path: "Examples"), ending: "yaml").map { file in
            (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
        }
    }

    /// Returns the definitions of the conformance vectors, by name, as JSON; `nil` if their folder does not exist.
    static func vectors() throws -> [(name: String, text: String)]? {
        let named = ProcessInfo.processInfo.environment["CONFORMANCE"].map { URL(filePath: $0) }
        let folder = named ?? root.deletingLastPathComponent().appending(path: "shared/conformance")
        let statecharts = folder.appending(path: "statechart")
        guard FileManager.default.fileExists(atPath: statecharts.path) else { return nil }
        return try files(in: statecharts, ending: "json").map { file in
            let tree = try DefinitionText.tree(of: String(contentsOf: file, encoding: .utf8), syntax: .json)
            return (file.lastPathComponent, (tree["definition"] ?? .map([])).text(as: .json))
        }
    }

    private static func files(in folder: URL, ending: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == ending }.sorted { $0.path < $1.path }
    }
}
