import Synchronization
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The lock that keeps a second process away from a store: an flock on a separate file, which contains our pid.
///
/// The kernel releases the lock when the process ends, however it ends. The database file itself cannot carry the lock.
/// SQLite uses POSIX locks there, and these go away as soon as anything in the process closes the file.
final class FileLock: Sendable {
    private struct State {
        /// The descriptor; negative after the release.
        var descriptor: CInt
        var isSigned = false
    }

    private let state: Mutex<State>

    /// Takes the lock or throws `locked`. Writes nothing yet.
    convenience init(_ file: StoreFile) throws(StoreError) {
        try self.init(file, O_RDWR | O_CREAT, of: .ours)
        var status = stat()
        guard state.withLock({ fstat($0.descriptor, &status) }) == 0, status.st_nlink > 1 else { return }
        throw StoreError(
            .cannotOpen,
            "Cannot open '\(file.given)': '\(file.lock)' has \(status.st_nlink) names (hard links), and writing to it "
                + "would change the others; remove it")
    }

    /// Takes the lock of a file that is only read and may have any owner. The lock file must exist.
    convenience init(reading file: StoreFile) throws(StoreError) {
        try self.init(file, O_RDONLY, of: .anybody)
    }

    private init(_ file: StoreFile, _ flags: CInt, of owner: FileOwner) throws(StoreError) {
        let descriptor = try StoreFile.openPresent(file.lock, flags, of: owner, for: file.given)
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else {
            state = Mutex(State(descriptor: descriptor))
            return
        }
        let code = errno
        let holder = Self.holder(descriptor)
        close(descriptor)
        guard code == EWOULDBLOCK else { throw StoreFile.failure(file.given, code, "its lock file: ") }
        throw StoreError(
            .locked,
            "Cannot open '\(file.given)': "
                + (holder.map { "it is in use by process \($0)" } ?? "it is in use by another process"))
    }

    deinit {
        release()
    }

    /// Writes our pid, which the message of another process then contains.
    func sign() {
        let text = Array("\(getpid())\n".utf8)
        state.withLock { state in
            state.isSigned = true
            // The pid is a courtesy: without it the other message only says less.
            _ = ftruncate(state.descriptor, 0)
            _ = pwrite(state.descriptor, text, text.count, 0)
        }
    }

    /// Releases the lock. The lock file stays, without our pid.
    func release() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            if state.isSigned { _ = ftruncate(state.descriptor, 0) }
            // Closing alone would leave the file locked while a program that is being started still shares the
            // descriptor.
            flock(state.descriptor, LOCK_UN)
            close(state.descriptor)
            state.descriptor = -1
        }
    }

    private static func holder(_ descriptor: CInt) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let digits = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}
