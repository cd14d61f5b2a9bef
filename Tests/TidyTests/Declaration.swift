/// The head of a declaration, read from its first line.
struct Declaration: Equatable {
    enum Access: Equatable {
        /// Visible to other targets: `package`, `public` or `open`.
        case shared
        case own
    }

    /// The keyword of the declaration: `func`, `struct`, `case` and so on.
    let keyword: String
    /// The name, or an operator's symbol; empty for an `init`.
    let name: String
    let access: Access

    static let containers: Set<String> = ["struct", "class", "enum", "protocol", "actor", "extension"]
    static let bodies: Set<String> = ["func", "init", "deinit", "subscript", "var"]

    var isContainer: Bool { Self.containers.contains(keyword) }

    /// Reads the declaration that begins on a masked line; `nil` if there is none.
    init?(line: String) {
        var rest = line[...]
        var access = Access.own
        while true {
            rest = rest.drop { $0 == " " }
            if rest.first == "@" {
                rest = Self.afterArguments(rest.dropFirst().drop(while: Self.isWordCharacter))
                continue
            }
            let word = rest.prefix(while: Self.isWordCharacter)
            guard !word.isEmpty else { return nil }
            rest = rest.dropFirst(word.count)
            let isModifier = Self.modifiers.contains(String(word))
            if isModifier || (word == "class" && Self.memberFollows(rest)) {
                let after = Self.afterArguments(rest)
                if Self.shared.contains(String(word)), after == rest { access = .shared }
                rest = after
                continue
            }
            guard Self.keywords.contains(String(word)) else { return nil }
            keyword = String(word)
            break
        }
        let name = rest.drop { $0 == " " }.prefix { $0 != " " && !"(<:={,".contains($0) }
        // An operator's name is made of the characters that end other names.
        self.name = name.isEmpty && keyword == "func" ? Self.operatorName(rest) : String(name)
        self.access = access
    }

    private static func isWordCharacter(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    /// Skips one pair of parentheses, as in `private(set)` or `@available(…)`.
    private static func afterArguments(_ text: Substring) -> Substring {
        guard text.first == "(" else { return text }
        var depth = 0
        for index in text.indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return text[text.index(after: index)...] }
        }
        return text.suffix(0)
    }

    private static func memberFollows(_ text: Substring) -> Bool {
        ["func", "var", "let", "subscript"].contains(String(text.drop { $0 == " " }.prefix(while: isWordCharacter)))
    }

    private static func operatorName(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.prefix { "<>=!+-*/%&|^~?".contains($0) })
    }

    private static let shared: Set<String> = ["package", "public", "open"]
    private static let modifiers: Set<String> = [
        "package", "public", "open", "internal", "private", "fileprivate", "static", "final", "override", "mutating",
        "nonmutating", "nonisolated", "convenience", "required", "consuming", "borrowing", "indirect", "prefix",
        "postfix", "infix", "lazy", "weak", "unowned", "isolated", "distributed",
    ]
    private static let keywords: Set<String> = [
        "func", "init", "deinit", "subscript", "var", "let", "case", "struct", "class", "enum", "protocol", "actor",
        "extension", "typealias", "associatedtype", "import", "macro",
    ]
}
