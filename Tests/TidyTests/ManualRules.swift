import Foundation

/// Rules for facts about the repository in the manuals.
enum ManualRules {
    static let architectureLines = 150

    /// Finds paths in backticks that do not exist. A path has a slash or one of our endings. A text that begins with a
    /// slash, a dollar, a tilde or a dash is a path elsewhere, a variable or an option. A text with a blank, a star or
    /// a colon is no path.
    static func paths(_ file: SourceFile, exists: (String) -> Bool) -> [Finding] {
        zip(1..., file.lines).flatMap { number, line in
            codeSpans(line).filter(isPath).filter { !exists($0) }
                .map { Finding(file.path, line: number, "'\($0)' does not exist") }
        }
    }

    /// Finds a file that is too long for a map.
    static func length(_ file: SourceFile) -> [Finding] {
        guard file.lines.count >= architectureLines else { return [] }
        return [Finding(file.path, "\(file.lines.count) lines; it stays under \(architectureLines)")]
    }

    /// Finds commands in blocks, as `$ wfctl VERB` and `$ make TARGET`, whose verb or target does not exist.
    static func commands(_ file: SourceFile, verbs: Set<String>, targets: Set<String>) -> [Finding] {
        zip(1..., file.lines).compactMap { number, line in
            let words = line.split(separator: " ")
            guard words.count > 2, words[0] == "$" else { return nil }
            let known: Set<String>
            switch words[1] {
            case "wfctl": known = verbs
            case "make": known = targets
            default: return nil
            }
            // Options of all verbs may stand before the verb; a verb does not begin with a dash.
            guard let word = words.dropFirst(2).prefix(while: { $0 != "|" }).first(where: { !$0.hasPrefix("-") }),
                !known.contains(String(word))
            else {
                return nil
            }
            return Finding(file.path, line: number, "'\(words[1]) \(word)' does not exist")
        }
    }

    /// Returns the verbs of `wfctl`, as their own files name them.
    static func verbs(in files: [SourceFile]) -> Set<String> {
        commandNames(in: files, folder: "Sources/WorkflowCommand/Verbs").union(["help"])
    }

    /// Returns the names of the commands that files of a folder declare.
    static func commandNames(in files: [SourceFile], folder: String) -> Set<String> {
        let marker = "commandName: \""
        let names = files.filter { $0.isIn(folder) }.flatMap(\.lines).compactMap { line in
            line.range(of: marker).map { line[$0.upperBound...].prefix { $0 != "\"" } }
        }
        return Set(names.map(String.init))
    }

    /// Returns the targets of a makefile.
    static func targets(in makefile: SourceFile) -> Set<String> {
        Set(
            makefile.lines.compactMap { line in
                let name = line.prefix { $0.isLetter || $0 == "-" }
                let rest = line.dropFirst(name.count)
                return !name.isEmpty && rest.hasPrefix(":") && !rest.hasPrefix(":=") ? String(name) : nil
            })
    }

    private static func codeSpans(_ line: Substring) -> [String] {
        let parts = line.split(separator: "`", omittingEmptySubsequences: false)
        return zip(0..., parts).filter { offset, _ in offset % 2 == 1 }.map { String($0.1) }
    }

    private static let endings = [".swift", ".md", ".sql", ".yaml", ".service", ".conf", ".sh", ".resolved"]

    private static func isPath(_ text: String) -> Bool {
        guard let first = text.first, !"/$~-".contains(first) else { return false }
        guard text.contains("/") || endings.contains(where: { text.hasSuffix($0) }) else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || "._-+/".contains($0) }
    }
}
