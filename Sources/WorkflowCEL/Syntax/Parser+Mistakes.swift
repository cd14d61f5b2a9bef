extension Parser {
    /// Reports a mistake.
    mutating func mistake(_ range: Range<Int>, _ message: String) -> Failure {
        issues.add(.syntax, range, message)
        return Failure()
    }

    /// Reports an unexpected token at the current position.
    mutating func unexpected(_ expected: String) -> Failure {
        if case .invalid = current.kind { return Failure() }
        if position > 0, case .name("not") = tokens[position - 1].kind {
            return mistake(tokens[position - 1].range, "found 'not', did you mean '!'?")
        }
        if let advice { return mistake(current.range, advice) }
        return mistake(current.range, "expected \(expected), found \(found)\(quotes)")
    }

    /// Reports that a bracket is not closed here.
    mutating func unclosed(_ bracket: Token, _ expected: String) -> Failure {
        let (line, column) = source.location(of: bracket.range.lowerBound)
        let open = source.text(in: bracket.range)
        let place = line == 1 ? "column \(column)" : "line \(line), column \(column)"
        return unexpected("\(expected) for the '\(open)' at \(place)")
    }

    /// Reports that the expression is nested too deeply, and ends the parsing.
    mutating func tooDeep(_ range: Range<Int>) -> Failure {
        isAborted = true
        issues.add(.limit, range, "the expression is nested deeper than \(CELLimits.nesting) levels")
        return Failure()
    }

    private var found: String {
        switch current.kind {
        case .end: "the end of the expression"
        case .string, .bytes: source.excerpt(of: current.range)
        default: "'\(source.excerpt(of: current.range))'"
        }
    }

    /// The hint for consecutive words, as in a string without quotes; otherwise empty.
    private var quotes: String {
        guard position > 0, case .name = tokens[position - 1].kind else { return "" }
        switch current.kind {
        case .name, .symbol(.comma), .symbol(.not): return source.missingQuotes(around: 0..<source.bytes.count)
        default: return ""
        }
    }

    /// The suggestion for the current token if a value or an operator should stand here.
    private var advice: String? {
        guard position > 0 else { return nil }
        switch current.kind {
        case .name(let word):
            return Self.operatorWords[word.lowercased()].map { "found '\(word)', did you mean '\($0)'?" }
        case .symbol(.question) where tokens[position - 1].kind == .symbol(.question):
            return "found '??', did you mean 'orValue', as in a.?b.orValue(0)?"
        case .symbol(.openBrace):
            guard case .name = tokens[position - 1].kind else { return nil }
            return "found '{' after a name; there are no message types, write a map as in {'key': value}"
        case .symbol(let symbol):
            guard tokens[position - 1].kind == current.kind else { return nil }
            switch symbol {
            case .star: return "found '**', which is no operator; write math.pow(a, b)"
            case .plus: return "found '\(symbol.rawValue)\(symbol.rawValue)', which is no operator"
            default: return nil
            }
        default: return nil
        }
    }

    private static let operatorWords = [
        "and": "&&", "or": "||", "not": "!", "is": "==", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
        "ge": ">=", "mod": "%", "div": "/",
    ]
}
