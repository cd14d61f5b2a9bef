/// The offsets of a place from UTC over time, from a file of the IANA time zone database (TZif, RFC 9636).
struct TimeZoneData: Sendable {
    /// The times of the transitions in seconds since 1970, ascending.
    private var transitions: [Int64] = []
    /// The seconds ahead of UTC from each transition on.
    private var offsets: [Int64] = []
    /// The seconds ahead of UTC before the first transition.
    private var first: Int64 = 0
    /// The rule after the last transition; `nil` if the last offset continues.
    private var rule: TimeZoneRule?

    /// Reads the bytes of a TZif file; `nil` for any other bytes.
    init?(tzif bytes: [UInt8]) {
        var reader = Reader(rest: bytes[...])
        guard var header = Header(&reader) else { return nil }
        var width = 4
        if header.version >= UInt8(ascii: "2") {
            // The first block is for 32-bit programs; the second has 8 bytes for a time.
            guard reader.skip(header.blockBytes(timeWidth: 4)), let second = Header(&reader) else { return nil }
            (header, width) = (second, 8)
        }
        for _ in 0..<header.transitions {
            guard let time = reader.number(bytes: width) else { return nil }
            if let last = transitions.last, time <= last { return nil }
            transitions.append(time)
        }
        guard let places = reader.bytes(header.transitions) else { return nil }
        var types: [Int64] = []
        for _ in 0..<header.types {
            guard let offset = reader.number(bytes: 4), abs(offset) < 100_000, reader.skip(2) else { return nil }
            types.append(offset)
        }
        guard let first = types.first, places.allSatisfy({ Int($0) < types.count }) else { return nil }
        self.first = first
        offsets = places.map { types[Int($0)] }
        guard reader.skip(header.abbreviationBytes + header.leaps * (width + 4) + header.flagBytes) else { return nil }
        guard width == 8 else { return }
        guard let footer = reader.footer() else { return nil }
        if footer.isEmpty { return }
        guard let rule = TimeZoneRule(footer) else { return nil }
        self.rule = rule
    }

    /// Returns the seconds ahead of UTC at a moment, given in seconds since 1970.
    func offset(at seconds: Int64) -> Int64 {
        guard let last = transitions.last else { return rule?.offset(at: seconds) ?? first }
        if seconds >= last { return rule?.offset(at: seconds) ?? offsets[offsets.count - 1] }
        // The search finds the first transition after the moment.
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : offsets[low - 1]
    }
}

/// The header of a block.
private struct Header {
    let version: UInt8
    let flagBytes: Int
    let leaps: Int
    let transitions: Int
    let types: Int
    let abbreviationBytes: Int

    init?(_ reader: inout Reader) {
        guard let magic = reader.bytes(4), Array(magic) == Array("TZif".utf8), let version = reader.bytes(1)?.first,
            reader.skip(15)
        else { return nil }
        var counts: [Int] = []
        for _ in 0..<6 {
            // Files of the database have some thousand of each.
            guard let count = reader.number(bytes: 4), (0...100_000).contains(count) else { return nil }
            counts.append(Int(count))
        }
        self.version = version
        flagBytes = counts[0] + counts[1]
        leaps = counts[2]
        transitions = counts[3]
        types = counts[4]
        abbreviationBytes = counts[5]
    }

    func blockBytes(timeWidth: Int) -> Int {
        transitions * (timeWidth + 1) + types * 6 + abbreviationBytes + leaps * (timeWidth + 4) + flagBytes
    }
}

private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

    /// Reads a signed number, most significant byte first.
    mutating func number(bytes count: Int) -> Int64? {
        guard let bytes = bytes(count) else { return nil }
        let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: value << (64 - 8 * UInt64(count))) >> (64 - 8 * Int64(count))
    }

    /// Reads the text between two line ends.
    mutating func footer() -> ArraySlice<UInt8>? {
        let end = UInt8(ascii: "\n")
        guard rest.first == end else { return nil }
        let text = rest.dropFirst().prefix { $0 != end }
        return text.endIndex < rest.endIndex ? text : nil
    }
}
