import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The numbers in the first 100 bytes of a store (https://sqlite.org/fileformat.html, section 1.3).
///
/// SQLite creates a write-ahead log and its index beside any file in WAL mode that it opens, even to read. A file that
/// is not ours must not change, so wfd reads the header without SQLite.
struct FileHeader {
    /// The value of `PRAGMA application_id`, `wfd1` in ASCII.
    static let applicationID: Int64 = 0x7766_6431

    let applicationID: Int64
    let userVersion: Int64

    /// Reads and judges the header. Returns `nil` if there is no file; throws if it is not a store that this wfd can
    /// use.
    static func accept(
        _ file: StoreFile, of owner: FileOwner = .ours, newest: Int64
    ) throws(StoreError) -> FileHeader? {
        guard let bytes = try read(file, of: owner) else { return nil }
        guard !bytes.isEmpty else {
            throw StoreError(
                .foreignFile, "Cannot open '\(file.given)': it is empty; remove it to create a store there")
        }
        guard bytes.count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw StoreError(.foreignFile, "Cannot open '\(file.given)': it is not an SQLite database")
        }
        let header = FileHeader(applicationID: number(bytes[68..<72]), userVersion: number(bytes[60..<64]))
        try header.judge(file, newest: newest)
        return header
    }

    /// Throws if the numbers are not those of a store that this wfd can use.
    func judge(_ file: StoreFile, newest: Int64) throws(StoreError) {
        guard applicationID == Self.applicationID, userVersion >= 1 else {
            throw StoreError(.foreignFile, "Cannot open '\(file.given)': it is a database of another program")
        }
        guard userVersion <= newest else {
            throw StoreError(
                .newerSchema,
                "Cannot open '\(file.given)': its schema version \(userVersion) is newer than \(newest), the newest "
                    + "that this wfd knows; run a newer wfd")
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        // Both numbers are signed 32-bit integers.
        Int64(Int32(truncatingIfNeeded: bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) }))
    }

    /// Reads up to 100 bytes; returns `nil` if there is no file.
    private static func read(_ file: StoreFile, of owner: FileOwner) throws(StoreError) -> [UInt8]? {
        guard let descriptor = try StoreFile.openRegular(file.path, O_RDONLY, of: owner, for: file.given) else {
            return nil
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, 100, 0)
        guard count >= 0 else { throw StoreFile.failure(file.given, errno) }
        return Array(bytes.prefix(count))
    }
}
