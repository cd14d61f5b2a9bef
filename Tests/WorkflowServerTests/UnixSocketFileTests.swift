import Foundation
import Testing

@testable import WorkflowServer

struct UnixSocketFileTests {
    /// Another file may get the inode number of a lost socket once it is closed: it is not the server's any more.
    @Test func whatIsAbandonedIsLeftAlone() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wfd-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // What is left is the system's to clean.
        let path = folder.appending(path: "s.sock").path

        let lost = try UnixSocketFile(path: path)
        try Data().write(to: URL(filePath: lost.bindingPath))
        lost.wasBound()
        lost.abandon()
        lost.remove()
        #expect(FileManager.default.fileExists(atPath: path))
        try FileManager.default.removeItem(atPath: path)

        let own = try UnixSocketFile(path: path)
        try Data().write(to: URL(filePath: own.bindingPath))
        own.wasBound()
        own.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Both are bound at the same time, by temporary names, until each has its own.
    @Test func twoInOneFolderDoNotMeet() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let name = UUID().uuidString.prefix(8)
        let (first, second) = (
            try UnixSocketFile(path: "\(folder)/\(name)-a"), try UnixSocketFile(path: "\(folder)/\(name)-b")
        )
        #expect(first.bindingPath != second.bindingPath)
        // A path that was given up is free again.
        let binding = first.bindingPath
        first.abandon()
        #expect(try UnixSocketFile(path: "\(folder)/\(name)-c").bindingPath == binding)
        withExtendedLifetime(second) {}
    }
}
