import WorkflowJSON

/// The meaning of plain scalars: the core schema of YAML 1.2 (yaml.org/spec/1.2.2, 10.3.2). `on`, `no`, `1:30` and
/// dates are strings.
enum ScalarResolver {
    /// The error for a scalar that looks like a number but cannot be represented.
    enum Failure: Error {
        case integerTooLarge, doubleTooLarge, notFinite
    }

    /// Returns the value of a plain scalar.
    static func value(ofPlain text: String) throws(Failure) -> JSONValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        case ".nan", ".NaN", ".NAN": throw .notFinite
        default: break
        }
        // Every number begins with a digit, a sign or a point.
        guard let first = text.utf8.first, first < UInt8(ascii: ":") else { return .string(text) }
        if let value = try integer(text) { return value }
        return try double(text) ?? .string(text)
    }

    /// Returns true if plain text means null.
    static func isNull(_ text: String) -> Bool {
        if case .null? = try? value(ofPlain: text) { true } else { false }
    }

    /// Returns the kind of value that plain text means, for messages.
    static func kind(ofPlain text: String) -> String {
        switch try? value(ofPlain: text) {
        case .null: "null"
        case .bool: "a bool"
        case .string: "a string"
        default: "a number"
        }
    }

    private static func integer(_ text: String) throws(Failure) -> JSONValue? {
        let digits: Substring
        let radix: Int
        if text.hasPrefix("0x") || text.hasPrefix("0o") {
            digits = text.dropFirst(2)
            radix = text.hasPrefix("0x") ? 16 : 8
            guard digits.utf8.allSatisfy({ Int(String(Unicode.Scalar($0)), radix: radix) != nil }) else { return nil }
        } else {
            digits = text[...]
            radix = 10
            guard withoutSign(text).utf8.allSatisfy(isDigit) else { return nil }
        }
        guard !withoutSign(digits).isEmpty else { return nil }
        guard let value = Int64(digits, radix: radix) else { throw .integerTooLarge }
        return .int(value)
    }

    /// Reads `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`; throws for the infinities.
    private static func double(_ text: String) throws(Failure) -> JSONValue? {
        var rest = withoutSign(text)[...].utf8[...]
        if [".inf", ".Inf", ".INF"].contains(where: { rest.elementsEqual($0.utf8) }) { throw .notFinite }
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: isDigit)
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard !rest.isEmpty else { return nil }
            rest = rest.drop(while: isDigit)
        }
        guard rest.isEmpty else { return nil }
        guard let value = Double(text), value.isFinite else { throw .doubleTooLarge }
        return .double(value)
    }

    private static func withoutSign(_ text: some StringProtocol) -> Substring {
        let text = Substring(text)
        return text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
