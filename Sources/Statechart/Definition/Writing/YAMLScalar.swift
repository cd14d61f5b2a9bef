import WorkflowJSON

/// How single values stand in YAML: plain where that means the same, in quotes where it would mean something else.
enum YAMLScalar {
    /// A value on one line; collections must be empty.
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

    /// A key; it is text whatever it looks like, but `<<` would be a merge key.
    static func key(_ text: String) -> String {
        isPlain(text) && text != "<<" ? text : quoted(text)
    }

    /// A text of several lines as a literal block: what follows the key, and the lines without their indentation. Nil
    /// for texts of one line, and for those that a block cannot hold.
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

    /// Whether plain text means a string, and this one.
    private static func meansItself(_ text: String) -> Bool {
        // A number that cannot be kept is none of a string either.
        guard let value = try? ScalarResolver.value(ofPlain: text), case .string = value else { return false }
        return true
    }

    /// Whether text can stand without quotes outside of brackets (yaml.org/spec/1.1, 9.1.3).
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

    /// Whether a character stands for itself on a line: no control character, no line break, no byte order mark.
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
        // Expressions are full of single quotes.
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
