/// The caller's preferences for an answer: the header `Prefer` (RFC 7240). Unknown and malformed ones are ignored.
package struct Preferences: Sendable, Equatable {
    /// True if the answer may omit data that the caller does not need (section 4.2).
    package private(set) var isMinimal = false

    /// Reads the header's value, in which several headers are joined by commas.
    package init(_ header: String) {
        // Nearly all callers with a preference send this one.
        if header == "return=minimal" {
            isMinimal = true
            return
        }
        var rest = Substring(header).utf8[...]
        while let element = Self.cut(&rest, at: UInt8(ascii: ",")) {
            var parameters = element[...]
            guard let preference = Self.cut(&parameters, at: UInt8(ascii: ";")),
                let (name, value) = Self.pair(preference), name.lowercased() == "return"
            else { continue }
            // If a preference is repeated, the first one counts.
            isMinimal = value.lowercased() == "minimal"
            return
        }
    }

    /// Removes and returns the text up to a separator; `nil` at the end. Quoted text has no separators.
    private static func cut(_ rest: inout Substring.UTF8View, at separator: UInt8) -> Substring.UTF8View? {
        if rest.isEmpty { return nil }
        var (isQuoted, isEscaped) = (false, false)
        let end = rest.firstIndex { byte in
            defer { isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\") }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            return byte == separator && !isQuoted
        }
        defer { rest = end.map { rest[rest.index(after: $0)...] } ?? rest[rest.endIndex...] }
        return rest[..<(end ?? rest.endIndex)]
    }

    /// Returns the name and the value of a preference, which may be in quotes; `nil` if it has no value.
    private static func pair(_ preference: Substring.UTF8View) -> (name: Substring, value: Substring)? {
        guard let equals = preference.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = trimmed(preference[..<equals])
        var value = trimmed(preference[preference.index(after: equals)...])
        if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
            value = value.dropFirst().dropLast()
        }
        return (Substring(name), Substring(value))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let text = text.drop(while: isBlank)
        return text.lastIndex { !isBlank($0) }.map { text[...$0] } ?? text.prefix(0)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
