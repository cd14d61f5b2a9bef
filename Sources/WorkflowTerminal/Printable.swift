/// Text from elsewhere, made safe for a terminal.
///
/// Escaped are control characters (C0, DEL and C1), which move the cursor or change the terminal; line and paragraph
/// separators; and format characters (Unicode category Cf), some of which turn the direction of text.
/// The two joiners stay: words of Persian and Hindi and many emoji need them.
package enum Printable {
    /// The text with every unsafe character written as an escape such as `\u{1b}`.
    package static func text(_ text: String) -> String {
        escaping(text, but: []) { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// The same for text of several lines, which it keeps.
    package static func lines(_ text: String) -> String {
        escaping(text, but: ["\n"]) { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// The same for a document, which keeps its lines and tabulators.
    package static func document(_ text: String) -> String {
        escaping(text, but: ["\n", "\t"]) { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// The same for JSON text, compact or indented, which stays JSON of the same value.
    package static func json(_ text: String) -> String {
        escaping(text, but: ["\n"]) { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    /// Whether a terminal could take a character for something else than itself.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20..<0x7F).contains(scalar.value) { return false }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    private static func escaping(
        _ text: String, but kept: [Unicode.Scalar], _ escape: (Unicode.Scalar) -> String
    ) -> String {
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool { isUnsafe(scalar) && !kept.contains(scalar) }
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if isEscaped(scalar) { safe += escape(scalar) } else { safe.unicodeScalars.append(scalar) }
        }
        return safe
    }
}
