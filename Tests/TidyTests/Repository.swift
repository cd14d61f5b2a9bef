import Foundation

/// The repository that these tests stand in.
enum Repository {
    /// Its root, three folders above this file.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every Swift file of ours. The steps of a tutorial are parts of others.
    static let swiftFiles: [SourceFile] = {
        (["Sources", "Tests", "Benchmarks", "migrations", "Examples"].flatMap { files(in: $0) } + ["Package.swift"])
            .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.map(file)
    }()

    /// Every file of ours that a person writes for a machine to read.
    static let sourceFiles: [SourceFile] = {
        let others = ["migrations", "systemd", "Examples", ".ci"].flatMap { files(in: $0) } + ["Makefile"]
        return swiftFiles + others.filter { !$0.hasSuffix(".swift") }.map(file)
    }()

    /// A file by its path from the root; empty when it cannot be read, which the tests that need it notice.
    static func file(_ path: String) -> SourceFile {
        let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
        return SourceFile(path: path, text: text ?? "")
    }

    /// Whether there is a file or folder.
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// Whether there is a file that may be run.
    static func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: root.appending(path: path).path)
    }

    /// The bytes of a file; nil when there is none.
    static func bytes(_ path: String) -> Data? {
        try? Data(contentsOf: root.appending(path: path))  // nil is the answer
    }

    /// The paths of all files below a folder, sorted; none when there is no such folder. What builds leave there is not
    /// ours.
    static func files(in folder: String) -> [String] {
        let enumerator = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        let paths = (enumerator?.compactMap { $0 as? String } ?? []).map { folder + "/" + $0 }
        return paths.filter { !$0.contains("/.build/") && !isFolder($0) }.sorted()
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: root.appending(path: path).path, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
