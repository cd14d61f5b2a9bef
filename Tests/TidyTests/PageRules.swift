import ManualTesting

/// Rules for every page of the manual.
enum PageRules {
    static let sentenceWords = 25
    static let readmeBytes = 6_144

    /// Finds links to files of ours, and to headings in them, that do not exist. Links elsewhere are not followed.
    static func links(
        _ page: ManualPage, exists: (String) -> Bool, anchors: (String) -> Set<String>
    ) -> [Finding] {
        page.links.compactMap { number, target in
            guard !target.contains("://") else { return nil }
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let path = parts[0].isEmpty ? page.path : resolved(parts[0], from: page.path)
            guard exists(path) else { return Finding(page.path, line: number, "'\(target)' leads nowhere") }
            guard parts.count == 2, !anchors(path).contains(parts[1]) else { return nil }
            return Finding(page.path, line: number, "'\(path)' has no heading '#\(parts[1])'")
        }
    }

    /// Finds sentences that are too long. Code counts as a word, and so does the text of a link.
    static func sentences(_ page: ManualPage) -> [Finding] {
        page.paragraphs.flatMap { paragraph in
            sentences(of: paragraph.text).filter { $0.count > sentenceWords }.map { words in
                let beginning = words.prefix(6).joined(separator: " ")
                return Finding(
                    page.path, line: paragraph.line,
                    "'\(beginning) …' has \(words.count) words; \(sentenceWords) is the end")
            }
        }
    }

    /// Finds words that judge a thing for the reader.
    static func words(_ page: ManualPage) -> [Finding] {
        page.prose.flatMap { number, line in
            let words = line.lowercased().split { !$0.isLetter && $0 != "-" }
            return ["simply", "just", "easily"].filter { words.contains($0[...]) }.map {
                Finding(page.path, line: number, "'\($0)': say what it does")
            }
        }
    }

    /// Finds blocks of YAML that are neither a whole definition nor marked as a fragment, and blocks of Swift that no
    /// example has.
    static func blocks(_ page: ManualPage, swift sources: [String]) -> [Finding] {
        page.blocks.compactMap { block in
            switch block.kind {
            case "yaml":
                guard isDefinition(block) == (block.name == "fragment") else { return nil }
                let message = isDefinition(block) ? "is a whole definition" : "has no 'id'; mark it with 'fragment'"
                return Finding(page.path, line: block.line, "the block \(message)")
            case "swift":
                guard !isOfAnotherLibrary(block), !sources.contains(where: { $0.contains(block.text) }) else {
                    return nil
                }
                return Finding(page.path, line: block.line, "the block stands in no file of Examples")
            case "console", "http", "json", "js", "text", "xml": return nil
            // SQLiteStoreTests.TablesPageTests runs them.
            case "sql" where page.path == "docs/tables.md": return nil
            default: return Finding(page.path, line: block.line, "nothing checks a block of '\(block.kind)'")
            }
        }
    }

    /// Returns true for code of the library that a reader comes from: on the only page that compares them, in a block
    /// that names the library first.
    static func isOfAnotherLibrary(_ block: ManualPage.Block) -> Bool {
        block.page.hasSuffix(".docc/FromOtherLibraries.md") && block.lines.first?.hasPrefix("// Before: ") == true
    }

    /// Finds indented code without fences, which no test reads. A tutorial is indented, and shows files.
    static func indented(_ page: ManualPage) -> [Finding] {
        guard !page.isTutorial else { return [] }
        return page.prose.filter { $0.line.hasPrefix("    ") }.map {
            Finding(page.path, line: $0.number, "a block of code has fences")
        }
    }

    /// Returns true if a block of YAML has a name for its machine.
    static func isDefinition(_ block: ManualPage.Block) -> Bool {
        block.lines.contains { $0.hasPrefix("id:") || $0.hasPrefix("{id:") }
    }

    /// Returns the verbs that follow a program's name in a page, in blocks and in text.
    static func verbs(of program: String, in page: ManualPage) -> [(number: Int, verb: String)] {
        zip(1..., page.lines).flatMap { number, line in
            mentions(of: program, in: line).map { (number: number, verb: $0) }
        }
    }

    private static func mentions(of program: String, in line: String) -> [String] {
        ["`\(program) ", "$ \(program) "].flatMap { marker in
            line.split(separator: marker, omittingEmptySubsequences: false).dropFirst().compactMap { rest in
                let word = rest.prefix { $0.isLetter }
                return word.isEmpty ? nil : String(word)
            }
        }
    }

    private static func sentences(of text: String) -> [[Substring]] {
        let plain = text.replacing(/`[^`]*`/, with: "code").replacing(/\]\([^)]*\)/, with: "]")
        var sentences: [[Substring]] = [[]]
        for word in plain.split(separator: " ") {
            sentences[sentences.count - 1].append(word)
            let end = word.last { !")*\"]".contains($0) }
            if let end, ".!?".contains(end) { sentences.append([]) }
        }
        return sentences
    }

    private static func resolved(_ target: String, from page: String) -> String {
        var folders = page.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") {
            if part == ".." { _ = folders.popLast() } else if part != "." { folders.append(String(part)) }
        }
        return folders.joined(separator: "/")
    }
}
