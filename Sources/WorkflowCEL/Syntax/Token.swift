/// A token of an expression.
struct Token: Sendable {
    enum Kind: Sendable, Equatable {
        case name(String)
        /// A name in backquotes, allowed only as a field.
        case quotedName(String)
        /// An integer without its sign.
        case int(UInt64)
        case uint(UInt64)
        case double(Double)
        case string(String)
        case bytes([UInt8])
        case symbol(Symbol)
        /// Text that is no token of the language. The lexer has reported it.
        case invalid
        case end
    }

    let kind: Kind
    /// The range in bytes of UTF-8.
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

/// The words that cannot be names of variables and functions.
enum ReservedWord {
    /// The operators and values that are words. Keywords also cannot be fields after a point.
    static let keywords: Set<String> = ["false", "in", "null", "true"]
    /// The words that the language reserves (https://github.com/google/cel-spec/blob/master/doc/langdef.md, "Syntax").
    static let reserved: Set<String> = [
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
        "namespace", "return", "var", "void", "while",
    ]
}
