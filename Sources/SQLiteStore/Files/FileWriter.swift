import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes an existing file from its first byte on.
final class FileWriter {
    private let descriptor: CInt
    private let given: String

    init(_ path: String, for given: String) throws(StoreError) {
        self.given = given
        descriptor = try StoreFile.openPresent(path, O_WRONLY, for: given)
    }

    deinit {
        close(descriptor)
    }

    /// Appends all bytes, or throws.
    func write(_ bytes: [UInt8]) throws(StoreError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                    Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                    Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno != EINTR {
                throw StoreError(.unavailable, "Cannot write '\(given)': \(String(cString: strerror(errno)))")
            }
        }
    }
}
