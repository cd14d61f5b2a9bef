/// A Swift text whose comments and string literals are blanked, line for line, so that the remaining words and braces
/// are code. Interpolated expressions stay.
///
/// The mask supports line and nested block comments, and plain, raw and multi-line strings. It does not support regular
/// expressions between slashes: one with a quote or a brace in it would be misread.
struct SwiftMask {
    /// The only bytes of code that have a meaning here.
    private static let openers = Array("/#\"()".utf8)

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
            if !Self.openers.contains(bytes[offset]) {
                keep()
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
        while offset < bytes.count {
            if isNext(quotes + hashText) { return blank(quotes.utf8.count + hashes) }
            if isNext("\\" + hashText + "(") {
                blank(hashes + 1)
                keep()
                code(endsAtParenthesis: true)
            } else if isNext("\\" + hashText) {
                blank(hashes + 2)
            } else {
                blank()
            }
        }
    }

    private func isNext(_ text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

    private mutating func keep() {
        masked.append(bytes[offset])
        offset += 1
    }

    private mutating func blank(_ count: Int = 1) {
        for byte in bytes[offset...].prefix(count) {
            masked.append(byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " "))
            offset += 1
        }
    }
}
