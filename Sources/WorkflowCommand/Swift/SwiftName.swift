/// Makes Swift identifiers of the names of a definition.
enum SwiftName {
    /// Returns the name in lower camel case, or `nil` if nothing is left, as of `_`. `awaiting_payment` and
    /// `awaiting-payment` give `awaitingPayment`, `LOGGED_IN` gives `loggedIn`, `HTTPDone` gives `httpDone`.
    static func lowerCamel(_ name: String) -> String? {
        let isShouted = !name.contains(where: \.isLowercase)
        let words = name.split { "_-.".contains($0) }.map { isShouted ? $0.lowercased() : String($0) }
        guard let first = words.first else { return nil }
        let joined = beginningLow(first) + words.dropFirst().map(capitalized).joined()
        return joined.first?.isNumber == true ? "_" + joined : joined
    }

    /// Returns the name in upper camel case, for types.
    static func upperCamel(_ name: String) -> String? { lowerCamel(name).map(capitalized) }

    /// Returns the text with its first letter in upper case.
    static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// Returns the identifier as it is written in code: a keyword in backticks.
    static func written(_ identifier: String) -> String {
        keywords.contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// Returns true if a text can be an identifier that begins with a lower-case letter, or with an upper-case one for
    /// types.
    static func isIdentifier(_ text: String, ofType: Bool) -> Bool {
        guard let first = text.unicodeScalars.first, first.isASCII else { return false }
        let beginsWell = ofType ? ("A"..."Z").contains(first) : ("a"..."z").contains(first) || first == "_"
        return beginsWell && text != "_"
            && text.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0.isDigit || $0 == "_") }
    }

    /// Returns true for a type that generated code uses or the compiler adds: another type of this name would hide it.
    static func isTaken(type name: String) -> Bool { takenTypes.contains(name) || name.hasSuffix("CodingKeys") }

    /// The members that the compiler adds, which a case or a property would duplicate.
    static let takenMembers: Set<String> = ["allCases", "hashValue"]

    private static let takenTypes: Set<String> = [
        "Any", "Bool", "Codable", "CodingKey", "Context", "Decodable", "Definition", "Double", "Encodable", "Event",
        "EventValue", "Hashable", "Int", "JSONValue", "MachineDefinition", "MachineEvent", "MachineState", "Name",
        "NoContext", "NoEvent", "Protocol", "Self", "Sendable", "Set", "State", "StateMachines", "StateValue",
        "String", "Swift", "Type", "UInt", "WorkflowJSON",
    ]

    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Lowers the beginning of a word: of `HTTPDone` the letters before the last capital of the prefix; all of a word
    /// without small letters.
    private static func beginningLow(_ word: String) -> String {
        let large = word.prefix(while: \.isUppercase).count
        let isWhole = word.dropFirst(large).first?.isLetter != true
        let count = isWhole || large <= 1 ? large : large - 1
        return word.prefix(count).lowercased() + word.dropFirst(count)
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
