/// Counts the terminal columns of a text: none for combining characters, two for wide ones (Unicode Annex 11).
package enum DisplayWidth {
    /// Returns the number of columns of a text of one line.
    package static func of(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// Returns the text, or a prefix of it and an ellipsis in at most `columns` columns.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard columns > 0 else { return "" }
        guard of(text) > columns else { return text }
        var rest = columns - 1
        let beginning = text.prefix { character in
            rest -= of(character)
            return rest >= 0
        }
        return beginning + "…"
    }

    private static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, first.value >= 0x300 else { return 1 }
        if wide.contains(where: { $0.contains(first.value) }) { return 2 }
        if first.properties.isEmojiPresentation || scalars.contains("\u{FE0F}") { return 2 }
        return switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: 0
        default: 1
        }
    }

    /// East Asian Width W and F, without emoji, in blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF,
        0x20000...0x3FFFD,
    ]
}
