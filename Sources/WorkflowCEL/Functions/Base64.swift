/// The base64 encoding (RFC 4648, section 4).
enum Base64 {
    /// Returns the encoded text, with padding.
    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32((3 - group.count) * 8)
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[Int(bits >> UInt32(18 - place * 6) & 63)] : padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the decoded bytes; `nil` if the text is not base64. The padding must be complete or absent.
    static func bytes(_ text: String) -> [UInt8]? {
        var digits = text.utf8[...]
        if digits.count % 4 == 0 {
            for _ in 0..<2 where digits.last == padding { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for digit in digits {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The value of each byte of text; 255 for a byte that is no digit.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}

extension FunctionLibrary {
    /// The functions that encode and decode base64.
    static let base64Functions: [Overload] = [
        .native(.function, "base64.encode") { (bytes: [UInt8], budget) throws(EvaluationError) in
            try budget.take(bytes: (bytes.count + 2) / 3 * 4)
            return Base64.text(bytes)
        },
        .native(.function, "base64.decode") { (text: String, budget) throws(EvaluationError) in
            try budget.take(bytes: text.utf8.count)
            guard let bytes = Base64.bytes(text) else {
                throw EvaluationError(.invalidArgument, "the string is not base64, with '+', '/' and '=' at its end")
            }
            return bytes
        },
    ]
}
