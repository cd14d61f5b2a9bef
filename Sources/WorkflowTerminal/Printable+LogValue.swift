extension Printable {
    /// Returns the text as the value of a field in a log, by the rules of logfmt (https://brandur.org/logfmt). Quotes
    /// the value if a reader could not find its end. Escapes unsafe characters as in JSON.
    package static func logValue(_ text: String) -> String {
        let quoting: Set<Unicode.Scalar> = [" ", "\"", "="]
        if !text.isEmpty, text.unicodeScalars.allSatisfy({ !isUnsafe($0) && !quoting.contains($0) }) { return text }
        let escapes: [Unicode.Scalar: String] = [
            "\\": "\\\\", "\"": "\\\"", "\n": "\\n", "\r": "\\r", "\t": "\\t",
        ]
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if let escape = escapes[scalar] { quoted += escape } else { quoted.unicodeScalars.append(scalar) }
        }
        return json(quoted + "\"")
    }
}
