/// Finds a text in others in linear time (Knuth–Morris–Pratt).
///
/// The search compares bytes of UTF-8 and still finds whole scalars: the bytes of a scalar never begin within another.
struct TextSearch {
    private let wanted: [UInt8]
    /// The length that still matches after a mismatch, for each length matched so far.
    private let fallback: [Int]

    /// Prepares the search.
    ///
    /// - Precondition: `wanted` is not empty.
    init(for wanted: String) {
        precondition(!wanted.isEmpty)
        let wanted = Array(wanted.utf8)
        var fallback = [0, 0]
        fallback.reserveCapacity(wanted.count + 1)
        var length = 0
        for byte in wanted.dropFirst() {
            while length > 0, wanted[length] != byte { length = fallback[length] }
            if wanted[length] == byte { length += 1 }
            fallback.append(length)
        }
        self.wanted = wanted
        self.fallback = fallback
    }

    /// Calls `body` with the byte offset of each match in order, until `body` returns false.
    ///
    /// - Parameter isOverlapping: True if a match may begin within the previous match.
    func matches(in text: String, isOverlapping: Bool, _ body: (Int) -> Bool) {
        var text = text
        text.withUTF8 { bytes in
            var length = 0
            for offset in bytes.indices {
                let byte = bytes[offset]
                while length > 0, wanted[length] != byte { length = fallback[length] }
                if wanted[length] == byte { length += 1 }
                guard length == wanted.count else { continue }
                if !body(offset + 1 - length) { return }
                length = isOverlapping ? fallback[length] : 0
            }
        }
    }

    /// Returns the byte offsets of the matches that do not overlap, at most `limit` of them.
    func offsets(in text: String, atMost limit: Int = .max) -> [Int] {
        var offsets: [Int] = []
        guard limit > 0 else { return offsets }
        matches(in: text, isOverlapping: false) { offset in
            offsets.append(offset)
            return offsets.count < limit
        }
        return offsets
    }

    /// Returns true if the text contains a match.
    func isFound(in text: String) -> Bool {
        var isFound = false
        matches(in: text, isOverlapping: false) { _ in
            isFound = true
            return false
        }
        return isFound
    }
}
