/// A Swift text whose comments and string literals are blanked, line for line, so that the remaining words and braces
/// are code. Interpolated expressions stay.
///
/// The mask supports line and nested block comments, and plain, raw and multi-line strings. It does not support regular
/// expressions between slashes: one with a quote or a brace in it would be misread.
struct SwiftMask {
    /// The only bytes of code that have a meaning here.
    private static let isOpener = (0...UInt8.max).map { Array("/#\"()".utf8).contains($0) }

    private let bytes: [UInt8]
    private var masked: [UInt8] = []
    private var offset = 0

    /// Returns the masked lines of a text.
    static func lines(of text: String) -> [String] {
        var mask = SwiftMask(bytes: Array(text.utf8))
        mask.code(endsAtParenthesis: false)
        return String(decoding: mask.masked, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        masked.reserveCapacity(bytes.count)
    }

    private mutating func code(endsAtParenthesis: Bool) {
        var depth = 0
        while offset < bytes.count {
            if keepWords() {
                continue
            } else if isNext("//") {
                while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { blank() }
            } else if isNext("/*") {
                blockComment()
            } else if let hashes = stringHashes() {
                string(hashes: hashes)
            } else {
                if bytes[offset] == UInt8(ascii: "(") { depth += 1 }
                if bytes[offset] == UInt8(ascii: ")") { depth -= 1 }
                keep()
                if endsAtParenthesis, depth < 0 { return }
            }
        }
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if isNext("/*") {
                depth += 1
                blank(2)
            } else if isNext("*/") {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && offset < bytes.count
    }

    /// Returns the number of `#` before the string that begins here; `nil` if none begins.
    private func stringHashes() -> Int? {
        let hashes = bytes[offset...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = offset + hashes
        return quote < bytes.count && bytes[quote] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func string(hashes: Int) {
        blank(hashes)
        let hashText = String(repeating: "#", count: hashes)
        let quotes = isNext("\"\"\"") ? "\"\"\"" : "\""
        blank(quotes.utf8.count)
        let (end, escape) = (quotes + hashText, "\\" + hashText)
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\"") where isNext(end):
                return blank(end.utf8.count)
            case UInt8(ascii: "\\") where isNext(escape + "("):
                blank(hashes + 1)
                keep()
                code(endsAtParenthesis: true)
            case UInt8(ascii: "\\") where isNext(escape):
                blank(hashes + 2)
            default:
                blank()
            }
        }
    }

    private func isNext(_ text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

    /// Keeps the bytes up to the next opener; returns false if one is here.
    private mutating func keepWords() -> Bool {
        let start = offset
        while offset < bytes.count, !Self.isOpener[Int(bytes[offset])] { offset += 1 }
        masked += bytes[start..<offset]
        return offset > start
    }

    private mutating func keep() {
        masked.append(bytes[offset])
        offset += 1
    }

    private mutating func blank(_ count: Int = 1) {
        let end = min(offset + count, bytes.count)
        while offset < end {
            masked.append(bytes[offset] == UInt8(ascii: "\n") ? bytes[offset] : UInt8(ascii: " "))
            offset += 1
        }
    }
}
