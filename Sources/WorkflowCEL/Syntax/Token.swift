/// The smallest part of an expression that means something.
struct Token: Sendable {
    enum Kind: Sendable, Equatable {
        case name(String)
        /// Between backquotes: only as a field.
        case quotedName(String)
        /// Without its sign.
        case int(UInt64)
        case uint(UInt64)
        case double(Double)
        case string(String)
        case bytes([UInt8])
        case symbol(Symbol)
        /// Not a token of the language; the lexer has said so.
        case invalid
        case end
    }

    let kind: Kind
    /// In bytes of UTF-8.
    let range: Range<Int>
}

/// Operators and punctuation.
enum Symbol: String, Sendable {
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"
    case dot = "."
    case comma = ","
    case colon = ":"
    case question = "?"
    case plus = "+"
    case minus = "-"
    case star = "*"
    case slash = "/"
    case percent = "%"
    case not = "!"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
}

/// Words that cannot be the names of variables and functions.
enum ReservedWord {
    /// Operators and values that are written as words; they cannot be fields after a point either.
    static let keywords: Set<String> = ["false", "in", "null", "true"]
    /// Kept for later by the language (https://github.com/google/cel-spec/blob/master/doc/langdef.md, "Syntax").
    static let reserved: Set<String> = [
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
        "namespace", "return", "var", "void", "while",
    ]
}
