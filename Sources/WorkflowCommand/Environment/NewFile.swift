import WorkflowAPI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is written under a temporary name, and gets its own name only when it is complete and on disk.
package protocol NewFile: AnyObject {
    /// Appends all bytes, or throws.
    func write(_ bytes: [UInt8]) throws

    /// Flushes the file and gives it its name. Throws without `replacing` if another file has the name by then.
    func commit(replacing: Bool) throws

    /// Discards the file: nothing is left of it.
    func discard()
}

/// A file of the operating system, written as `PATH.partial`.
final class SystemNewFile: NewFile {
    private let path: String
    private let partial: String
    private var descriptor: CInt
    /// The number of bytes written since the last flush. Flushing a large file at once would delay other users of the
    /// disk, above all wfd.
    private var unflushed = 0
    private static let flushBytes = 8 << 20

    init(_ path: String, isPrivate: Bool) throws {
        self.path = path
        partial = path + ".partial"
        // Checks the destination before any work is done for it.
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            throw CommandFailure(
                .cannotCreate,
                "Cannot write '\(path)': it is \(isFolder ? "a folder; name a file in it" : "no regular file")")
        }
        descriptor = open(partial, O_WRONLY | O_CREAT | O_CLOEXEC, isPrivate ? 0o600 : 0o666)
        guard descriptor >= 0 else { throw failure(errno) }
        // The partial file of a killed process may be overwritten, but not that of a running process.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, ftruncate(descriptor, 0) == 0,
            !isPrivate || fchmod(descriptor, 0o600) == 0
        else {
            let code = errno
            close(descriptor)
            descriptor = -1
            throw code == EWOULDBLOCK
                ? CommandFailure(.tryAgain, "Cannot write '\(path)': another process writes '\(partial)'")
                : failure(code)
        }
    }

    func write(_ bytes: [UInt8]) throws {
        if let code = Descriptor.write(bytes, to: descriptor) { throw failure(code) }
        unflushed += bytes.count
        guard unflushed >= Self.flushBytes else { return }
        guard fsync(descriptor) == 0 else { throw failure(errno) }
        unflushed = 0
    }

    func commit(replacing: Bool) throws {
        guard fsync(descriptor) == 0 else { throw failure(errno) }
        if replacing {
            guard rename(partial, path) == 0 else { throw failure(errno) }
        } else {
            // `link`, unlike `rename`, never replaces another file.
            guard link(partial, path) == 0 else { throw failure(errno) }
            unlink(partial)
        }
        close(descriptor)
        descriptor = -1
        try flushDirectory()
    }

    func discard() {
        guard descriptor >= 0 else { return }
        unlink(partial)
        close(descriptor)
        descriptor = -1
    }

    /// Makes the file's name durable.
    private func flushDirectory() throws {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(errno) }
    }

    private func failure(_ code: CInt) -> CommandFailure {
        CommandFailure(.cannotCreate, "Cannot write '\(path)': \(String(cString: strerror(code)))")
    }
}

/// Writes to file descriptors.
enum Descriptor {
    /// Writes all bytes. Returns the `errno` of the write that failed; `nil` if none did.
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                    Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                    Musl.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                    Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
