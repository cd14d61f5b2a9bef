/// Divides a script of the schema into its statements, because a prepared statement is one.
enum SQLScript {
    /// Returns the statements of a script of ours. A statement ends with a semicolon at the end of a line, outside the
    /// body of a function, which stands between two `$$`.
    static func statements(_ script: String) -> [String] {
        var (statements, lines, isInBody): ([String], [Substring], Bool) = ([], [], false)
        for line in script.split(separator: "\n") where !line.hasPrefix("--") {
            lines.append(line)
            if line.contains("$$") { isInBody.toggle() }
            guard !isInBody, line.hasSuffix(";") else { continue }
            statements.append(lines.joined(separator: "\n"))
            lines = []
        }
        return statements
    }
}
