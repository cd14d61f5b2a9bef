/// Makes text from other sources safe for a terminal.
///
/// Escapes control characters (C0, DEL and C1), which move the cursor or change the terminal. Also escapes line and
/// paragraph separators, and format characters (Unicode category Cf), some of which change the direction of text. Keeps
/// the two joiners, because words of Persian and Hindi and many emoji need them.
package enum Printable {
    /// Returns the text with every unsafe character written as an escape such as `\u{1b}`.
    package static func text(_ text: String) -> String {
        escaping(text, but: []) { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// Returns the escaped text, with its line ends kept.
    package static func lines(_ text: String) -> String {
        escaping(text, but: ["\n"]) { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// Returns the escaped text of a document, with its line ends and tabs kept.
    package static func document(_ text: String) -> String {
        escaping(text, but: ["\n", "\t"]) { "\\u{\(String($0.value, radix: 16))}" }
    }

    /// Returns the escaped JSON text, compact or indented, which stays JSON of the same value.
    package static func json(_ text: String) -> String {
        escaping(text, but: ["\n"]) { scalar in
            String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    /// Returns true if a terminal could interpret a character as anything but itself.
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
