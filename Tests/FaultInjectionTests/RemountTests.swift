import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// A disk in a file, which can be attached as different devices.
private struct DiskImage {
    let file: String

    /// Makes an empty disk.
    static func make(in folder: TemporaryFolder) async throws -> DiskImage {
        let image = DiskImage(file: folder.path("disk.img"))
        try await SystemProgram.run("truncate", "-s", "64M", image.file)
        try await SystemProgram.run("mkfs.ext4", "-q", image.file)
        return image
    }

    /// Attaches and mounts the disk for the duration of a function, which gets its folder and its device. Detaches the
    /// disk in any case.
    func mounted<Result>(
        in folder: TemporaryFolder, _ body: (_ path: String, _ device: String) async throws -> Result
    ) async throws -> Result {
        let path = try folder.makeFolder("mounted")
        let device = try await SystemProgram.run("losetup", "-f", "--show", file).trimmingCharacters(in: .newlines)
        do {
            try await SystemProgram.run("mount", device, path)
            let result = try await body(path, device)
            try await detach(device, from: path)
            return result
        } catch {
            try? await detach(device, from: path)
            throw error
        }
    }

    /// Attaches the disk for the duration of a function.
    func attached(_ body: () async throws -> Void) async throws {
        let taken = try await SystemProgram.run("losetup", "-f", "--show", file).trimmingCharacters(in: .newlines)
        do {
            try await body()
            try await SystemProgram.run("losetup", "-d", taken)
        } catch {
            _ = try? await SystemProgram.run("losetup", "-d", taken)
            throw error
        }
    }

    private func detach(_ device: String, from path: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            try await SystemProgram.run("umount", path)
        } catch {
            // Lazily: a daemon that is only now going away may still have a file open.
            _ = try? await SystemProgram.run("umount", "-l", path)
        }
        try await SystemProgram.run("losetup", "-d", device)
    }

    /// Returns true if this user may attach disks here.
    static func isPossible() async -> Bool {
        do {
            let folder = try TemporaryFolder()
            return try await make(in: folder).mounted(in: folder) { _, _ in true }
        } catch {
            return false
        }
    }
}

/// The place of a database belongs to its file system, whatever device that is on.
@Suite(
    .enabled("needs a user who may attach and mount an ext4 disk") { await DiskImage.isPossible() }, .serialized,
    .timeLimit(.minutes(20)))
struct RemountTests {
    /// Starts and stops a daemon. Returns the reason why it holds effects.
    private static func visit(_ path: String, in folder: TemporaryFolder, _ place: String) async throws -> String? {
        let database = path + "/wfd.db"
        let daemon = try await Daemon(
            arguments: Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
                + ["--place", place],
            database: database)
        let reason = try await daemon.answer(to: .get("/readyz")).object["holdReason"]?.string
        #expect(try await daemon.stop().end == .exited(0))
        return reason
    }

    @Test func onAnotherDeviceItIsTheSamePlace() async throws {
        let folder = try TemporaryFolder()
        let image = try await DiskImage.make(in: folder)
        let first = try await image.mounted(in: folder) { path, device in
            let reason = try await Self.visit(path, in: folder, "a")
            #expect(reason == nil)
            return (device: device, number: try Self.number(of: path))
        }
        // Another image takes the device meanwhile.
        let other = try TemporaryFolder()
        try await DiskImage.make(in: other).attached {
            try await image.mounted(in: folder) { path, device in
                let number = try Self.number(of: path)
                try #require(device != first.device && number != first.number)
                let reason = try await Self.visit(path, in: folder, "a")
                #expect(reason == nil)
            }
        }
    }

    /// A snapshot of the volume has the same UUID and the same inodes: only the machine tells them apart.
    @Test func aSnapshotOfTheVolumeIsToldByTheMachine() async throws {
        let folder = try TemporaryFolder()
        let image = try await DiskImage.make(in: folder)
        try await image.mounted(in: folder) { path, _ in
            let reason = try await Self.visit(path, in: folder, "a")
            #expect(reason == nil)
        }
        let snapshot = DiskImage(file: folder.path("snapshot.img"))
        try FileManager.default.copyItem(atPath: image.file, toPath: snapshot.file)
        try await snapshot.mounted(in: folder) { path, _ in
            let reason = try await Self.visit(path, in: folder, "b")
            #expect(
                reason?.hasPrefix("the database was copied or moved: its machine was name:a and is name:b; ") == true)
        }
    }

    /// The files of a disk have other inodes on another disk, or its UUID differs.
    @Test func aCopyOnAnotherDiskIsAnotherPlace() async throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let copy = folder.path("copy.db")
        try await DiskImage.make(in: folder).mounted(in: folder) { path, _ in
            let reason = try await Self.visit(path, in: folder, "a")
            #expect(reason == nil)
            try FileManager.default.copyItem(atPath: path + "/wfd.db", toPath: copy)
        }
        try await DiskImage.make(in: other).mounted(in: other) { path, _ in
            try FileManager.default.copyItem(atPath: copy, toPath: path + "/wfd.db")
            let reason = try await Self.visit(path, in: other, "a")
            #expect(reason?.contains("its file system was ext:") == true)
            #expect(reason?.contains("machine") == false)
        }
    }

    private static func number(of path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int)
    }
}
