/// Parses a script expression: literals, names, members, `In`, and operators without side effects. Any other part of
/// ECMAScript (calls, assignments, functions …) throws a failure that names it.
struct ScriptParser {
    private var lexer: ScriptLexer
    private var token = ScriptToken.end
    private var nesting = 0
    private var operators = 0

    /// Returns the expression of a text.
    static func expression(_ text: String) throws(ScriptFailure) -> ScriptExpression {
        var parser = ScriptParser(lexer: ScriptLexer(text))
        try parser.advance()
        if parser.token == .end { throw ScriptFailure(reason: "there is nothing in it") }
        let expression = try parser.conditional()
        guard parser.token == .end else { throw parser.unexpected() }
        return expression
    }

    private mutating func advance() throws(ScriptFailure) {
        token = try lexer.next()
    }

    private mutating func take(_ sign: String) throws(ScriptFailure) -> Bool {
        guard token == .sign(sign) else { return false }
        try advance()
        return true
    }

    private mutating func expect(_ sign: String) throws(ScriptFailure) {
        guard try take(sign) else { throw unexpected() }
    }

    private mutating func countOperator() throws(ScriptFailure) {
        operators += 1
        guard operators <= ImportLimits.scriptOperators else {
            throw ScriptFailure(reason: "more than \(ImportLimits.scriptOperators) operators")
        }
    }

    /// Returns a failure that names the unexpected token.
    private func unexpected() -> ScriptFailure {
        switch token {
        case .end: return ScriptFailure(reason: "it ends too early")
        case .sign("="), .sign("++"), .sign("--"): return ScriptFailure(reason: "an assignment")
        case .sign("=>"): return ScriptFailure(reason: "a function")
        case .sign(let sign):
            let isAssignment = sign.count > 1 && sign.hasSuffix("=") && ScriptOperator(rawValue: sign) == nil
            return ScriptFailure(reason: isAssignment ? "an assignment" : "'\(sign)'")
        case .word(let word): return ScriptFailure(reason: word.quoted)
        case .string(let text): return ScriptFailure(reason: "the text \(text.quoted) at this place")
        case .integer, .double: return ScriptFailure(reason: "a number at this place")
        }
    }
}

// MARK: Operators

extension ScriptParser {
    private mutating func conditional() throws(ScriptFailure) -> ScriptExpression {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= ImportLimits.scriptNesting else {
            throw ScriptFailure(reason: "more than \(ImportLimits.scriptNesting) levels")
        }
        let condition = try binary(1)
        guard try take("?") else { return condition }
        let first = try conditional()
        try expect(":")
        return .conditional(condition, first, try conditional())
    }

    private mutating func binary(_ precedence: Int) throws(ScriptFailure) -> ScriptExpression {
        var left = try unary()
        while case .sign(let sign) = token, let next = ScriptOperator(rawValue: sign), next.precedence >= precedence {
            try countOperator()
            try advance()
            left = .binary(next, left, try binary(next.precedence + 1))
        }
        return left
    }

    private mutating func unary() throws(ScriptFailure) -> ScriptExpression {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= ImportLimits.scriptNesting else {
            throw ScriptFailure(reason: "more than \(ImportLimits.scriptNesting) levels")
        }
        if try take("!") { return .not(try unary()) }
        if try take("-") {
            switch try unary() {
            case .integer(let integer): return .integer(-integer)
            case .double(let double): return .double(-double)
            case let operand: return .negative(operand)
            }
        }
        if try take("+") {
            let operand = try unary()
            switch operand {
            case .integer, .double: return operand
            default: throw ScriptFailure(reason: "'+' before its only operand")
            }
        }
        return try postfix()
    }
}

// MARK: Operands

extension ScriptParser {
    private mutating func postfix() throws(ScriptFailure) -> ScriptExpression {
        var expression = try primary()
        while true {
            if try take(".") {
                try countOperator()
                guard case .word(let name) = token else { throw unexpected() }
                try advance()
                expression = .member(expression, name)
            } else if try take("[") {
                try countOperator()
                let key = try conditional()
                try expect("]")
                expression = .element(expression, key)
            } else if token == .sign("(") {
                expression = try call(of: expression)
            } else {
                return expression
            }
        }
    }

    private mutating func call(of function: ScriptExpression) throws(ScriptFailure) -> ScriptExpression {
        guard function == .name("In") else { return try knownCall(of: function) }
        try advance()
        guard case .string(let id) = token else {
            throw ScriptFailure(reason: "'In' of anything but a state's id in quotes")
        }
        try advance()
        try expect(")")
        return .isActive(id)
    }

    private mutating func knownCall(of function: ScriptExpression) throws(ScriptFailure) -> ScriptExpression {
        let failure = ScriptFailure(reason: "a call of \(function.calledName.quoted)")
        if case .member(let object, "includes") = function {
            let arguments = try arguments()
            guard arguments.count == 1 else { throw failure }
            return .includes(object, arguments[0])
        }
        let isNamed = function == .name("parseInt") || function.isOfMath
        guard isNamed, let known = ScriptFunction(rawValue: function.calledName) else { throw failure }
        var arguments = try arguments()
        if known == .parseInt, arguments.count == 2, arguments[1] == .integer(10) { arguments.removeLast() }
        guard known.takes(arguments.count) else {
            throw ScriptFailure(reason: failure.reason + " with \(arguments.count) arguments")
        }
        return .call(known, arguments)
    }

    private mutating func arguments() throws(ScriptFailure) -> [ScriptExpression] {
        try advance()
        var arguments: [ScriptExpression] = []
        while token != .sign(")") {
            try countOperator()
            arguments.append(try conditional())
            guard try take(",") else { break }
        }
        try expect(")")
        return arguments
    }

    private mutating func primary() throws(ScriptFailure) -> ScriptExpression {
        switch token {
        case .integer(let integer):
            try advance()
            return .integer(integer)
        case .double(let double):
            try advance()
            return .double(double)
        case .string(let text):
            try advance()
            return .string(text)
        case .word(let word):
            let expression = try Self.meaning(of: word)
            try advance()
            return expression
        case .sign("("):
            try advance()
            let expression = try conditional()
            try expect(")")
            return expression
        case .sign("["): return try list()
        case .sign("{"): return try map()
        case .sign("/"), .sign("/="): throw ScriptFailure(reason: "a regular expression")
        case .sign, .end: throw unexpected()
        }
    }

    private static func meaning(of word: String) throws(ScriptFailure) -> ScriptExpression {
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "undefined": return .undefined
        case "function", "async": throw ScriptFailure(reason: "a function")
        case let word where reserved.contains(word): throw ScriptFailure(reason: word.quoted)
        default: return .name(word)
        }
    }

    /// The words that are no names (ECMAScript, 12.7.2), and two names of numbers that JSON lacks.
    private static let reserved: Set = [
        "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else",
        "enum", "export", "extends", "finally", "for", "if", "import", "in", "instanceof", "let", "new", "return",
        "super", "switch", "this", "throw", "try", "typeof", "var", "void", "while", "with", "yield", "NaN",
        "Infinity",
    ]

    private mutating func list() throws(ScriptFailure) -> ScriptExpression {
        try advance()
        var elements: [ScriptExpression] = []
        while token != .sign("]") {
            elements.append(try conditional())
            guard try take(",") else { break }
        }
        try expect("]")
        return .list(elements)
    }

    private mutating func map() throws(ScriptFailure) -> ScriptExpression {
        try advance()
        var members: [ScriptMember] = []
        var places: [String: Int] = [:]
        while token != .sign("}") {
            let key = try key()
            try expect(":")
            let member = ScriptMember(key: key, value: try conditional())
            // A duplicate key takes the later value, at the place of the first.
            if let place = places[key] {
                members[place] = member
            } else {
                places[key] = members.count
                members.append(member)
            }
            guard try take(",") else { break }
        }
        try expect("}")
        return .map(members)
    }

    private mutating func key() throws(ScriptFailure) -> String {
        let key: String
        switch token {
        case .word(let word): key = word
        case .string(let text): key = text
        case .integer(let integer): key = String(integer)
        default: throw unexpected()
        }
        try advance()
        return key
    }
}

extension ScriptExpression {
    fileprivate var isOfMath: Bool {
        if case .member(.name("Math"), _) = self { true } else { false }
    }

    /// The name of a called function, for messages.
    fileprivate var calledName: String {
        switch self {
        case .name(let name): name
        case .member(let object, let name): object.calledName.isEmpty ? name : object.calledName + "." + name
        default: ""
        }
    }
}
