import Foundation
import ThreadTesting

/// A folder of one test. It is removed with its content when its last reference is gone.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter place: The parent folder, if it is writable; else the folder is among the system's temporary files.
    package init(in place: String? = nil) throws {
        // The path of a socket has 107 bytes at most (unix(7)), and some systems have long names for this folder.
        let usual = FileManager.default.temporaryDirectory.path
        let wanted = place.flatMap { FileManager.default.isWritableFile(atPath: $0) ? $0 : nil }
        let parent = wanted ?? (usual.utf8.count > 60 ? "/tmp" : usual)
        var template = Array((parent + "/wfd-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw TestingError("cannot make a folder in '\(parent)': \(String(cString: strerror(errno)))")
        }
        path = String(cString: made)
    }

    deinit {
        // A file that cannot be removed does no harm.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the path of a file in the folder.
    package func path(_ name: String) -> String { path + "/" + name }

    /// Makes a folder in the folder.
    package func makeFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        return path(name)
    }

    /// Writes a file, and returns its path.
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// Returns the names of all files in the folder, sorted.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}
