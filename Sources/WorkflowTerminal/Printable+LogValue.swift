extension Printable {
    /// The text as the value of a field in a log: by the rules of logfmt, in quotes where a reader could not tell where
    /// it ends (https://brandur.org/logfmt). What is unsafe is escaped as in JSON.
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
