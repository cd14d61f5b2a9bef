/// Characters as the language counts them: Unicode scalars, found over the UTF-8 bytes.
extension String {
    /// How many Unicode scalars there are. Complexity: O(*n*).
    var codePointCount: Int {
        // A loop over bytes in memory is some ten times as fast as one over the string's indices.
        utf8.withContiguousStorageIfAvailable { $0.count { !isContinuation($0) } } ?? unicodeScalars.count
    }

    /// The place of the scalar of this number; the end for the number after the last one, nil past it and below zero.
    func place(ofCodePoint number: Int64) -> Index? {
        guard number >= 0 else { return nil }
        var left = number
        for place in utf8.indices where !isContinuation(utf8[place]) {
            if left == 0 { return place }
            left -= 1
        }
        return left == 0 ? endIndex : nil
    }

    /// The scalars from the last to the first.
    var reversedByScalar: String {
        let bytes = Array(utf8)
        var reversed = bytes
        var start = 0
        while start < bytes.count {
            var end = start + 1
            while end < bytes.count, isContinuation(bytes[end]) { end += 1 }
            for offset in start..<end { reversed[bytes.count - end + offset - start] = bytes[offset] }
            start = end
        }
        return String(decoding: reversed, as: UTF8.self)
    }
}

/// Whether a byte of UTF-8 goes on with a scalar that a byte before it began.
private func isContinuation(_ byte: UInt8) -> Bool {
    byte & 0xC0 == 0x80
}
