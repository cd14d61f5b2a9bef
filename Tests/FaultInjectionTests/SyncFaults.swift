import DaemonTesting
import Foundation

/// Counts the flushes of a daemon and makes them fail, through the library that the daemon is started with.
struct SyncFaults {
    /// Which flushes fail; the numbers are those of `SyncFaults.h`.
    enum Mode: UInt64 {
        case none, log, all, every, kill, held
    }

    private let path: String

    /// Makes the file that is shared with the daemon.
    init(in folder: TemporaryFolder) throws {
        path = try folder.write(String(repeating: "\0", count: 48), to: "faults")
    }

    /// What to start the daemon with.
    var environment: [String: String] {
        get throws {
            ["LD_PRELOAD": try Programs.path("libSyncFaults.so"), "SYNC_FAULTS_FILE": path]
        }
    }

    /// Calls of fsync and fdatasync so far.
    func calls() throws -> Int { try Int(number(at: 0)) }

    /// Calls that were made to fail so far.
    func failures() throws -> Int { try Int(number(at: 8)) }

    /// From now on such calls fail.
    func fail(_ mode: Mode) throws {
        try write(mode.rawValue, at: 16)
    }

    /// From now on one of so many calls fails, first the last of them.
    func failEvery(_ count: Int) throws {
        try write(UInt64(count), at: 24)
        try write(0, at: 32)
        try fail(.every)
    }

    /// The process is killed before the flush, link, rename or removal of this number.
    func kill(before step: Int) throws {
        try write(UInt64(step), at: 24)
        try write(0, at: 32)
        try fail(.kill)
    }

    /// Renames after a log was removed that no flush of the folder came before.
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
