import DaemonTesting
import Foundation

/// A disk of a few megabytes, in memory.
struct SmallDisk {
    let path: String
    private var filler: String { path + "/filler" }

    /// Calls a function with a new disk, and removes the disk in any case.
    static func with<Result>(
        megabytes: Int, in folder: TemporaryFolder, _ body: (SmallDisk) async throws -> Result
    ) async throws -> Result {
        let path = try folder.makeFolder("disk")
        try await SystemProgram.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
        do {
            let result = try await body(SmallDisk(path: path))
            // Lazily: a daemon that is only now going away may still have a file open.
            try await SystemProgram.run("umount", "-l", path)
            return result
        } catch {
            try await SystemProgram.run("umount", "-l", path)
            throw error
        }
    }

    /// Returns true if this user may make disks here.
    static func isPossible() async -> Bool {
        do {
            return try await with(megabytes: 1, in: TemporaryFolder()) { _ in true }
        } catch {
            return false
        }
    }

    /// Takes all the space.
    func fill() throws {
        // Closed in programs that are started meanwhile: they would keep the room after the file is removed.
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let block = [UInt8](repeating: 0, count: 4_096)
        while write(descriptor, block, block.count) > 0 {}
        guard errno == ENOSPC else { throw TestingError("cannot fill the disk: \(String(cString: strerror(errno)))") }
    }

    /// Frees the space.
    func makeRoom() throws {
        try FileManager.default.removeItem(atPath: filler)
    }

    /// Frees a part of the space.
    func makeRoom(bytes: Int) throws {
        let size = try FileManager.default.attributesOfItem(atPath: filler)[.size] as? Int ?? 0
        guard truncate(filler, size - bytes) == 0 else {
            throw TestingError("cannot make room: \(String(cString: strerror(errno)))")
        }
    }
}
