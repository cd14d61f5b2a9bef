/// Rules for the length of files, functions and lines (STYLE: files and names).
enum LengthRules {
    static let fileLines = 500
    static let functionLines = 70
    static let lineCharacters = 120

    /// Finds files of more than 500 lines.
    static func files(_ file: SourceFile) -> [Finding] {
        guard file.lines.count > fileLines else { return [] }
        return [Finding(file.path, "\(file.lines.count) lines; \(fileLines) is the end")]
    }

    /// Finds functions of more than 70 lines, from the line of the keyword to that of the closing brace, both included.
    ///
    /// Functions are `func`, `init`, `deinit`, `subscript` and properties with a body. Blank lines and comments count;
    /// a function inside another counts for both.
    static func functions(_ file: SourceFile) -> [Finding] {
        file.outline.entries.compactMap { entry in
            let length = entry.end - entry.line + 1
            guard Declaration.bodies.contains(entry.declaration.keyword), length > functionLines else { return nil }
            let name = entry.declaration.name
            let what = entry.declaration.keyword + (name.isEmpty ? "" : " \(name)")
            return Finding(file.path, line: entry.line, "\(what) has \(length) lines; \(functionLines) is the end")
        }
    }

    /// Finds lines of more than 120 characters, in code and comments. Exempt is a line of Swift that has only a string
    /// with a comma or a parenthesis, because messages are compared to the letter.
    static func lines(_ file: SourceFile) -> [Finding] {
        let long = zip(1..., file.lines).filter { $0.1.count > lineCharacters }
        guard !long.isEmpty else { return [] }
        let masked = file.isSwift ? file.maskedLines : []
        return long.compactMap { number, line in
            let isComment = line.drop { $0 == " " }.hasPrefix("//")
            let code = masked.isEmpty ? line : masked[number - 1][...]
            guard isComment || code.contains(where: { !" ,()".contains($0) }) else { return nil }
            return Finding(file.path, line: number, "\(line.count) characters; \(lineCharacters) is the end")
        }
    }
}
