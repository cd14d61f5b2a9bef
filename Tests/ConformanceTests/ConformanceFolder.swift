import Foundation
import Testing

/// The folder of the vectors: the one that the environment names, else the one beside the project.
enum ConformanceFolder {
    /// The message of a skipped test.
    static let absence: Comment = "there are no vectors; CONFORMANCE names their folder, and CI=true demands them"

    /// Returns true if the vectors of a part must pass: if they exist, and always in CI.
    static func isDemanded(_ part: String) throws -> Bool {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        return try !files(in: part).isEmpty
    }

    /// Returns the files of one part, by name; none if the folder does not exist.
    static func files(in part: String) throws -> [URL] {
        let named = ProcessInfo.processInfo.environment["CONFORMANCE"].map { URL(filePath: $0) }
        let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let root = named ?? project.deletingLastPathComponent().appending(path: "shared/conformance")
        let folder = root.appending(path: part)
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }
}
