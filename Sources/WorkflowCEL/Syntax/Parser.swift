/// Parses an expression by recursive descent, and binary operators by precedence climbing.
///
/// After a mistake within brackets, the parser continues after the next comma or closing bracket, so one run finds
/// several mistakes.
struct Parser {
    /// A reported mistake. A caller that can continue catches it.
    struct Failure: Error {}

    let source: SourceText
    let tokens: [Token]
    let hasMacros: Bool
    var issues: IssueList
    var position = 0
    private var depth = 0
    /// True after a limit was reached: parsing has ended.
    var isAborted = false

    /// Returns the expression in a text, or `nil` if there is none, and the mistakes.
    static func parse(_ source: SourceText, hasMacros: Bool = true) -> (syntax: Syntax?, issues: IssueList) {
        guard source.bytes.count <= CELLimits.sourceBytes else {
            var issues = IssueList(of: source)
            issues.add(
                .limit, 0..<0,
                "the expression is \(source.bytes.count) bytes long, more than \(CELLimits.sourceBytes)")
            return (nil, issues)
        }
        let (tokens, issues) = Lexer.tokens(of: source)
        var parser = Parser(source: source, tokens: tokens, hasMacros: hasMacros, issues: issues)
        return (parser.whole(), parser.issues)
    }

    private mutating func whole() -> Syntax? {
        do throws(Failure) {
            let syntax = try expression()
            guard current.kind == .end else { throw unexpected("an operator or the end of the expression") }
            return syntax
        } catch {
            return nil
        }
    }

    /// Parses an expression: `a`, `a ? b : c`.
    mutating func expression() throws(Failure) -> Syntax {
        let start = current.range.lowerBound
        depth += 1
        defer { depth -= 1 }
        guard depth <= CELLimits.nesting else { throw tooDeep(current.range) }
        let condition = try binary(above: 0)
        let question = current.range
        guard take(.question) else { return condition }
        let isChaining = current.kind == .symbol(.dot) && current.range.lowerBound == question.upperBound
        let first = try binary(above: 0)
        guard take(.colon) else {
            if isChaining {
                throw mistake(question.lowerBound..<question.upperBound + 1, "found '?.', did you mean '.?'?")
            }
            throw unexpected("':' and what the value is otherwise")
        }
        let second = try expression()
        return try node(.conditional(condition, first, second), from: start, above: [condition, first, second])
    }

    /// Parses the operators that bind more tightly than a level, and their operands.
    private mutating func binary(above level: Int) throws(Failure) -> Syntax {
        let start = current.range.lowerBound
        var left = try unary()
        while let (infix, precedence) = infix(), precedence > level {
            switch infix {
            case .and, .or:
                let symbol: Symbol = infix == .and ? .and : .or
                var terms = [left]
                while take(symbol) { terms.append(try binary(above: precedence)) }
                left = try node(infix == .and ? .conjunction(terms) : .disjunction(terms), from: start, above: terms)
            case .operator(let binaryOperator):
                advance()
                let right = try binary(above: precedence)
                left = try node(.binary(binaryOperator, left, right), from: start, above: [left, right])
            }
        }
        return left
    }

    /// Parses unary operators: `!a`, `-a`. A sequence of them needs no recursion.
    private mutating func unary() throws(Failure) -> Syntax {
        var signs: [Token] = []
        while current.kind == .symbol(.not) || current.kind == .symbol(.minus) {
            signs.append(current)
            advance()
            guard signs.count <= CELLimits.nesting else { throw tooDeep(signs[0].range) }
        }
        var operand: Syntax
        if let sign = signs.last, sign.kind == .symbol(.minus), let number = negativeNumber(sign.range.lowerBound) {
            signs.removeLast()
            operand = number
        } else {
            operand = try member()
        }
        for sign in signs.reversed() {
            let kind: Syntax.Kind = sign.kind == .symbol(.not) ? .not(operand) : .negation(operand)
            operand = try node(kind, from: sign.range.lowerBound, above: [operand])
        }
        return operand
    }

    /// Parses the number after a minus, so that the smallest integer can be written. Returns `nil` if the number has a
    /// member or index, which binds more tightly.
    private mutating func negativeNumber(_ start: Int) -> Syntax? {
        let next = position + 1 < tokens.count ? tokens[position + 1].kind : .end
        guard next != .symbol(.dot), next != .symbol(.openBracket) else { return nil }
        let value: Value
        switch current.kind {
        case .int(let magnitude) where magnitude <= Int64.min.magnitude:
            value = .int(magnitude == Int64.min.magnitude ? .min : -Int64(magnitude))
        case .double(let double): value = .double(-double)
        default: return nil
        }
        advance()
        return leaf(.literal(value), from: start)
    }
}

extension Parser {
    /// A binary operator.
    private enum Infix: Equatable {
        case and, or
        case `operator`(BinaryOperator)
    }

    /// Returns the operator at the current position and its precedence.
    private func infix() -> (Infix, precedence: Int)? {
        switch current.kind {
        case .name("in"): (.operator(.isIn), 3)
        case .symbol(.or): (.or, 1)
        case .symbol(.and): (.and, 2)
        case .symbol(let symbol):
            switch symbol {
            case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
                BinaryOperator(rawValue: symbol.rawValue).map { (.operator($0), 3) }
            case .plus, .minus: BinaryOperator(rawValue: symbol.rawValue).map { (.operator($0), 4) }
            case .star, .slash, .percent: BinaryOperator(rawValue: symbol.rawValue).map { (.operator($0), 5) }
            default: nil
            }
        default: nil
        }
    }
}

extension Parser {
    var current: Token { tokens[position] }

    /// The end of the previous token.
    var lastEnd: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    mutating func advance() {
        if position + 1 < tokens.count { position += 1 }
    }

    /// Takes a symbol. Returns false if another token stands here.
    mutating func take(_ symbol: Symbol) -> Bool {
        guard current.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    /// Returns a node with these parts that ends at the last token.
    mutating func node(_ kind: Syntax.Kind, from start: Int, above parts: [Syntax]) throws(Failure) -> Syntax {
        let range = start..<max(start, lastEnd)
        let height = (parts.map(\.height).max() ?? 0) + 1
        guard height <= CELLimits.nesting else { throw tooDeep(range) }
        return Syntax(kind: kind, range: range, height: height)
    }

    /// Returns a node without parts that ends at the last token.
    func leaf(_ kind: Syntax.Kind, from start: Int) -> Syntax {
        Syntax(kind: kind, range: start..<max(start, lastEnd), height: 1)
    }
}
