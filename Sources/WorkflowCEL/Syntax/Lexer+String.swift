/// The notation of a string.
private struct StringForm {
    let isBytes: Bool
    let isRaw: Bool
    let quote: UInt8
    /// True for three quotes on each side; such a string may contain line breaks.
    let isTripled: Bool
}

extension Lexer {
    /// The number of letters before the quote of a string that begins here.
    var stringPrefixLength: Int {
        guard let first = peek(), let second = peek(1) else { return 0 }
        let isBytes = first | 0x20 == UInt8(ascii: "b")
        let isRaw = first | 0x20 == UInt8(ascii: "r")
        if isBytes || isRaw, second.isQuote { return 1 }
        return isBytes && second | 0x20 == UInt8(ascii: "r") && peek(2)?.isQuote == true ? 2 : 0
    }

    /// Reads a string: `'a'`, `"a"`, `'''a'''`, `r'a'`, `b'a'`, `br'a'`.
    mutating func string(prefixLength: Int) -> Token.Kind {
        let start = offset
        let form = openingQuote(prefixLength)
        var bytes: [UInt8] = []
        var isWhole = true
        while !isClosed(form) {
            guard let byte = peek(), form.isTripled || (byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\r")) else {
                return unterminated(form, start)
            }
            if byte == UInt8(ascii: "\\"), !form.isRaw {
                if !escape(form, into: &bytes) { isWhole = false }
            } else {
                bytes.append(byte)
                offset += 1
            }
        }
        if form.isBytes { return .bytes(bytes) }
        return .string(isWhole ? String(decoding: bytes, as: UTF8.self) : "")
    }

    private mutating func openingQuote(_ prefixLength: Int) -> StringForm {
        let prefix = source.bytes[offset..<offset + prefixLength].map { $0 | 0x20 }
        offset += prefixLength
        let quote = source.bytes[offset]
        let isTripled = peek(1) == quote && peek(2) == quote
        offset += isTripled ? 3 : 1
        return StringForm(
            isBytes: prefix.contains(UInt8(ascii: "b")), isRaw: prefix.contains(UInt8(ascii: "r")), quote: quote,
            isTripled: isTripled)
    }

    /// Takes the closing quote. Returns false if it is not here.
    private mutating func isClosed(_ form: StringForm) -> Bool {
        guard peek() == form.quote else { return false }
        if !form.isTripled {
            offset += 1
            return true
        }
        guard peek(1) == form.quote, peek(2) == form.quote else { return false }
        offset += 3
        return true
    }

    private mutating func unterminated(_ form: StringForm, _ start: Int) -> Token.Kind {
        let quote = String(repeating: Character(Unicode.Scalar(form.quote)), count: form.isTripled ? 3 : 1)
        let place = offset < source.bytes.count ? "its line" : "the expression"
        issues.add(.syntax, start..<offset, "the string has no closing \(quote) before the end of \(place)")
        return .invalid
    }
}

extension Lexer {
    /// Reads an escape. Reports an invalid escape and returns false.
    private mutating func escape(_ form: StringForm, into bytes: inout [UInt8]) -> Bool {
        let start = offset
        offset += 1
        guard let byte = peek() else { return false }
        if let plain = Self.plainByte(of: byte) {
            offset += 1
            bytes.append(plain)
            return true
        }
        switch byte {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): return code(form, start, digits: 2, into: &bytes)
        case UInt8(ascii: "u"): return code(form, start, digits: 4, into: &bytes)
        case UInt8(ascii: "U"): return code(form, start, digits: 8, into: &bytes)
        case UInt8(ascii: "0")...UInt8(ascii: "3"): return octal(form, start, into: &bytes)
        default:
            let found = found()
            skipCharacter()
            issues.add(
                .syntax, start..<offset,
                "a backslash is followed by one of abfnrtv\\?'\"`, x, u, U or three octal digits, found \(found); "
                    + "write \\\\ for a backslash")
            return false
        }
    }

    private mutating func code(_ form: StringForm, _ start: Int, digits: Int, into bytes: inout [UInt8]) -> Bool {
        let letter = source.text(in: offset..<offset + 1)
        offset += 1
        var code: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = peek()?.hexadecimalDigit else {
                issues.add(
                    .syntax, start..<offset,
                    "'\\\(letter)' wants \(digits) hexadecimal digits, found \(found())")
                return false
            }
            code = code << 4 | digit
            offset += 1
        }
        return append(code, digits == 2, form, start, into: &bytes)
    }

    private mutating func octal(_ form: StringForm, _ start: Int, into bytes: inout [UInt8]) -> Bool {
        var code: UInt32 = 0
        for _ in 0..<3 {
            guard let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else {
                issues.add(
                    .syntax, start..<offset, "an octal escape has three digits, \\000 to \\377, found \(found())")
                return false
            }
            code = code << 3 | UInt32(byte - UInt8(ascii: "0"))
            offset += 1
        }
        return append(code, true, form, start, into: &bytes)
    }

    /// Appends an escape: one byte in a bytes literal, a code point in a string.
    private mutating func append(
        _ code: UInt32, _ isByte: Bool, _ form: StringForm, _ start: Int, into bytes: inout [UInt8]
    ) -> Bool {
        if form.isBytes {
            guard isByte else {
                issues.add(
                    .syntax, start..<offset,
                    "bytes have no code points; write each byte as \\xFF, found '\(source.text(in: start..<offset))'")
                return false
            }
            bytes.append(UInt8(truncatingIfNeeded: code))
            return true
        }
        guard let scalar = Unicode.Scalar(code) else {
            issues.add(.syntax, start..<offset, "'\(source.text(in: start..<offset))' is no Unicode code point")
            return false
        }
        bytes.append(contentsOf: String(Character(scalar)).utf8)
        return true
    }

    private mutating func skipCharacter() {
        offset += 1
        while let byte = peek(), byte & 0xC0 == 0x80 { offset += 1 }
    }

    private static func plainByte(of escaped: UInt8) -> UInt8? {
        switch escaped {
        case UInt8(ascii: "a"): 0x07
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "v"): 0x0B
        case UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): escaped
        default: nil
        }
    }
}
