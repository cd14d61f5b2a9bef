/// Splits the text of an expression into tokens.
///
/// A mistake does not end the reading. The lexer reports it and substitutes the intended token if that is clear, so the
/// parser can continue and find more mistakes.
struct Lexer {
    let source: SourceText
    var issues: IssueList
    var offset = 0
    private(set) var tokens: [Token] = []

    /// Returns the tokens of a text, ending with `.end`, and the mistakes in them.
    static func tokens(of source: SourceText) -> (tokens: [Token], issues: IssueList) {
        var lexer = Lexer(source: source, issues: IssueList(of: source))
        lexer.run()
        return (lexer.tokens, lexer.issues)
    }

    private mutating func run() {
        while true {
            skipSpace()
            // With a full list of issues, reading on is useless.
            guard offset < source.bytes.count, !issues.isFull else { break }
            let start = offset
            let kind = token()
            tokens.append(Token(kind: kind, range: start..<offset))
        }
        tokens.append(Token(kind: .end, range: source.bytes.count..<source.bytes.count))
    }

    /// Returns the byte at a distance ahead; `nil` beyond the end.
    func peek(_ distance: Int = 0) -> UInt8? {
        let position = offset + distance
        return position < source.bytes.count ? source.bytes[position] : nil
    }

    private mutating func token() -> Token.Kind {
        let byte = source.bytes[offset]
        if byte.isQuote || stringPrefixLength > 0 { return string(prefixLength: stringPrefixLength) }
        if byte.isLetter { return name() }
        if byte.isDigit || (byte == UInt8(ascii: ".") && peek(1)?.isDigit == true) { return number() }
        if byte == UInt8(ascii: "`") { return quotedName() }
        return symbol()
    }

    private mutating func skipSpace() {
        while let byte = peek() {
            if byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B {
                offset += 1
            } else if byte == UInt8(ascii: "/"), peek(1) == byte {
                while let byte = peek(), byte != UInt8(ascii: "\n") { offset += 1 }
            } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                foreignComment()
            } else {
                return
            }
        }
    }

    /// Skips a comment of another language and reports it. No valid expression contains `/*`.
    private mutating func foreignComment() {
        let start = offset
        offset += 2
        while offset < source.bytes.count, !has("*/") { offset += 1 }
        offset = min(offset + 2, source.bytes.count)
        issues.add(.syntax, start..<start + 2, "found '/*'; a comment begins with //")
    }

    private mutating func name() -> Token.Kind {
        let start = offset
        while let byte = peek(), byte.isLetter || byte.isDigit { offset += 1 }
        return .name(source.text(in: start..<offset))
    }

    private mutating func quotedName() -> Token.Kind {
        let start = offset
        offset += 1
        while let byte = peek(), byte.isPartOfQuotedName { offset += 1 }
        guard peek() == UInt8(ascii: "`"), offset > start + 1 else {
            let found = found()
            while let byte = peek(), byte != UInt8(ascii: "`"), byte != UInt8(ascii: "\n") { offset += 1 }
            if peek() == UInt8(ascii: "`") { offset += 1 }
            issues.add(
                .syntax, start..<offset,
                "a field between backquotes has letters, digits, '_', '.', '-', '/' and spaces, found \(found)")
            return .invalid
        }
        offset += 1
        return .quotedName(source.text(in: start + 1..<offset - 1))
    }

    /// Returns a description of the next character, for a message.
    func found() -> String {
        guard offset < source.bytes.count else { return "the end of the expression" }
        var end = offset + 1
        while end < source.bytes.count, source.bytes[end] & 0xC0 == 0x80 { end += 1 }
        let byte = source.bytes[offset]
        if byte < 0x20 || byte == 0x7F { return "the character U+\(String(byte, radix: 16, width: 4))" }
        return "'\(source.text(in: offset..<end))'"
    }
}

extension Lexer {
    private static let symbols: [Symbol] = [
        // Long symbols come first.
        .equal, .notEqual, .lessOrEqual, .greaterOrEqual, .and, .or,
        .openParenthesis, .closeParenthesis, .openBracket, .closeBracket, .openBrace, .closeBrace, .dot, .comma, .colon,
        .question, .plus, .minus, .star, .slash, .percent, .not, .less, .greater,
    ]

    /// Operators of other languages, and the operators of this one that they mean.
    private static let foreign: [(text: String, meant: Symbol)] = [
        ("===", .equal), ("!==", .notEqual), ("<>", .notEqual), ("=>", .greaterOrEqual), ("=<", .lessOrEqual),
    ]
    private static let halves: [(text: String, meant: Symbol)] = [("=", .equal), ("&", .and), ("|", .or)]

    private mutating func symbol() -> Token.Kind {
        if let (text, meant) = Self.foreign.first(where: { has($0.text) }) {
            return mistaken(text, for: meant)
        }
        if let symbol = Self.symbols.first(where: { has($0.rawValue) }) {
            offset += symbol.rawValue.utf8.count
            return .symbol(symbol)
        }
        if let (text, meant) = Self.halves.first(where: { has($0.text) }) { return mistaken(text, for: meant) }
        return unknownCharacter()
    }

    private func has(_ text: String) -> Bool {
        source.bytes[offset...].starts(with: text.utf8)
    }

    private mutating func mistaken(_ text: String, for meant: Symbol) -> Token.Kind {
        let start = offset
        offset += text.utf8.count
        issues.add(.syntax, start..<offset, "found '\(text)', did you mean '\(meant.rawValue)'?")
        return .symbol(meant)
    }

    private mutating func unknownCharacter() -> Token.Kind {
        let start = offset
        let found = found()
        offset += 1
        while let byte = peek(), byte & 0xC0 == 0x80 { offset += 1 }
        let advice =
            switch source.text(in: start..<offset) {
            case "“", "”", "„": ", did you mean '\"'?"
            case "‘", "’", "‚": ", did you mean \"'\"?"
            case "≤": ", did you mean '<='?"
            case "≥": ", did you mean '>='?"
            case "≠": ", did you mean '!='?"
            case ";": "; an expression has no end mark"
            case "#": "; a comment begins with //"
            default: ", which means nothing here"
            }
        issues.add(.syntax, start..<offset, "found \(found)\(advice)")
        return .invalid
    }
}

extension UInt8 {
    /// True if names may begin with this byte.
    var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "_")
    }

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isQuote: Bool { self == UInt8(ascii: "'") || self == UInt8(ascii: "\"") }

    fileprivate var isPartOfQuotedName: Bool {
        isLetter || isDigit || ".-/ ".utf8.contains(self)
    }
}

extension String {
    /// Creates the text of a number, padded with leading zeros.
    init(_ number: some BinaryInteger, radix: Int, width: Int) {
        let digits = String(number, radix: radix, uppercase: true)
        self.init(repeating: "0", count: Swift.max(0, width - digits.utf8.count))
        append(digits)
    }
}
