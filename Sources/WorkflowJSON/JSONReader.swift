/// Reads JSON text (RFC 8259) strictly: no duplicate keys, no lone surrogates, no number that overflows 64 bits or a
/// finite double.
///
/// Nesting is bounded, so that no text can exhaust the stack. Costs O(n) if keys come in byte order.
public struct JSONReader {
    /// The deepest accepted nesting of arrays and objects.
    public static let deepestNesting = 128

    private let text: UnsafeBufferPointer<UInt8>
    private var offset = 0

    /// Reads the whole text as one value.
    public static func value(from text: some Collection<UInt8>) throws(JSONError) -> JSONValue {
        let result: Result<JSONValue, JSONError>? = text.withContiguousStorageIfAvailable { buffer in
            Result { () throws(JSONError) in try whole(buffer) }
        }
        guard let result else { return try value(from: Array(text)) }
        return try result.get()
    }

    /// Reads the whole text as one value.
    public static func value(from text: String) throws(JSONError) -> JSONValue {
        try value(from: Array(text.utf8))
    }

    private static func whole(_ buffer: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        var reader = JSONReader(text: buffer)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.offset == buffer.count else { throw reader.unexpected("nothing more after the value") }
        return value
    }

    private var current: UInt8? { offset < text.count ? text[offset] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
            return try number()
        default: throw unexpected("a value")
        }
    }

    private mutating func literal(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard text[offset...].starts(with: word.utf8) else { throw unexpected("a value") }
        offset += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= Self.deepestNesting else { throw tooDeep() }
        offset += 1
        var object = JSONObject()
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(object) }
        while true {
            skipSpace()
            let start = offset
            guard current == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpected("':' after the key") }
            guard object.insert(try value(depth: depth), forNewKey: key) else {
                throw failure(.syntax, "the key '\(key)' stands twice", at: start)
            }
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(object) }
            guard take(UInt8(ascii: ",")) else { throw unexpected("',' or '}'") }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= Self.deepestNesting else { throw tooDeep() }
        offset += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw unexpected("',' or ']'") }
        }
    }
}

extension JSONReader {
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            offset += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        // An integer of at most 18 bytes cannot overflow.
        if isInteger, offset - start <= 18 { return .int(shortInteger(from: start)) }
        let written = String(decoding: UnsafeBufferPointer(rebasing: text[start..<offset]), as: UTF8.self)
        if isInteger {
            guard let int = Int64(written) else {
                throw failure(.number, "the integer \(written.prefix(40)) does not fit 64 bits", at: start)
            }
            return .int(int)
        }
        guard let double = Double(written), double.isFinite else {
            throw failure(.number, "the number \(written.prefix(40)) does not fit a double", at: start)
        }
        return .double(double)
    }

    /// Returns the integer between a place and the current one, of at most 18 bytes.
    private func shortInteger(from start: Int) -> Int64 {
        let isNegative = text[start] == UInt8(ascii: "-")
        var magnitude: Int64 = 0
        for index in (isNegative ? start + 1 : start)..<offset {
            magnitude = magnitude &* 10 &+ Int64(text[index] &- UInt8(ascii: "0"))
        }
        return isNegative ? -magnitude : magnitude
    }

    private mutating func digits() throws(JSONError) {
        let start = offset
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw unexpected("a digit") }
    }

    private mutating func string() throws(JSONError) -> String {
        offset += 1
        let start = offset
        var all: UInt8 = 0
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            all |= byte
            offset += 1
        }
        if current == UInt8(ascii: "\""), all < 0x80 {
            // Plain ASCII needs neither escapes nor a UTF-8 check.
            defer { offset += 1 }
            return String(decoding: UnsafeBufferPointer(rebasing: text[start..<offset]), as: UTF8.self)
        }
        var bytes: [UInt8] = []
        if current != UInt8(ascii: "\"") {
            bytes.append(contentsOf: text[start..<offset])
            try escapedRest(into: &bytes)
        }
        let end = offset
        guard take(UInt8(ascii: "\"")) else { throw unexpected("the string's closing quote") }
        let string =
            bytes.isEmpty
            ? String(validating: text[start..<end], as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        guard let string else { throw failure(.syntax, "the string is not valid UTF-8", at: start) }
        return string
    }

    private mutating func escapedRest(into bytes: inout [UInt8]) throws(JSONError) {
        while let byte = current, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw unexpected("an escape in place of a control character") }
            offset += 1
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            try escape(into: &bytes)
        }
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(JSONError) {
        guard let byte = current else { throw unexpected("the rest of an escape") }
        if let plain = Self.plainByte(of: byte) {
            offset += 1
            bytes.append(plain)
            return
        }
        guard byte == UInt8(ascii: "u") else { throw unexpected("an escape such as \\n or \\u00e9") }
        let start = offset - 1
        offset += 1
        var code = try hexadecimal()
        if (0xD800..<0xDC00).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let low = try hexadecimal()
            guard (0xDC00..<0xE000).contains(low) else {
                throw failure(.syntax, "half of a surrogate pair", at: start)
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else {
            throw failure(.syntax, "half of a surrogate pair", at: start)
        }
        bytes.append(contentsOf: Array(String(scalar).utf8))
    }

    /// Returns the byte that a backslash and this byte stand for, or `nil` if they are not a short escape.
    private static func plainByte(of escaped: UInt8) -> UInt8? {
        switch escaped {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): escaped
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        guard offset + 4 <= text.count,
            text[offset..<offset + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let code = UInt32(String(decoding: text[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { throw unexpected("four hexadecimal digits") }
        offset += 4
        return code
    }
}

extension JSONReader {
    private func unexpected(_ expected: String) -> JSONError {
        let found =
            switch current {
            case nil: "the end of the text"
            case let byte? where byte > 0x20 && byte < 0x7F: "'\(Character(Unicode.Scalar(byte)))'"
            case let byte?: "the byte 0x" + String(byte, radix: 16)
            }
        return failure(.syntax, "expected \(expected), found \(found)", at: offset)
    }

    private func tooDeep() -> JSONError {
        failure(.depth, "nested deeper than \(Self.deepestNesting) levels", at: offset)
    }

    private func failure(_ code: JSONError.Code, _ message: String, at position: Int) -> JSONError {
        let before = text[..<position]
        let line = before.count { $0 == 0x0A } + 1
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
        return JSONError(code: code, message: message, line: line, column: column)
    }
}

/// The reason why a text is not valid JSON for wfd, with its place.
public struct JSONError: Error, Equatable, CustomStringConvertible {
    /// The kind of mistake.
    public enum Code: String, Sendable {
        /// The text is not JSON.
        case syntax
        /// The text is JSON, but a number fits neither an integer nor a double.
        case number
        /// The text is JSON, but nested too deeply.
        case depth
    }

    public let code: Code
    public let message: String
    /// The line, counted from 1.
    public let line: Int
    /// The column, counted in Unicode scalars from 1.
    public let column: Int

    public var description: String { "line \(line), column \(column): \(message)" }
}
