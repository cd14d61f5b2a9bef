/// The state of one file on a disk: the synced bytes, and later writes that may be lost.
struct UnsyncedFile {
    private enum Change {
        case write([UInt8], at: Int)
        case truncate(to: Int)
    }

    /// The unit in which a disk writes, and therefore loses, bytes.
    static let sector = 512

    private var synced: [UInt8]
    private var changes: [Change] = []
    /// The size as programs see it.
    private(set) var size: Int

    init(_ bytes: [UInt8] = []) {
        synced = bytes
        size = bytes.count
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        changes.append(.write(Array(bytes), at: offset))
        size = max(size, offset + bytes.count)
    }

    mutating func truncate(to size: Int) {
        changes.append(.truncate(to: size))
        self.size = size
    }

    /// Makes all writes so far durable.
    mutating func sync() {
        for change in changes {
            switch change {
            case .write(let bytes, let offset):
                if synced.count < offset + bytes.count {
                    synced += [UInt8](repeating: 0, count: offset + bytes.count - synced.count)
                }
                synced.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            case .truncate(let size): synced.removeLast(max(0, synced.count - size))
            }
        }
        changes = []
    }

    /// Returns the file as the disk might have it without power. Of each change since the last sync it has all,
    /// nothing, or some sectors; later changes may be there without earlier ones.
    func remains(using random: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes = synced
        // The chance that a change has reached the disk, in tenths. Most draws give nearly all changes or nearly none.
        let tenths = [0, 1, 5, 9, 10].randomElement(using: &random) ?? 5
        for change in changes {
            switch change {
            case .truncate(let size):
                if Int.random(in: 0..<10, using: &random) < tenths { bytes.removeLast(max(0, bytes.count - size)) }
            case .write(let written, let offset):
                // Half of the writes reach the disk whole or not at all.
                if Bool.random(using: &random) {
                    if Int.random(in: 0..<10, using: &random) < tenths {
                        Self.put(written[...], at: offset, into: &bytes, using: &random)
                    }
                    continue
                }
                var begin = 0
                while begin < written.count {
                    let end = min(written.count, ((offset + begin) / Self.sector + 1) * Self.sector - offset)
                    if Int.random(in: 0..<10, using: &random) < tenths {
                        Self.put(written[begin..<end], at: offset + begin, into: &bytes, using: &random)
                    }
                    begin = end
                }
            }
        }
        // A file system may know that a file has grown before it has what is in it.
        if size > bytes.count, Int.random(in: 0..<4, using: &random) == 0 {
            Self.extend(&bytes, to: size, using: &random)
        }
        return bytes
    }

    private static func put(
        _ part: ArraySlice<UInt8>, at offset: Int, into bytes: inout [UInt8],
        using random: inout some RandomNumberGenerator
    ) {
        extend(&bytes, to: offset + part.count, using: &random)
        bytes.replaceSubrange(offset..<offset + part.count, with: part)
    }

    /// Extends the bytes. Bytes that were never written read as zeros, or as the former content.
    private static func extend(_ bytes: inout [UInt8], to size: Int, using random: inout some RandomNumberGenerator) {
        guard bytes.count < size else { return }
        let isJunk = Bool.random(using: &random)
        bytes.reserveCapacity(size)
        while bytes.count < size {
            var word: UInt64 = isJunk ? random.next() : 0
            for _ in 0..<min(8, size - bytes.count) {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
    }
}
