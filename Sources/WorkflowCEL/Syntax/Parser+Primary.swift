extension Parser {
    /// Parses a value with its fields, indices and calls: `a.b`, `a[0]`, `a.f(1)`.
    mutating func member() throws(Failure) -> Syntax {
        let start = current.range.lowerBound
        var operand = try primary()
        while true {
            if take(.dot) {
                operand = try afterDot(operand, start)
            } else if current.kind == .symbol(.openBracket) {
                operand = try index(operand, start)
            } else {
                return operand
            }
        }
    }

    private mutating func afterDot(_ operand: Syntax, _ start: Int) throws(Failure) -> Syntax {
        let isOptional = take(.question)
        let field = try field()
        guard current.kind == .symbol(.openParenthesis), !isOptional else {
            return try node(.select(operand, field, isOptional: isOptional), from: start, above: [operand])
        }
        let arguments = try arguments()
        let callee = Syntax.Callee(name: field.name, range: field.range)
        if hasMacros, let macro = try macro(operand, callee, arguments, from: start) { return macro }
        return try node(.memberCall(operand, callee, arguments), from: start, above: [operand] + arguments)
    }

    private mutating func index(_ operand: Syntax, _ start: Int) throws(Failure) -> Syntax {
        let bracket = current
        advance()
        let isOptional = take(.question)
        let index = try expression()
        guard take(.closeBracket) else { throw unclosed(bracket, "']'") }
        return try node(.index(operand, index, isOptional: isOptional), from: start, above: [operand, index])
    }

    private mutating func field() throws(Failure) -> Syntax.Field {
        switch current.kind {
        case .name(let name):
            guard !ReservedWord.keywords.contains(name) else {
                throw mistake(current.range, "'\(name)' is a keyword; write ['\(name)'] in place of .\(name)")
            }
            advance()
            return Syntax.Field(name: name, range: tokens[position - 1].range)
        case .quotedName(let name):
            advance()
            return Syntax.Field(name: name, range: tokens[position - 1].range)
        default: throw unexpected("the name of a field after the point")
        }
    }

    private mutating func primary() throws(Failure) -> Syntax {
        let start = current.range.lowerBound
        switch current.kind {
        case .int(let magnitude): return try integer(magnitude)
        case .uint(let uint): return literal(.uint(uint))
        case .double(let double): return literal(.double(double))
        case .string(let string): return literal(.string(string))
        case .bytes(let bytes): return literal(.bytes(bytes))
        case .name(let name): return try named(name, isAbsolute: false, from: start)
        case .symbol(.dot):
            advance()
            guard case .name(let name) = current.kind else { throw unexpected("a name after the point") }
            return try named(name, isAbsolute: true, from: start)
        case .symbol(.openParenthesis): return try parenthesised()
        case .symbol(.openBracket): return try list()
        case .symbol(.openBrace): return try map()
        case .quotedName(let name):
            throw mistake(current.range, "a name between backquotes stands after a point, as in a.`\(name)`")
        default: throw unexpected("a value")
        }
    }

    private mutating func literal(_ value: Value) -> Syntax {
        advance()
        return leaf(.literal(value), from: tokens[position - 1].range.lowerBound)
    }

    private mutating func integer(_ magnitude: UInt64) throws(Failure) -> Syntax {
        guard let int = Int64(exactly: magnitude) else {
            issues.add(
                .syntax, current.range,
                "the integer \(magnitude) does not fit an int; write \(magnitude)u for a uint")
            return literal(.int(0))
        }
        return literal(.int(int))
    }

    /// Parses a word: a value, a variable or a function.
    private mutating func named(_ name: String, isAbsolute: Bool, from start: Int) throws(Failure) -> Syntax {
        let range = current.range
        if !isAbsolute {
            switch name {
            case "true": return literal(.bool(true))
            case "false": return literal(.bool(false))
            case "null": return literal(.null)
            default: break
            }
        }
        guard !ReservedWord.keywords.contains(name) else { throw unexpected("a value") }
        guard !ReservedWord.reserved.contains(name) else {
            let advice = name == "if" ? "write condition ? value : other" : "it cannot be a name here"
            throw mistake(range, "'\(name)' is a reserved word; \(advice)")
        }
        advance()
        guard current.kind == .symbol(.openParenthesis) else {
            return leaf(.name(name, isAbsolute: isAbsolute), from: start)
        }
        let arguments = try arguments()
        if hasMacros, name == "has", !isAbsolute { return try has(arguments, from: start) }
        let callee = Syntax.Callee(name: name, range: range, isAbsolute: isAbsolute)
        return try node(.call(callee, arguments), from: start, above: arguments)
    }

    private mutating func parenthesised() throws(Failure) -> Syntax {
        let parenthesis = current
        advance()
        do throws(Failure) {
            let inner = try expression()
            guard take(.closeParenthesis) else { throw unclosed(parenthesis, "')'") }
            return inner
        } catch {
            guard recover(to: nil), take(.closeParenthesis) else { throw error }
            return leaf(.invalid, from: parenthesis.range.lowerBound)
        }
    }
}

extension Parser {
    private mutating func arguments() throws(Failure) -> [Syntax] {
        try items(until: .closeParenthesis, mistake: { $0 }) { parser throws(Failure) in
            try parser.expression()
        }
    }

    private mutating func list() throws(Failure) -> Syntax {
        let start = current.range.lowerBound
        let elements = try items(until: .closeBracket, mistake: { Syntax.Element(value: $0, isOptional: false) }) {
            parser throws(Failure) in
            let isOptional = parser.take(.question)
            return Syntax.Element(value: try parser.expression(), isOptional: isOptional)
        }
        return try node(.list(elements), from: start, above: elements.map(\.value))
    }

    private mutating func map() throws(Failure) -> Syntax {
        let start = current.range.lowerBound
        let entries = try items(
            until: .closeBrace, mistake: { Syntax.Entry(key: $0, value: $0, isOptional: false) }
        ) { parser throws(Failure) in
            let isOptional = parser.take(.question)
            let key = try parser.expression()
            guard parser.take(.colon) else { throw parser.unexpected("':' and a value after the key") }
            return Syntax.Entry(key: key, value: try parser.expression(), isOptional: isOptional)
        }
        return try node(.map(entries), from: start, above: entries.flatMap { [$0.key, $0.value] })
    }

    /// Parses the items between brackets, separated by commas.
    ///
    /// - Parameter mistake: The substitute for an item with a mistake.
    private mutating func items<Item>(
        until closing: Symbol, mistake: (Syntax) -> Item, _ item: (inout Parser) throws(Failure) -> Item
    ) throws(Failure) -> [Item] {
        let bracket = current
        advance()
        var items: [Item] = []
        if take(closing) { return items }
        while true {
            let start = current.range.lowerBound
            do throws(Failure) {
                items.append(try item(&self))
                guard take(closing) || take(.comma) else { throw unclosed(bracket, "',' or '\(closing.rawValue)'") }
            } catch {
                guard recover(to: closing) else { throw error }
                items.append(mistake(leaf(.invalid, from: start)))
                advance()
            }
            if tokens[position - 1].kind == .symbol(closing) { return items }
            // Lists and maps may end with a comma; arguments may not.
            if closing != .closeParenthesis, take(closing) { return items }
        }
    }

    /// Skips to the next comma or closing bracket of this level, or only to the closing parenthesis. Returns false if
    /// there is none.
    private mutating func recover(to closing: Symbol?) -> Bool {
        var open = 0
        while !isAborted, !issues.isFull {
            switch current.kind {
            case .end: return false
            case .symbol(.openParenthesis), .symbol(.openBracket), .symbol(.openBrace): open += 1
            case .symbol(.comma) where open == 0 && closing != nil: return true
            case .symbol(closing ?? .closeParenthesis) where open == 0: return true
            case .symbol(.closeParenthesis), .symbol(.closeBracket), .symbol(.closeBrace):
                guard open > 0 else { return false }
                open -= 1
            default: break
            }
            advance()
        }
        return false
    }
}
