import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads a file from its first byte to its last. The file may be removed meanwhile.
///
/// `@unchecked Sendable`: after `init` only the descriptor's offset changes, and one caller at a time reads.
final class FileReader: BackupReader, @unchecked Sendable {
    private let descriptor: CInt
    private let given: String
    /// The size in bytes when the file was opened.
    let size: Int64

    init(_ path: String, of owner: FileOwner = .ours, for given: String) throws(StoreError) {
        self.given = given
        descriptor = try StoreFile.openPresent(path, O_RDONLY, of: owner, for: given)
        var status = stat()
        size = fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    deinit {
        close(descriptor)
    }

    func read(atMost count: Int) throws(StoreError) -> [UInt8] {
        var failed: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var result: Int
            repeat {
                #if canImport(Glibc)
                    result = Glibc.read(descriptor, buffer.baseAddress, count)
                #else
                    result = Darwin.read(descriptor, buffer.baseAddress, count)
                #endif
            } while result < 0 && errno == EINTR
            if result < 0 { failed = errno }
            filled = max(0, result)
        }
        guard failed == 0 else {
            throw StoreError(.unavailable, "Cannot read '\(given)': \(String(cString: strerror(failed)))")
        }
        return bytes
    }
}

extension FileReader {
    /// Writes the rest of the file to an existing empty file.
    func copy(to path: String, limits: StoreLimits) throws(StoreError) {
        let writer = try FileWriter(path, for: path)
        while true {
            let part = try read(atMost: limits.copyPartBytes)
            if part.isEmpty { return }
            try writer.write(part)
        }
    }
}
