import Foundation

/// The repository of these tests.
enum Repository {
    /// The root, three folders above this file.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The Swift files of ours, without the steps of tutorials, which are parts of other files.
    static let swiftFiles: [SourceFile] = {
        (["Sources", "Tests", "Benchmarks", "migrations", "Examples"].flatMap { files(in: $0) } + ["Package.swift"])
            .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.map(file)
    }()

    /// The files of ours that a person writes for a program to read.
    static let sourceFiles: [SourceFile] = {
        let others = ["migrations", "systemd", "packaging", "Examples", ".ci"].flatMap { files(in: $0) } + ["Makefile"]
        return swiftFiles + others.filter { !$0.hasSuffix(".swift") }.map(file)
    }()

    /// Returns a file by its path from the root; empty if it cannot be read, which the tests that need it notice.
    static func file(_ path: String) -> SourceFile {
        let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
        return SourceFile(path: path, text: text ?? "")
    }

    /// Returns true if a file or folder exists.
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// Returns true if an executable file exists.
    static func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: root.appending(path: path).path)
    }

    /// Returns the bytes of a file; `nil` if it does not exist.
    static func bytes(_ path: String) -> Data? {
        try? Data(contentsOf: root.appending(path: path))  // nil is the answer
    }

    /// Returns the paths of all files below a folder, sorted; none if the folder does not exist. Files of builds are
    /// left out.
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
