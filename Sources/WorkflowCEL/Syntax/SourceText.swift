/// The text of an expression, addressed in bytes of UTF-8.
struct SourceText: Sendable {
    let string: String
    let bytes: [UInt8]

    init(_ string: String) {
        self.string = string
        bytes = Array(string.utf8)
    }

    /// What stands in a range.
    func text(in range: Range<Int>) -> String {
        String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    /// What stands in a range, for a message: `…` where it is long or more than one line.
    func excerpt(of range: Range<Int>) -> String {
        guard range.count <= Self.longestExcerpt else { return "…" }
        let text = text(in: range)
        return text.utf8.contains(UInt8(ascii: "\n")) ? "…" : text
    }

    /// What stands in a range, for a message: only its end where it is long.
    func ending(of range: Range<Int>) -> String {
        let text = excerpt(of: range)
        guard text == "…" else { return text }
        let end = self.text(in: range).unicodeScalars.suffix(Self.longestExcerpt / 2)
        return "…" + String(String.UnicodeScalarView(end)).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// What is added to a message about words that may be a text; of the text itself only what is short and has no
    /// quotes. Where it is all of the expression, the quotes around that come too: YAML, JSON and shells take them off.
    func missingQuotes(around range: Range<Int>) -> String {
        let advice = "; a text has quotes of its own"
        let text = excerpt(of: range)
        guard text != "…", !text.contains(where: { "'\"\\".contains($0) }) else { return advice }
        return range == 0..<bytes.count ? "\(advice), write \"'\(text)'\"" : "\(advice): '\(text)'"
    }

    /// The line and the column of a byte, both counted from 1; columns count Unicode scalars.
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
