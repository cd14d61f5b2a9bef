import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The content of a write-ahead log, read without SQLite and without changing the log
/// (https://sqlite.org/fileformat.html, section 4).
///
/// SQLite ends a log at the first frame whose checksum does not continue that of the frame before, and reports nothing.
/// So a log whose end a crash tore looks like a log with a flipped bit in the middle. `LogWalk` also examines the
/// frames after that place.
struct LogWalk {
    /// The break; set if the log continues after the place where SQLite ends it.
    private(set) var found: LogBreak?
    /// The offset in the log of the newest committed version of each page.
    private(set) var pages: [UInt32: Int64] = [:]
    /// The number of pages of the database after the last commit; 0 if there is no commit.
    private(set) var databasePages: UInt32 = 0
    private(set) var pageBytes = 4_096

    private var salts: UInt64 = 0
    private var isBigEndian = false
    private var last = LogChecksum()
    private var used = 0
    private var behind: Behind?
    private var uncommitted: [UInt32: Int64] = [:]
    private let keepsPages: Bool

    /// The state after the first bad frame.
    private struct Behind {
        /// The checksums that the next frame may continue: the one in the bad frame, and the one that the bad frame
        /// should have.
        var chained: [LogChecksum]
        /// The number of commits in an unbroken chain of frames.
        var commits = 0
        var lastCommit = 0
        var isProof = false
    }

    /// Reads a log from its beginning to its end; returns `nil` if there is no log or no frame in it.
    ///
    /// - Parameter keepsPages: True if the caller needs `pages`, which takes about 16 bytes for each page in the log.
    init?(_ path: String, keepsPages: Bool = false, for given: String) throws(StoreError) {
        self.keepsPages = keepsPages
        guard let size = StoreFile.size(of: path), size > Self.headerBytes else { return nil }
        let reader = try FileReader(path, of: .anybody, for: given)
        let isHeaderWhole = readHeader(try reader.read(exactly: Self.headerBytes))
        let frameBytes = Self.frameHeaderBytes + pageBytes
        let atOnce = max(1, (1 << 20) / frameBytes)
        var number = 0
        while true {
            let bytes = try reader.read(exactly: frameBytes * atOnce)
            for start in stride(from: 0, to: bytes.count - frameBytes + 1, by: frameBytes) {
                number += 1
                bytes.withUnsafeBytes { buffer in
                    let frame = LogFrame(bytes: UnsafeRawBufferPointer(rebasing: buffer[start..<start + frameBytes]))
                    if number == 1, !isHeaderWhole { loseHeader(frame) } else { take(frame, number) }
                }
            }
            if bytes.count < frameBytes * atOnce { break }
        }
        guard let behind, behind.lastCommit > 0 else { return }
        found = LogBreak(used: used, found: behind.lastCommit, isProof: behind.isProof)
    }

    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    /// Reads the header; returns false if its own checksum is wrong. SQLite then reads nothing of the log.
    private mutating func readHeader(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { header in
            let magic = header.number(at: 0)
            isBigEndian = magic & 1 == 1
            let size = Int(header.number(at: 8))
            if size >= 512, size <= 65_536, size & (size - 1) == 0 { pageBytes = size }
            salts = header.pair(at: 16)
            last.add(UnsafeRawBufferPointer(rebasing: header[..<24]), isBigEndian: isBigEndian)
            return magic & ~1 == 0x377F_0682 && last.value == header.pair(at: 24)
        }
    }

    /// Replaces a damaged header by the values of the first frame. No frame counts as used.
    private mutating func loseHeader(_ frame: LogFrame) {
        salts = frame.salts
        behind = Behind(chained: [LogChecksum(value: frame.checksum)])
        if frame.isCommit { countCommit(1) }
    }

    private mutating func take(_ frame: LogFrame, _ number: Int) {
        guard behind == nil else { return takeBehind(frame, number) }
        let wanted = last.adding(frame, isBigEndian: isBigEndian)
        guard frame.salts == salts, frame.page > 0, frame.checksum == wanted.value else {
            behind = Behind(chained: [LogChecksum(value: frame.checksum), wanted])
            // A bad frame that is a commit begins a chain of commits, but is not itself a commit after the break.
            if frame.salts == salts, frame.isCommit { behind?.commits = 1 }
            return
        }
        last = wanted
        if keepsPages { uncommitted[frame.page] = Int64(Self.headerBytes + (number - 1) * frame.bytes.count) }
        guard frame.isCommit else { return }
        used = number
        databasePages = frame.databasePages
        pages.merge(uncommitted) { $1 }
        uncommitted = [:]
    }

    private mutating func takeBehind(_ frame: LogFrame, _ number: Int) {
        guard frame.salts == salts else {
            // The frame is left from before the log last started over.
            behind?.commits = 0
            behind?.chained = []
            return
        }
        let isChained =
            behind?.chained.contains { before in
                before.adding(frame, isBigEndian: isBigEndian).value == frame.checksum
            } ?? false
        if !isChained { behind?.commits = 0 }
        behind?.chained = [LogChecksum(value: frame.checksum)]
        if frame.isCommit { countCommit(number) }
    }

    private mutating func countCommit(_ number: Int) {
        behind?.commits += 1
        behind?.lastCommit = number
        if behind?.commits ?? 0 > 1 { behind?.isProof = true }
    }
}

/// One frame of a log: a header of 24 bytes and a page.
struct LogFrame {
    let bytes: UnsafeRawBufferPointer

    var page: UInt32 { bytes.number(at: 0) }
    /// The size of the database in pages after a commit; 0 for other frames.
    var databasePages: UInt32 { bytes.number(at: 4) }
    var isCommit: Bool { databasePages > 0 }
    var salts: UInt64 { bytes.pair(at: 8) }
    var checksum: UInt64 { bytes.pair(at: 16) }
}

/// The running checksum of a log's header and frames.
struct LogChecksum {
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    /// The checksum as a file contains it.
    var value: UInt64 { UInt64(first) << 32 | UInt64(second) }

    init() {}

    init(value: UInt64) {
        first = UInt32(truncatingIfNeeded: value >> 32)
        second = UInt32(truncatingIfNeeded: value)
    }

    /// Returns the checksum after a frame.
    func adding(_ frame: LogFrame, isBigEndian: Bool) -> LogChecksum {
        var sum = self
        sum.add(UnsafeRawBufferPointer(rebasing: frame.bytes[..<8]), isBigEndian: isBigEndian)
        sum.add(UnsafeRawBufferPointer(rebasing: frame.bytes[24...]), isBigEndian: isBigEndian)
        return sum
    }

    /// Adds a multiple of eight bytes to the checksum.
    mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
        for place in stride(from: 0, to: bytes.count, by: 8) {
            let one = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
            let two = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
            second &+= (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ first
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func number(at place: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    fileprivate func pair(at place: Int) -> UInt64 {
        UInt64(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
}

extension FileReader {
    /// Reads a number of bytes; fewer only at the end of the file.
    func read(exactly count: Int) throws(StoreError) -> [UInt8] {
        var bytes = try read(atMost: count)
        while bytes.count < count {
            let more = try read(atMost: count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}
