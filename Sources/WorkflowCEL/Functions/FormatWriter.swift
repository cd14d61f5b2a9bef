/// Writes a format with its values.
struct FormatWriter {
    private(set) var budget: Budget
    private let version: LanguageVersion
    private var text: [UInt8] = []

    init(_ budget: Budget, in version: LanguageVersion) {
        self.budget = budget
        self.version = version
    }

    /// Returns the format with its clauses replaced by values. Values without a clause are left out.
    mutating func text(_ format: String, _ values: ListValue) throws(EvaluationError) -> String {
        var rest = format[...].utf8
        var used = 0
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            try write(rest[..<percent])
            rest = rest[rest.index(after: percent)...]
            if rest.first == UInt8(ascii: "%") {
                rest.removeFirst()
                try write("%".utf8)
                continue
            }
            let clause = try FormatClause(&rest, in: version)
            guard used < values.count else {
                throw EvaluationError(
                    .invalidIndex, "the format asks for more values than the \(values.count) of the list")
            }
            try write(values[used], as: clause)
            used += 1
        }
        try write(rest)
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func write(_ bytes: some Collection<UInt8>) throws(EvaluationError) {
        try budget.take(1 + bytes.count / 64)
        text.append(contentsOf: bytes)
        if text.count > CELLimits.valueBytes { try budget.take(bytes: text.count) }
    }

    private mutating func write(_ value: Value, as clause: FormatClause) throws(EvaluationError) {
        switch (clause, value) {
        case (.string, _): try writeString(value)
        case (.decimal(let width), .int), (.decimal(let width), .uint), (.decimal(let width), .double):
            try write(value, width: width)
        case (.fixed(let precision), _): try write(decimal(value, clause, "%.*f", precision).utf8)
        case (.scientific(let precision), _): try write(decimal(value, clause, "%.*e", precision).utf8)
        case (.binary, .bool(let bool)): try write((bool ? "1" : "0").utf8)
        case (.hexadecimal(let isUppercase), .string(let text)): try writeDigits(text.utf8, isUppercase)
        case (.hexadecimal(let isUppercase), .bytes(let bytes)): try writeDigits(bytes, isUppercase)
        case (.binary, _): try write(integer(value, clause, radix: 2).utf8)
        case (.octal, _): try write(integer(value, clause, radix: 8).utf8)
        case (.hexadecimal(let isUppercase), _):
            try write(integer(value, clause, radix: 16, isUppercase: isUppercase).utf8)
        case (.decimal, _): throw Self.mismatch(clause, value)
        }
    }

    /// Writes a number with zeros between the sign and the digits; NaN and infinities get no zeros.
    private mutating func write(_ value: Value, width: Int) throws(EvaluationError) {
        let start = text.count
        try writeString(value)
        let isNegative = text[start...].first == UInt8(ascii: "-")
        let missing = width - (text.count - start)
        guard missing > 0, let last = text.last, (0x30...0x39).contains(last) else { return }
        try budget.take(1 + missing / 64)
        text.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: missing), at: start + (isNegative ? 1 : 0))
        if text.count > CELLimits.valueBytes { try budget.take(bytes: text.count) }
    }

    private func integer(
        _ value: Value, _ clause: FormatClause, radix: Int, isUppercase: Bool = false
    ) throws(EvaluationError) -> String {
        switch value {
        case .int(let int): String(int, radix: radix, uppercase: isUppercase)
        case .uint(let uint): String(uint, radix: radix, uppercase: isUppercase)
        default: throw Self.mismatch(clause, value)
        }
    }

    private mutating func decimal(
        _ value: Value, _ clause: FormatClause, _ format: String, _ precision: Int
    ) throws(EvaluationError) -> String {
        try budget.take(1 + precision / 4)
        return switch value {
        case .int(let int): DecimalDigits.rounded(Double(int), format, precision)
        case .uint(let uint): DecimalDigits.rounded(Double(uint), format, precision)
        case .double(let double): DecimalDigits.rounded(double, format, precision)
        default: throw Self.mismatch(clause, value)
        }
    }

    private mutating func writeDigits(_ bytes: some Collection<UInt8>, _ isUppercase: Bool) throws(EvaluationError) {
        try budget.take(bytes: bytes.count * 2)
        let digits = Array((isUppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        try write(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private mutating func writeString(_ value: Value) throws(EvaluationError) {
        switch value {
        case .null: try write("null".utf8)
        case .bool(let bool): try write((bool ? "true" : "false").utf8)
        case .int(let int): try write(String(int).utf8)
        case .uint(let uint): try write(String(uint).utf8)
        case .double(let double):
            try write((double.isFinite ? DecimalDigits(double).plain : DecimalDigits.notFinite(double)).utf8)
        case .string(let string): try write(string.utf8)
        case .bytes(let bytes): try write(Self.repaired(bytes).utf8)
        case .timestamp(let moment): try write(moment.text.utf8)
        case .duration(let duration): try write(TimeSpan.text(duration).utf8)
        case .type(let type): try write(type.rawValue.utf8)
        case .list(let list): try writeList(list)
        case .map(let map): try writeMap(map)
        case .optional: throw Self.mismatch(.string, value)
        }
    }

    private mutating func writeList(_ list: ListValue) throws(EvaluationError) {
        try write("[".utf8)
        for index in 0..<list.count {
            if index > 0 { try write(", ".utf8) }
            try writeString(list[index])
        }
        try write("]".utf8)
    }

    /// Writes a map. The entries are sorted by the text of their keys.
    private mutating func writeMap(_ map: MapValue) throws(EvaluationError) {
        try budget.take(map.count)
        let entries = (0..<map.count).map { index in (key: map[index].key.text, value: map[index].value) }
            .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        try write("{".utf8)
        for (index, entry) in entries.enumerated() {
            if index > 0 { try write(", ".utf8) }
            try write(entry.key.utf8)
            try write(": ".utf8)
            try writeString(entry.value)
        }
        try write("}".utf8)
    }

    /// Returns the bytes as a string, with one U+FFFD for each run of invalid bytes.
    private static func repaired(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar != "\u{FFFD}" || text.last != "\u{FFFD}" { text.append(scalar) }
        }
        return String(text)
    }

    private static func mismatch(_ clause: FormatClause, _ value: Value) -> EvaluationError {
        EvaluationError(.noOverload, "'\(clause.text)' takes \(clause.takes), not \(value.typeName.withArticle)")
    }
}

extension FunctionLibrary {
    /// The function `'%s is %d'.format([name, number])`
    /// (https://github.com/google/cel-spec/blob/master/doc/extensions/strings.md).
    static let formatFunctions = [format(in: .current)]

    /// The function `format` in the first version of the language, which has no width.
    static let formatOfFirst = format(in: .first)

    private static func format(in version: LanguageVersion) -> Overload {
        .native(.member, "format") { (format: String, arguments: ListValue, budget) throws(EvaluationError) in
            try budget.take(walking: format)
            var writer = FormatWriter(budget, in: version)
            defer { budget = writer.budget }
            return try writer.text(format, arguments)
        }
    }
}
