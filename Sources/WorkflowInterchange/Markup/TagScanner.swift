import Statechart

/// Finds the places of the start tags in an XML text. An XML reader checks and interprets the text, but knows only
/// where a tag ends.
///
/// The tags before the first mistake are exact; the tags after it may be anything.
struct TagScanner {
    /// A start tag or an empty-element tag.
    struct Tag {
        let place: DefinitionPlace
        fileprivate(set) var attributes: [(name: String, place: DefinitionPlace)] = []
    }

    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var column = 1

    /// Returns the start tags of a text in order. Throws for every document type declaration, because it can define
    /// entities that expand to more than they show. Also throws for a tag with too many attributes.
    static func tags(in bytes: [UInt8]) throws(ImportError) -> [Tag] {
        var scanner = TagScanner(bytes: bytes)
        return try scanner.tags()
    }

    private var place: DefinitionPlace { DefinitionPlace(line: line, column: column) }

    private mutating func tags() throws(ImportError) -> [Tag] {
        var tags: [Tag] = []
        while offset < bytes.count {
            guard bytes[offset] == UInt8(ascii: "<") else {
                advance()
                continue
            }
            if starts(with: "<!--") {
                skip(past: "-->", from: 4)
            } else if starts(with: "<![CDATA[") {
                skip(past: "]]>", from: 9)
            } else if starts(with: "<?") {
                skip(past: "?>", from: 2)
            } else if starts(with: "<!") {
                throw ImportError("declarations of document types ('<!DOCTYPE …>') are not read", at: place)
            } else if starts(with: "</") {
                skip(past: ">", from: 2)
            } else {
                tags.append(try tag())
            }
        }
        return tags
    }

    private mutating func tag() throws(ImportError) -> Tag {
        var tag = Tag(place: place)
        advance()
        skip { !Self.isBlank($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        while offset < bytes.count {
            skip { Self.isBlank($0) || $0 == UInt8(ascii: "/") }
            guard offset < bytes.count, bytes[offset] != UInt8(ascii: ">"), bytes[offset] != UInt8(ascii: "<") else {
                break
            }
            let (start, place) = (offset, place)
            skip { !Self.isBlank($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") }
            tag.attributes.append((String(decoding: bytes[start..<offset], as: UTF8.self), place))
            guard tag.attributes.count <= ImportLimits.attributes else {
                throw ImportError("an element has at most \(ImportLimits.attributes) attributes", at: place)
            }
            skip { Self.isBlank($0) || $0 == UInt8(ascii: "=") }
            guard offset < bytes.count, let quote = Self.quotes.first(where: { $0 == bytes[offset] }) else { continue }
            advance()
            skip { $0 != quote }
            advance()
        }
        return tag
    }

    private static let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private func starts(with text: String) -> Bool {
        bytes[offset...].starts(with: text.utf8)
    }

    /// Advances past the next occurrence of a text, or to the end.
    private mutating func skip(past text: String, from start: Int) {
        for _ in 0..<start { advance() }
        while offset < bytes.count, !starts(with: text) { advance() }
        for _ in text.utf8 { advance() }
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while offset < bytes.count, isSkipped(bytes[offset]) { advance() }
    }

    private mutating func advance() {
        guard offset < bytes.count else { return }
        let byte = bytes[offset]
        offset += 1
        if byte == 0x0A {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
    }
}
