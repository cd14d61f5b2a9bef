/// Words that must not stand in the text of a file, comments and strings included.
///
/// The words are put together here, so that this file does not break its own rules.
enum TextRules {
    /// Nothing is left for later in the code.
    static func unfinished(_ file: SourceFile) -> [Finding] {
        let words = ["TO" + "DO", "FIX" + "ME", "fatalError(\"not " + "implemented", "." + "disabled("]
        return findings(of: words, in: file) { "'\($0)': finish it, or say in an issue what is missing" }
    }

    /// Tests wait for a condition or advance the clock; they never pass time. One file looks again after a while.
    static func sleeps(_ file: SourceFile) -> [Finding] {
        let isScript = file.path.hasSuffix(".sh") || file.isIn(".ci") || file.path == "Makefile"
        guard file.isIn("Tests") || isScript, file.path != "Tests/ThreadTesting/Eventually.swift" else { return [] }
        return zip(1..., file.lines).compactMap { number, line in
            let isFound = isScript ? isCommand(in: line) : isCall(in: line) || isCommand(in: line)
            return isFound ? Finding(file.path, line: number, "wait for a condition, with a deadline") : nil
        }
    }

    private static let passing = "sle" + "ep"

    /// A call of any function that passes time; a clock of the tests may declare the one that the protocol asks for.
    private static func isCall(in line: Substring) -> Bool {
        line.split(separator: passing, omittingEmptySubsequences: false).dropFirst().contains {
            $0.hasPrefix("(") || $0.hasPrefix("ForTimeInterval")
        } && !line.contains("func " + passing)
    }

    /// The command of a shell with its number of seconds.
    private static func isCommand(in line: Substring) -> Bool {
        line.split(separator: passing + " ", omittingEmptySubsequences: false).dropFirst().contains {
            $0.first.map { $0.isNumber || $0 == "$" } ?? false
        }
    }

    private static func findings(
        of words: [String], in file: SourceFile, message: (String) -> String
    ) -> [Finding] {
        zip(1..., file.lines).flatMap { number, line in
            words.filter { line.contains($0) }.map { Finding(file.path, line: number, message($0)) }
        }
    }
}
