import Foundation

/// A directory for one test, removed when its last reference is gone.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let base = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
        path = base + "/wfd-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // No test depends on the directory being removed.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of the store in the directory.
    var store: String { path + "/store.db" }

    /// Returns the names in the directory, sorted.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// Returns every file in the directory with its bytes.
    func contents() throws -> [String: Data] {
        try names().reduce(into: [:]) { $0[$1] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + $1)) }
    }

    func size(of name: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path + "/" + name))?[.size] as? Int
    }

    func write(_ bytes: Data, to name: String) throws {
        try bytes.write(to: URL(fileURLWithPath: path + "/" + name))
    }

    /// Copies the store and its log as a crash at this moment would leave them.
    func copyAfterCrash() throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory()
        for name in ["store.db", "store.db-wal"] where size(of: name) != nil {
            try copy.write(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)), to: name)
        }
        return copy
    }
}
