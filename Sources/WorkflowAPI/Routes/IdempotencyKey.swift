/// A caller's key. The same request with the same key is carried out once, and gets the first answer again.
public enum IdempotencyKey {
    /// The header that carries it.
    public static let header = "Idempotency-Key"
    /// The header of an answer that is given again; its value is `true`.
    public static let repeatedHeader = "Idempotent-Replayed"
    /// The rule for keys, for messages.
    public static let rule = "1 to 200 printable ASCII characters; a UUID of version 7 is best"
    private static let length = 1...200

    /// Returns true if a text is a key.
    public static func isValid(_ text: String) -> Bool {
        length.contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Returns a version 7 UUID (RFC 9562, section 5.7): the milliseconds since 1970, then random bits.
    public static func make(milliseconds: Int64, random: inout some RandomNumberGenerator) -> String {
        let high = UInt64(bitPattern: milliseconds) << 16 | 0x7000 | UInt64.random(in: 0...0x0FFF, using: &random)
        let low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &random)
        let digits = [high, low].map { number in
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
        let ends = [0, 8, 12, 16, 20, 32]
        return zip(ends, ends.dropFirst()).map { start, end in
            String(digits.dropFirst(start).prefix(end - start))
        }.joined(separator: "-")
    }
}
