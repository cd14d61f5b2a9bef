import Foundation

/// Where the vectors are: the folder that the environment names, else the one beside the project.
enum ConformanceFolder {
    /// The files of one part, by name; nil where there are none.
    static func files(in part: String) throws -> [URL]? {
        let named = ProcessInfo.processInfo.environment["CONFORMANCE"].map { URL(filePath: $0) }
        let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let root = named ?? project.deletingLastPathComponent().appending(path: "shared/conformance")
        let folder = root.appending(path: part)
        guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
        return files.isEmpty ? nil : files
    }
}
