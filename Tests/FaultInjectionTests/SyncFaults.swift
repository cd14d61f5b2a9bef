import DaemonTesting
import Foundation

/// Counts the flushes of a daemon and makes them fail, by a library that the daemon is started with.
struct SyncFaults {
    /// The flushes that fail; the numbers are those of `SyncFaults.h`.
    enum Mode: UInt64 {
        case none, log, all, every, kill, held
    }

    private let path: String

    /// Makes the file that is shared with the daemon.
    init(in folder: TemporaryFolder) throws {
        path = try folder.write(String(repeating: "\0", count: 48), to: "faults")
    }

    /// The environment to start the daemon with.
    var environment: [String: String] {
        get throws {
            ["LD_PRELOAD": try Programs.path("libSyncFaults.so"), "SYNC_FAULTS_FILE": path]
        }
    }

    /// Returns the number of calls of fsync and fdatasync so far.
    func calls() throws -> Int { try Int(number(at: 0)) }

    /// Returns the number of calls that were made to fail so far.
    func failures() throws -> Int { try Int(number(at: 8)) }

    /// Makes flushes fail from now on.
    func fail(_ mode: Mode) throws {
        try write(mode.rawValue, at: 16)
    }

    /// Makes one of a number of calls fail from now on, first the last of them.
    func failEvery(_ count: Int) throws {
        try write(UInt64(count), at: 24)
        try write(0, at: 32)
        try fail(.every)
    }

    /// Kills the process before the flush, link, rename or removal with a number.
    func kill(before step: Int) throws {
        try write(UInt64(step), at: 24)
        try write(0, at: 32)
        try fail(.kill)
    }

    /// Returns the number of renames after the removal of a log without a flush of the folder in between.
    func earlyRenames() throws -> Int { try Int(number(at: 40)) }

    private func write(_ number: UInt64, at offset: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: offset)
        try withUnsafeBytes(of: number) { try file.write(contentsOf: Data($0)) }
        try file.close()
    }

    private func number(at offset: Int) throws -> UInt64 {
        let data = try Data(contentsOf: URL(filePath: path))
        return data.dropFirst(offset).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
