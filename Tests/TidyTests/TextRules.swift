/// Rules for words that must not be in the text of a file, including comments and strings.
///
/// The words are composed here, so that this file does not break its own rules.
enum TextRules {
    /// Finds marks of unfinished work in the code.
    static func unfinished(_ file: SourceFile) -> [Finding] {
        let words = ["TO" + "DO", "FIX" + "ME", "fatalError(\"not " + "implemented", "." + "disabled("]
        return findings(of: words, in: file) { "'\($0)': finish it, or say in an issue what is missing" }
    }

    /// Finds lines that a merge left where two changes met.
    static func mergeMarks(_ file: SourceFile) -> [Finding] {
        let marks = ["<", ">"].map { String(repeating: $0, count: 7) + " " }
        return zip(1..., file.lines).compactMap { number, line in
            marks.contains { line.hasPrefix($0) } ? Finding(file.path, line: number, "two changes met here") : nil
        }
    }

    /// Finds tests that pass time. They must wait for a condition or advance the clock. One file checks again after a
    /// while.
    static func sleeps(_ file: SourceFile) -> [Finding] {
        let isScript = file.path.hasSuffix(".sh") || file.isIn(".ci") || file.path == "Makefile"
        guard file.isIn("Tests") || isScript, file.path != "Tests/ThreadTesting/Eventually.swift" else { return [] }
        if file.mentioned([passing]).isEmpty { return [] }
        return zip(1..., file.lines).compactMap { number, line in
            let isFound = isScript ? isCommand(in: line) : isCall(in: line) || isCommand(in: line)
            return isFound ? Finding(file.path, line: number, "wait for a condition, with a deadline") : nil
        }
    }

    private static let passing = "sle" + "ep"

    /// Returns true for a call of a function that passes time. A clock of the tests may declare the one that the
    /// protocol requires.
    private static func isCall(in line: Substring) -> Bool {
        line.split(separator: passing, omittingEmptySubsequences: false).dropFirst().contains {
            $0.hasPrefix("(") || $0.hasPrefix("ForTimeInterval")
        } && !line.contains("func " + passing)
    }

    /// Returns true for the shell's command with its number of seconds.
    private static func isCommand(in line: Substring) -> Bool {
        line.split(separator: passing + " ", omittingEmptySubsequences: false).dropFirst().contains {
            $0.first.map { $0.isNumber || $0 == "$" } ?? false
        }
    }

    private static func findings(
        of words: [String], in file: SourceFile, message: (String) -> String
    ) -> [Finding] {
        let words = file.mentioned(words)
        return words.isEmpty
            ? []
            : zip(1..., file.lines).flatMap { number, line in
                words.filter { line.contains($0) }.map { Finding(file.path, line: number, message($0)) }
            }
    }
}
