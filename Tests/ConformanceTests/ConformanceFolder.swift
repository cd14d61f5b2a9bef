import Foundation
import Testing

/// Where the vectors are: the folder that the environment names, else the one beside the project.
enum ConformanceFolder {
    /// What a skipped test says.
    static let absence: Comment = "there are no vectors; CONFORMANCE names their folder, and CI=true demands them"

    /// Whether the vectors of a part must pass: where they are, and where they have to be.
    static func isDemanded(_ part: String) throws -> Bool {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        return try !files(in: part).isEmpty
    }

    /// The files of one part, by name; none where there is no folder.
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
