/// Finds a text in others in linear time, by Knuth, Morris and Pratt.
///
/// It compares bytes of UTF-8, which finds scalars: the bytes of one never begin within those of another.
struct TextSearch {
    private let wanted: [UInt8]
    /// For each length of a match so far: how much of it still matches when the next byte does not.
    private let fallback: [Int]

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

    /// Calls back with the offset of each match in bytes, in order, until the answer is false.
    ///
    /// - Parameter isOverlapping: Whether a match may begin within the one before it.
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

    /// The offsets of all matches that do not overlap, at most so many.
    func offsets(in text: String, atMost limit: Int = .max) -> [Int] {
        var offsets: [Int] = []
        guard limit > 0 else { return offsets }
        matches(in: text, isOverlapping: false) { offset in
            offsets.append(offset)
            return offsets.count < limit
        }
        return offsets
    }

    /// Whether there is a match at all.
    func isFound(in text: String) -> Bool {
        var isFound = false
        matches(in: text, isOverlapping: false) { _ in
            isFound = true
            return false
        }
        return isFound
    }
}
