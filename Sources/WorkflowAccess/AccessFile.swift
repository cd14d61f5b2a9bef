#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file `NAME.access` beside a database, which has the tokens.
///
/// Tokens are not in the database: so a backup holds no credential, and a restore brings no revoked token back. The
/// file belongs to wfd's user and is readable by nobody else. It is replaced as a whole: written new, flushed, renamed.
package struct AccessFile: AccessStorage {
    /// The path.
    package let path: String

    /// The most bytes that are read: more than the most tokens have.
    private static let longest = 16 << 20

    /// - Parameter database: The path of the database, with links resolved.
    package init(besideDatabase database: String) {
        path = database + ".access"
    }

    /// Returns the content; `nil` if there is no file. Refuses a file that somebody else may have written or read, and
    /// one that is damaged: neither counts as missing.
    package func read() throws(AccessError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw refused(errno == ELOOP ? "it is a symbolic link" : String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw refused(String(cString: strerror(errno))) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw refused("it is no regular file") }
        guard facts.st_nlink == 1 else { throw refused("it has \(facts.st_nlink) names (hard links)") }
        guard facts.st_uid == geteuid() else {
            throw refused("it belongs to user \(facts.st_uid), and wfd runs as user \(geteuid())")
        }
        guard facts.st_mode & 0o077 == 0 else { throw refused("others may read or write it; 'chmod 600' it") }
        guard facts.st_size <= Self.longest else { throw refused("it is too large") }
        var bytes: [UInt8] = []
        while bytes.count <= Self.longest {
            var count = 0
            let part = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, filled in
                repeat {
                    count = Glibc.read(descriptor, buffer.baseAddress, 64 << 10)
                } while count < 0 && errno == EINTR
                filled = max(0, count)
            }
            if count < 0 { throw refused(String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += part
        }
        return bytes
    }

    /// Replaces the content; on disk on return. A crash leaves the old content or the new one.
    ///
    /// - Parameter replaced: Called when the file has its new content, which a power failure may still undo.
    package func write(_ bytes: [UInt8], replaced: () -> Void) throws(AccessError) {
        guard bytes.count <= Self.longest else {
            throw AccessError(.tooMany, "The tokens and their queues are too many")
        }
        let new = path + "-new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw notWritten(errno) }
        let error = Self.fill(descriptor, with: bytes)
        close(descriptor)
        guard error == 0, rename(new, path) == 0 else {
            let failure = error == 0 ? errno : error
            unlink(new)
            throw notWritten(failure)
        }
        replaced()
        try flushFolder()
    }

    /// Writes and flushes bytes; returns the error, or 0.
    private static func fill(_ descriptor: CInt, with bytes: [UInt8]) -> CInt {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? ENOSPC : errno }
            rest = rest.dropFirst(count)
        }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    private func flushFolder() throws(AccessError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw notWritten(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw notWritten(errno) }
    }

    private func refused(_ reason: String) -> AccessError {
        AccessError(.refused, "Cannot read the tokens in '\(path)': \(reason)")
    }

    private func notWritten(_ error: CInt) -> AccessError {
        AccessError(.notWritten, "Cannot write the tokens in '\(path)': \(String(cString: strerror(error)))")
    }
}
