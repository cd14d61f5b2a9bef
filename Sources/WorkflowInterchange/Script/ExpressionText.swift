/// Writes parts of expressions.
enum ExpressionText {
    /// Returns a string literal.
    static func string(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let quote: Unicode.Scalar = scalars.contains("'") && !scalars.contains("\"") ? "\"" : "'"
        let escaped = scalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case quote: "\\" + String(quote)
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case let scalar where scalar.properties.generalCategory == .control: unicodeEscape(scalar)
            default: String(scalar)
            }
        }
        return String(quote) + escaped.joined() + String(quote)
    }

    /// Returns the selection of a field: `.name`, or `['na-me']`. Paths into the context have no reserved words.
    static func selection(_ name: String, isInPath: Bool = false) -> String {
        isSelectable(name) || isInPath && isIdentifier(name) ? "." + name : "[" + string(name) + "]"
    }

    /// Returns true if a field with this name can be selected with a dot.
    static func isSelectable(_ name: String) -> Bool {
        isIdentifier(name) && !reserved.contains(name)
    }

    /// Returns true if a text matches `[A-Za-z_][A-Za-z0-9_]*`.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, !isDigit(first) else { return false }
        return text.utf8.allSatisfy { isDigit($0) || isLetter($0) }
    }

    /// Returns the nearest identifier for a text.
    static func identifier(like text: String) -> String {
        let name = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    guard scalar.isASCII, let byte = UInt8(exactly: scalar.value) else { return "_" }
                    return isDigit(byte) || isLetter(byte) ? scalar : "_"
                }))
        return isIdentifier(name) ? name : "_" + name
    }

    /// The words with a present or reserved meaning in expressions (CEL, "Syntax": KEYWORD and RESERVED).
    static let reserved: Set = [
        "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
        "namespace", "null", "package", "return", "true", "var", "void", "while",
    ]

    private static func unicodeEscape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
}
