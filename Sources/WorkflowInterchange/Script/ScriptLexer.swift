/// A token of a script expression.
enum ScriptToken: Equatable {
    case integer(Int64)
    case double(Double)
    case string(String)
    case word(String)
    case sign(String)
    case end
}

/// Splits a script expression into tokens (ECMAScript, 12 "Lexical Grammar"), one at a time as the parser asks. The
/// meaning of a `/` depends on the token before it.
struct ScriptLexer {
    private let scalars: [Unicode.Scalar]
    private var offset = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    /// The operators and punctuation of several characters, longest first.
    private static let signs = [
        ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=",
        "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
    ].map { Array($0.unicodeScalars) }

    /// Returns the next token.
    mutating func next() throws(ScriptFailure) -> ScriptToken {
        try skipBlanks()
        guard let first = peek() else { return .end }
        if isDigit(first) || first == "." && peek(1).map(isDigit) == true { return try number() }
        if isWordStart(first) { return .word(word()) }
        switch first {
        case "'", "\"": return .string(try string(first))
        case "`": throw ScriptFailure(reason: "a template string")
        case "#", "@", "\\": throw ScriptFailure(reason: "the character '\(first)'")
        default: return .sign(sign())
        }
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        offset + distance < scalars.count ? scalars[offset + distance] : nil
    }

    private func starts(with text: [Unicode.Scalar]) -> Bool {
        scalars[offset...].starts(with: text)
    }

    private mutating func skipBlanks() throws(ScriptFailure) {
        while let scalar = peek() {
            if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
                offset += 1
            } else if starts(with: ["/", "/"]) {
                while let scalar = peek(), scalar != "\n" { offset += 1 }
            } else if starts(with: ["/", "*"]) {
                offset += 2
                while !starts(with: ["*", "/"]) {
                    guard offset < scalars.count else { throw ScriptFailure(reason: "a comment without its end") }
                    offset += 1
                }
                offset += 2
            } else {
                return
            }
        }
    }

    private mutating func word() -> String {
        let start = offset
        while let scalar = peek(), isWordStart(scalar) || scalar.properties.isIDContinue { offset += 1 }
        return text(from: start)
    }

    private mutating func sign() -> String {
        let start = offset
        // The text `a?.5:b` is a conditional expression.
        let isCondition = starts(with: ["?", "."]) && peek(2).map(isDigit) == true
        let sign = isCondition ? nil : Self.signs.first { starts(with: $0) }
        offset += sign?.count ?? 1
        return text(from: start)
    }

    private func text(from start: Int) -> String {
        String(String.UnicodeScalarView(scalars[start..<offset]))
    }

    private func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "$" || scalar == "_" || scalar.properties.isIDStart
    }

    private func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }
}

// MARK: Numbers

extension ScriptLexer {
    private mutating func number() throws(ScriptFailure) -> ScriptToken {
        let start = offset
        while let scalar = peek(), isDigit(scalar) || scalar == "." || isWordStart(scalar) || isExponentSign(start) {
            offset += 1
        }
        let text = text(from: start)
        let failure = ScriptFailure(reason: "the number \(text.quoted)")
        if let token = Self.prefixed(text) { return token }
        // The literal `010` is 8 or a mistake, `1n` has another type, and many readers do not know `1_000`.
        let isPlain = text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) }
        let isOctal = text.utf8.count > 1 && text.hasPrefix("0") && !".eE".utf8.contains(Array(text.utf8)[1])
        guard isPlain, !isOctal else { throw failure }
        if let integer = Int64(text) { return .integer(integer) }
        let complete = text.hasSuffix(".") ? text + "0" : text.replacing(".e", with: ".0e").replacing(".E", with: ".0E")
        guard let double = Double(complete), double.isFinite else { throw failure }
        return .double(double)
    }

    /// Returns true if the current character is the sign in `1e-5`.
    private func isExponentSign(_ start: Int) -> Bool {
        guard let scalar = peek(), scalar == "+" || scalar == "-", offset > start else { return false }
        let isHexadecimal = scalars[start...].starts(with: ["0", "x"]) || scalars[start...].starts(with: ["0", "X"])
        return !isHexadecimal && (scalars[offset - 1] == "e" || scalars[offset - 1] == "E")
    }

    private static func prefixed(_ text: String) -> ScriptToken? {
        let radix: Int
        switch text.prefix(2).lowercased() {
        case "0x": radix = 16
        case "0o": radix = 8
        case "0b": radix = 2
        default: return nil
        }
        guard !"+-".contains(text.dropFirst(2).first ?? "+") else { return nil }
        return Int64(text.dropFirst(2), radix: radix).map { .integer($0) }
    }
}

// MARK: Strings

extension ScriptLexer {
    private mutating func string(_ quote: Unicode.Scalar) throws(ScriptFailure) -> String {
        var units: [UInt16] = []
        offset += 1
        while let scalar = peek(), scalar != "\n" {
            offset += 1
            if scalar == quote {
                guard let text = String(validating: units, as: UTF16.self) else {
                    throw ScriptFailure(reason: "half a character")
                }
                return text
            }
            if scalar == "\\" { try escape(&units) } else { units.append(contentsOf: UTF16.encode(scalar) ?? .init()) }
        }
        throw ScriptFailure(reason: "a text without its end")
    }

    private mutating func escape(_ units: inout [UInt16]) throws(ScriptFailure) {
        guard let scalar = peek() else { return }
        offset += 1
        switch scalar {
        case "n": units.append(0x0A)
        case "t": units.append(0x09)
        case "r": units.append(0x0D)
        case "b": units.append(0x08)
        case "f": units.append(0x0C)
        case "v": units.append(0x0B)
        case "0" where peek().map(isDigit) != true: units.append(0)
        case "0"..."9": throw ScriptFailure(reason: "the escape '\\\(scalar)'")
        case "\n": break
        case "x": units.append(try unit(digits: 2))
        case "u" where peek() == "{": try codePoint(&units)
        case "u": units.append(try unit(digits: 4))
        default: units.append(contentsOf: UTF16.encode(scalar) ?? .init())
        }
    }

    private mutating func unit(digits: Int) throws(ScriptFailure) -> UInt16 {
        let start = offset
        offset = min(offset + digits, scalars.count)
        let text = text(from: start)
        guard text.utf8.count == digits, text.first != "+", let unit = UInt16(text, radix: 16) else {
            throw ScriptFailure(reason: "an escape without its digits")
        }
        return unit
    }

    private mutating func codePoint(_ units: inout [UInt16]) throws(ScriptFailure) {
        offset += 1
        let start = offset
        while let scalar = peek(), scalar != "}" { offset += 1 }
        guard let value = UInt32(text(from: start), radix: 16), let scalar = Unicode.Scalar(value) else {
            throw ScriptFailure(reason: "an escape that is no character")
        }
        offset = min(offset + 1, scalars.count)
        units.append(contentsOf: UTF16.encode(scalar) ?? .init())
    }
}
