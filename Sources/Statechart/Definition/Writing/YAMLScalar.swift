import WorkflowJSON

/// Writes single values in YAML: plain if plain text means the same, otherwise in quotes.
enum YAMLScalar {
    /// Returns a value on one line; collections must be empty.
    static func inline(_ node: DefinitionNode) -> String {
        switch node.content {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .number(let number): number
        case .string(let text): isPlain(text) && meansItself(text) ? text : quoted(text)
        case .list: "[]"
        case .map: "{}"
        }
    }

    /// Returns a key. Every plain key is text, except `<<`, which would be a merge key.
    static func key(_ text: String) -> String {
        isPlain(text) && text != "<<" ? text : quoted(text)
    }

    /// Returns a text of several lines as a literal block: the header after the key, and the lines without indentation.
    /// Returns `nil` for texts of one line, and for texts that a block cannot hold.
    static func block(_ text: String) -> (header: String, lines: [String])? {
        let scalars = text.unicodeScalars
        guard scalars.contains("\n"), scalars.contains(where: { $0 != "\n" && $0 != " " }),
            scalars.allSatisfy({ $0 == "\n" || $0 == "\t" || isPrintable($0) })
        else { return nil }
        var lines = scalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        let isIndentationClear = scalars.first.map { !"\n \t".unicodeScalars.contains($0) } ?? false
        var header = isIndentationClear ? "|" : "|2"
        if lines.last != "" {
            header += "-"
        } else {
            lines.removeLast()
            if lines.last == "" { header += "+" }
        }
        return (header, lines)
    }

    /// Returns true if plain text is read as a string.
    private static func meansItself(_ text: String) -> Bool {
        // A number that cannot be represented is not a string either.
        guard let value = try? ScalarResolver.value(ofPlain: text), case .string = value else { return false }
        return true
    }

    /// Returns true if text can stand without quotes outside brackets (yaml.org/spec/1.1, 9.1.3).
    private static func isPlain(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, first != " ", last != " ", last != ":",
            !",[]{}#&*!|>'\"%@`?:".unicodeScalars.contains(first), scalars.allSatisfy(isPrintable)
        else { return false }
        if text == "-" || ["- ", "---", "..."].contains(where: { text.utf8.starts(with: $0.utf8) }) { return false }
        return !zip(scalars, scalars.dropFirst()).contains { left, right in
            left == ":" && right == " " || left == " " && right == "#"
        }
    }

    /// Returns true if a character stands for itself on a line: no control character, line break or byte order mark.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.allSatisfy(isPrintable) else {
            return "\"" + scalars.map(escaped).joined() + "\""
        }
        // Expressions contain many single quotes.
        if scalars.contains("'"), !scalars.contains("\""), !scalars.contains("\\") { return "\"\(text)\"" }
        return "'" + scalars.map { $0 == "'" ? "''" : String($0) }.joined() + "'"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default: break
        }
        guard !isPrintable(scalar) else { return String(scalar) }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let (letter, width) = scalar.value <= 0xFF ? ("x", 2) : scalar.value <= 0xFFFF ? ("u", 4) : ("U", 8)
        return "\\" + letter + String(repeating: "0", count: width - digits.count) + digits
    }
}
