extension FunctionLibrary {
    /// The conversion functions, each named after its result type.
    static let conversionFunctions: [Overload] =
        intConversions + uintConversions + doubleConversions + stringConversions + otherConversions

    private static let intConversions: [Overload] = [
        .native(.function, "int") { (int: Int64, _) in int },
        .native(.function, "int") { (uint: UInt64, _) throws(EvaluationError) in
            guard let int = Int64(exactly: uint) else { throw outOfRange("uint", of: "an int") }
            return int
        },
        .native(.function, "int") { (double: Double, _) throws(EvaluationError) in
            // The smallest int is excluded too: "Overflow" in the language definition.
            guard -0x1p63 < double, double < 0x1p63 else { throw outOfRange("double", of: "an int") }
            return Int64(double)
        },
        .native(.function, "int") { (text: String, budget) throws(EvaluationError) in
            try budget.take(walking: text)
            if let int = Int64(text) { return int }
            throw notWhole(text, "an int", "'-42'")
        },
        .native(.function, "int") { (moment: Timestamp, _) in moment.seconds },
    ]

    private static let uintConversions: [Overload] = [
        .native(.function, "uint") { (uint: UInt64, _) in uint },
        .native(.function, "uint") { (int: Int64, _) throws(EvaluationError) in
            guard let uint = UInt64(exactly: int) else { throw outOfRange("int", of: "a uint") }
            return uint
        },
        .native(.function, "uint") { (double: Double, _) throws(EvaluationError) in
            guard 0 <= double, double < 0x1p64 else { throw outOfRange("double", of: "a uint") }
            return UInt64(double)
        },
        .native(.function, "uint") { (text: String, budget) throws(EvaluationError) in
            try budget.take(walking: text)
            if text.utf8.first != UInt8(ascii: "+"), text.utf8.first != UInt8(ascii: "-"), let uint = UInt64(text) {
                return uint
            }
            throw notWhole(text, "a uint", "'42'")
        },
    ]

    private static let doubleConversions: [Overload] = [
        .native(.function, "double") { (double: Double, _) in double },
        .native(.function, "double") { (int: Int64, _) in Double(int) },
        .native(.function, "double") { (uint: UInt64, _) in Double(uint) },
        .native(.function, "double") { (text: String, budget) throws(EvaluationError) in
            try budget.take(walking: text)
            return try double(text)
        },
    ]

    private static let stringConversions: [Overload] = [
        .native(.function, "string") { (text: String, _) in text },
        .native(.function, "string") { (bool: Bool, _) in bool ? "true" : "false" },
        .native(.function, "string") { (int: Int64, _) in String(int) },
        .native(.function, "string") { (uint: UInt64, _) in String(uint) },
        .native(.function, "string") { (double: Double, _) in DecimalDigits.text(double) },
        .native(.function, "string") { (bytes: [UInt8], budget) throws(EvaluationError) in
            try budget.take(bytes: bytes.count)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw EvaluationError(.invalidArgument, "the bytes are invalid UTF-8; base64.encode takes any bytes")
            }
            return text
        },
        .native(.function, "string") { (moment: Timestamp, _) in moment.text },
        .native(.function, "string") { (duration: Duration, _) in TimeSpan.text(duration) },
    ]

    private static let otherConversions: [Overload] = [
        .native(.function, "bool") { (bool: Bool, _) in bool },
        .native(.function, "bool") { (text: String, _) throws(EvaluationError) in
            switch text {
            case "1", "t", "T", "true", "TRUE", "True": return true
            case "0", "f", "F", "false", "FALSE", "False": return false
            default: throw EvaluationError(.invalidArgument, "the string is no bool; bool takes 'true' and 'false'")
            }
        },
        .native(.function, "bytes") { (bytes: [UInt8], _) in bytes },
        .native(.function, "bytes") { (text: String, budget) throws(EvaluationError) in
            try budget.take(bytes: text.utf8.count)
            return Array(text.utf8)
        },
        .native(.function, "timestamp") { (moment: Timestamp, _) in moment },
        .native(.function, "timestamp") { (text: String, _) throws(EvaluationError) in try Timestamp(text: text) },
        .native(.function, "timestamp") { (seconds: Int64, _) throws(EvaluationError) in
            try Timestamp(checkedSeconds: seconds)
        },
        .native(.function, "timestamp") { (local: String, zone: String, budget) throws(EvaluationError) in
            try budget.take(LocalTime.steps)
            return try LocalTime(text: local).moment(in: ZoneOffset(of: zone, &budget))
        },
        .native(.function, "duration") { (duration: Duration, _) in duration },
        .native(.function, "duration") { (text: String, budget) throws(EvaluationError) in
            try budget.take(1 + text.utf8.count / 2)
            return try TimeSpan.read(text)
        },
        .native(.function, "dyn") { (value: Value, _) in value },
        .native(.function, "type") { (value: Value, _) in value.typeName },
    ]

    /// The function `duration` in the first version of the language, which rejects days, weeks and ISO 8601 in strings
    /// that are not literals of the expression.
    static let durationOfFirst = Overload.native(.function, "duration") {
        (text: String, budget) throws(EvaluationError) in
        try budget.take(1 + text.utf8.count / 2)
        return try TimeSpan.read(text, in: .first)
    }

    private static func outOfRange(_ from: String, of type: String) -> EvaluationError {
        EvaluationError(.overflow, "the \(from) is out of the range of \(type)")
    }

    /// Returns the reason that a string is not an integer: too many digits, or another form.
    private static func notWhole(_ text: String, _ type: String, _ example: String) -> EvaluationError {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        let isNumber = !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber
            ? EvaluationError(.overflow, "the number in the string is out of the range of \(type)")
            : EvaluationError(.invalidArgument, "the string is no whole number; \(type) is written as \(example)")
    }

    /// Returns the number in a string: decimal digits, optionally with a fraction or an exponent, or `NaN`, `Infinity`,
    /// `-Infinity`.
    private static func double(_ text: String) throws(EvaluationError) -> Double {
        switch text {
        case "NaN": return .nan
        case "Infinity", "+Infinity", "Inf", "+Inf": return .infinity
        case "-Infinity", "-Inf": return -.infinity
        default: break
        }
        // Swift would also accept `nan`, `inf` and `0x1p3`.
        let isDecimal = text.utf8.allSatisfy { (0x2B...0x39).contains($0) || $0 | 0x20 == UInt8(ascii: "e") }
        guard isDecimal, let double = Double(text) else {
            throw EvaluationError(.invalidArgument, "the string is no number; a double is written as '-1.5' or '2e10'")
        }
        guard double.isFinite else {
            throw EvaluationError(.overflow, "the number in the string is out of the range of a double")
        }
        return double
    }
}
