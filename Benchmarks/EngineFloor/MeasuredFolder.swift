package import Foundation

/// The place of the measured files: below a folder on the relevant disk, with a folder for each figure.
package struct MeasuredFolder {
    /// The folder of this run.
    package let root: URL

    /// Makes the folder, and removes those of earlier runs that were killed.
    ///
    /// - Parameter place: The parent folder; `nil` for `.build` if it exists, because a temporary folder may be in
    ///   memory.
    package init(in place: String?) throws {
        let parent: URL
        if let place {
            parent = URL(filePath: place)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder), isFolder.boolValue else {
                throw BenchmarkError("'\(place)' is no folder")
            }
        } else if FileManager.default.fileExists(atPath: ".build") {
            parent = URL(filePath: ".build")
        } else {
            parent = FileManager.default.temporaryDirectory
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? [] {
            guard name.hasPrefix("bench-"), let process = Int32(name.dropFirst(6)), kill(process, 0) != 0 else {
                continue
            }
            // What is left behind is only untidy.
            try? FileManager.default.removeItem(at: parent.appending(path: name))
        }
        root = parent.appending(path: "bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        Interruption.made(root)
    }

    /// Calls the body with an empty folder, which is removed afterwards.
    package func withFolder<T>(_ body: (URL) async throws -> T) async throws -> T {
        let folder = root.appending(path: "files")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What is left behind is only untidy.
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// Removes the folder.
    package func remove() {
        // What is left behind is only untidy.
        try? FileManager.default.removeItem(at: root)
    }
}
