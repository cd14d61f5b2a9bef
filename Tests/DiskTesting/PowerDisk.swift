import Foundation
import GRDBSQLite
import Synchronization

/// The disk below a folder, which loses unsynced data when its power is cut.
///
/// Programs see every write immediately, in the files themselves. The disk tracks the synced data separately. The model
/// has:
/// - writes and truncations. They are on the disk after a sync of their file. Before it, any part of them may be, torn
///   at sectors of 512 bytes, and later ones without earlier ones. A write leaves the neighbouring bytes alone.
/// - entries of files that SQLite creates and deletes. They are on the disk after a sync of the folder: with the first
///   sync of a new log or journal, and with a deletion that asks for it.
/// - the index of the log. It is memory, so it is lost.
///
/// The disk does not see the store's own calls beside SQLite: creating, flushing and renaming a new file, flushing its
/// folder. So a file that SQLite opens for the first time counts as synced. A cut at that very moment is the exception:
/// the file may not have its new name yet.
package final class PowerDisk: DiskWatcher {
    /// The honesty of a disk about SQLite's flushes.
    package enum Honesty: Sendable {
        case honest
        /// The disk confirms flushes of the log, and does nothing.
        case liesAboutLog
    }

    private struct Entry {
        /// The file that programs find under the name; `nil` if there is none.
        var file: UnsyncedFile?
        /// The file that the disk has under the name, if it is a different one.
        var former: UnsyncedFile?
        var isOnDisk = true
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var callsLeft: Int?
        var calls = 0
        var isCut = false
        var cutCall: String?
        /// The file that was being opened for the first time when the power was cut.
        var arrival: String?
    }

    package let folder: String
    private let honesty: Honesty
    /// The duration of a sync of the log.
    private let flush: Duration
    private let state: Mutex<State>
    /// The gate at the next write to the log.
    package let hold = DiskHold()

    /// Takes the content of a folder as synced, and watches it until `forget`.
    package init(_ folder: String, honesty: Honesty = .honest, flush: Duration = .zero) throws {
        self.folder = folder
        self.honesty = honesty
        self.flush = flush
        var state = State()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            state.entries[name] = Entry(file: UnsyncedFile(Self.bytes(folder + "/" + name)))
        }
        self.state = Mutex(state)
        WatchedVFS.watch(folder + "/", self)
    }

    /// Stops watching the folder.
    package func forget() {
        WatchedVFS.forget(self)
    }

    /// Cuts the power at the nth changing call from now on: 1 is the very next.
    package func cut(atCall count: Int) {
        state.withLock { if !$0.isCut { $0.callsLeft = count } }
    }

    /// Cuts the power now.
    package func cut() {
        state.withLock { $0.isCut = true }
    }

    package var isCut: Bool { state.withLock { $0.isCut } }

    /// The call at which the power was cut, such as `write wfd.db-wal`; `nil` if the cut was between calls.
    package var cutCall: String? { state.withLock { $0.cutCall } }

    /// The number of changing calls so far.
    package var calls: Int { state.withLock { $0.calls } }

    package func answer(to call: DiskCall, at path: String) -> CInt? {
        let name = String(path.dropFirst(folder.count + 1))
        if case .write = call, name.hasSuffix("-wal") { hold.pass() }
        if case .sync = call, name.hasSuffix("-wal") {
            let end = ContinuousClock.now + flush
            while .now < end {}
        }
        return state.withLock { state in
            if state.isCut { return call.failure }
            if case .open(let isNew) = call, !isNew { arrive(name, &state) }
            if call.isChange {
                state.calls += 1
                if let left = state.callsLeft { state.callsLeft = left - 1 }
                state.isCut = state.callsLeft == 0
            }
            if state.isCut { state.cutCall = "\(call.name) \(name)" }
            // A call that runs when the power goes may reach the disk whole or by half. A sync does nothing then.
            if state.isCut, case .sync = call { return call.failure }
            note(call, name, &state)
            if state.isCut { return call.failure }
            if case .sync = call { return SQLITE_OK }
            return nil
        }
    }

    private func note(_ call: DiskCall, _ name: String, _ state: inout State) {
        switch call {
        case .read, .mapIndex, .open(isNew: false): break
        case .open(isNew: true):
            let former = state.entries[name].flatMap { $0.isOnDisk ? $0.file : $0.former }
            state.entries[name] = Entry(file: UnsyncedFile(), former: former, isOnDisk: false)
        case .write(let bytes, let offset): state.entries[name]?.file?.write(bytes, at: offset)
        case .truncate(let size): state.entries[name]?.file?.truncate(to: size)
        case .sync:
            if honesty == .liesAboutLog, name.hasSuffix("-wal") { return }
            state.entries[name]?.file?.sync()
            if state.entries[name]?.isOnDisk == false { syncFolder(&state) }
        case .delete(let isDurable):
            let entry = state.entries[name]
            state.entries[name] = Entry(
                file: nil, former: entry?.isOnDisk == true ? entry?.file : entry?.former, isOnDisk: false)
            if isDurable { syncFolder(&state) }
        }
    }

    private func syncFolder(_ state: inout State) {
        for (name, entry) in state.entries where !entry.isOnDisk {
            state.entries[name] = entry.file.map { Entry(file: $0) }
        }
    }

    /// Adds a file that the store itself created.
    private func arrive(_ name: String, _ state: inout State) {
        let size = (try? FileManager.default.attributesOfItem(atPath: folder + "/" + name))?[.size] as? Int
        guard let size, state.entries[name]?.file?.size != size else { return }
        if state.callsLeft == 1 {
            state.isCut = true
            state.arrival = name
            return
        }
        state.entries[name] = Entry(file: UnsyncedFile(Self.bytes(folder + "/" + name)))
        for (name, entry) in state.entries where entry.file != nil && !isThere(name) { state.entries[name] = nil }
    }

    private func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder + "/" + name) }

    private static func bytes(_ path: String) -> [UInt8] {
        // A file that is not there has none.
        (try? Data(contentsOf: URL(filePath: path))).map(Array.init) ?? []
    }
}

extension PowerDisk {
    /// Returns the content of the disk after the cut, by name. Each draw is a possible outcome.
    package func remains(using random: inout some RandomNumberGenerator) -> [String: [UInt8]] {
        let (entries, arrival) = state.withLock { state in
            precondition(state.isCut, "the power is on")
            return (state.entries, state.arrival)
        }
        var files: [String: [UInt8]] = [:]
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) where !name.hasSuffix("-shm") {
            let isNew = entry.isOnDisk || Bool.random(using: &random)
            // A removal that is not on the disk may be undone, and so may a file that came instead of another.
            files[name] = (isNew ? entry.file : entry.former)?.remains(using: &random)
        }
        if let arrival, Bool.random(using: &random) {
            files[arrival] = Self.bytes(folder + "/" + arrival)
            files = files.filter { isThere($0.key) }
        }
        return files
    }
}

extension DiskCall {
    /// True if the call changes the content of the disk.
    fileprivate var isChange: Bool {
        switch self {
        case .write, .truncate, .sync, .delete, .open(isNew: true): true
        case .read, .mapIndex, .open(isNew: false): false
        }
    }

    fileprivate var name: String {
        switch self {
        case .open: "open"
        case .read: "read"
        case .write: "write"
        case .truncate: "truncate"
        case .sync: "sync"
        case .delete: "delete"
        case .mapIndex: "map"
        }
    }

    /// The result of the call without power.
    fileprivate var failure: CInt {
        switch self {
        case .open: SQLITE_CANTOPEN
        default: SQLITE_IOERR
        }
    }
}
