extension Lexer {
    /// Reads a number: `12`, `0x1F`, `12u`, `1.5`, `.5`, `1e9`.
    mutating func number() -> Token.Kind {
        let start = offset
        if peek() == UInt8(ascii: "0"), (peek(1) ?? 0) | 0x20 == UInt8(ascii: "x") { return hexadecimal() }
        digits()
        var isDouble = false
        if peek() == UInt8(ascii: "."), peek(1)?.isDigit == true {
            isDouble = true
            offset += 1
            digits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e"), exponentFollows {
            isDouble = true
            offset += peek(1)?.isDigit == true ? 1 : 2
            digits()
        }
        let text = source.text(in: start..<offset)
        if isDouble {
            guard isEndOfNumber(start) else { return .invalid }
            guard let double = Double(text), double.isFinite else {
                issues.add(.syntax, start..<offset, "the number \(text) is too large for a double")
                return .double(0)
            }
            return .double(double)
        }
        return integer(UInt64(text), start)
    }

    private mutating func hexadecimal() -> Token.Kind {
        let start = offset
        offset += 2
        let first = offset
        while let byte = peek(), byte.hexadecimalDigit != nil { offset += 1 }
        guard offset > first else {
            issues.add(.syntax, start..<offset, "'0x' wants hexadecimal digits after it, as in 0x1F; found \(found())")
            return .invalid
        }
        return integer(UInt64(source.text(in: first..<offset), radix: 16), start)
    }

    /// Returns the integer whose digits end here. A `number` of `nil` stands for more than 64 bits.
    private mutating func integer(_ number: UInt64?, _ start: Int) -> Token.Kind {
        let isUnsigned = (peek() ?? 0) | 0x20 == UInt8(ascii: "u")
        if isUnsigned { offset += 1 }
        guard isEndOfNumber(start) else { return .invalid }
        guard let number else {
            let text = source.excerpt(of: start..<offset)
            issues.add(.syntax, start..<offset, "the integer \(text) does not fit 64 bits")
            return isUnsigned ? .uint(0) : .int(0)
        }
        return isUnsigned ? .uint(number) : .int(number)
    }

    private mutating func digits() {
        while let byte = peek(), byte.isDigit { offset += 1 }
    }

    private var exponentFollows: Bool {
        guard let next = peek(1) else { return false }
        if next.isDigit { return true }
        return (next == UInt8(ascii: "+") || next == UInt8(ascii: "-")) && peek(2)?.isDigit == true
    }

    /// Returns true if no letter or digit follows; otherwise reports a mistake.
    private mutating func isEndOfNumber(_ start: Int) -> Bool {
        guard let byte = peek(), byte.isLetter || byte.isDigit else { return true }
        while let byte = peek(), byte.isLetter || byte.isDigit { offset += 1 }
        issues.add(
            .syntax, start..<offset,
            "'\(source.excerpt(of: start..<offset))' is neither a number nor a name; names begin with a letter")
        return false
    }
}

extension UInt8 {
    /// The value of the byte as a hexadecimal digit.
    var hexadecimalDigit: UInt32? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
