/// Characters in the language's sense: Unicode scalars, found in the UTF-8 bytes.
extension String {
    /// The number of Unicode scalars. Complexity: O(*n*).
    var codePointCount: Int {
        // A loop over contiguous bytes is some ten times as fast as a loop over the string's indices.
        utf8.withContiguousStorageIfAvailable { $0.count { !isContinuation($0) } } ?? unicodeScalars.count
    }

    /// Returns the index of the scalar with this number; `endIndex` for the number after the last. Returns `nil` beyond
    /// that and below zero.
    func place(ofCodePoint number: Int64) -> Index? {
        guard number >= 0 else { return nil }
        var left = number
        for place in utf8.indices where !isContinuation(utf8[place]) {
            if left == 0 { return place }
            left -= 1
        }
        return left == 0 ? endIndex : nil
    }

    /// The string with its scalars in reverse order.
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

/// Returns true if a byte continues a UTF-8 scalar that an earlier byte began.
private func isContinuation(_ byte: UInt8) -> Bool {
    byte & 0xC0 == 0x80
}
