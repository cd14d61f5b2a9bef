/// The text of an expression, addressed in bytes of UTF-8.
struct SourceText: Sendable {
    let string: String
    let bytes: [UInt8]

    init(_ string: String) {
        self.string = string
        bytes = Array(string.utf8)
    }

    /// Returns the text in a range.
    func text(in range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    /// Returns the text in a range for a message; `…` if the text is long or has several lines.
    func excerpt(of range: Range<Int>) -> String {
        guard range.count <= Self.longestExcerpt else { return "…" }
        let text = text(in: range)
        return text.utf8.contains(UInt8(ascii: "\n")) ? "…" : text
    }

    /// Returns the text in a range for a message; only its end if the text is long.
    func ending(of range: Range<Int>) -> String {
        let text = excerpt(of: range)
        guard text == "…" else { return text }
        let end = self.text(in: range).unicodeScalars.suffix(Self.longestExcerpt / 2)
        return "…" + String(String.UnicodeScalarView(end)).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Returns the hint for words that may be a string without quotes. The hint repeats the text only if that is short
    /// and has no quotes. If the text is the whole expression, the hint adds the outer quotes, because YAML, JSON and
    /// shells remove them.
    func missingQuotes(around range: Range<Int>) -> String {
        let advice = "; a text has quotes of its own"
        let text = excerpt(of: range)
        guard text != "…", !text.contains(where: { "'\"\\".contains($0) }) else { return advice }
        return range == 0..<bytes.count ? "\(advice), write \"'\(text)'\"" : "\(advice): '\(text)'"
    }

    /// Returns the line and column of a byte, both counted from 1. Columns count Unicode scalars.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    func location(of offset: Int) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for byte in bytes.prefix(max(0, offset)) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }

    private static let longestExcerpt = 60
}
