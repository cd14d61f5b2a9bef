extension FunctionLibrary {
    /// The functions that create strings from strings.
    static let textFunctions: [Overload] = caseFunctions + replaceFunctions + splitFunctions + joinFunctions

    private static let caseFunctions: [Overload] = [
        .native(.member, "lowerAscii") { (text: String, budget) throws(EvaluationError) in
            try budget.take(bytes: text.utf8.count)
            return String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        },
        .native(.member, "upperAscii") { (text: String, budget) throws(EvaluationError) in
            try budget.take(bytes: text.utf8.count)
            return String(decoding: text.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
        },
        .native(.member, "trim") { (text: String, budget) throws(EvaluationError) in
            try budget.take(bytes: text.utf8.count)
            let scalars = text.unicodeScalars.drop(while: isSpace)
            guard let last = scalars.lastIndex(where: { !isSpace($0) }) else { return "" }
            return String(scalars[...last])
        },
        .native(.member, "reverse") { (text: String, budget) throws(EvaluationError) in
            try budget.take(bytes: text.utf8.count)
            return text.reversedByScalar
        },
        .native(.function, "strings.quote") { (text: String, budget) throws(EvaluationError) in
            try budget.take(1 + text.utf8.count / 8)
            let quoted = quoted(text)
            try budget.take(bytes: quoted.utf8.count)
            return quoted
        },
    ]

    /// Returns true for white space by Unicode's definition, which excludes zero-width spaces.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x20: true
        case 0..<0x80: false
        default: scalar.properties.isWhitespace
        }
    }

    private static let replaceFunctions: [Overload] = [
        .native(
            .member, "replace"
        ) { (text: String, old: String, new: String, budget) throws(EvaluationError) in
            try replaced(text, old, new, atMost: -1, &budget)
        },
        .member("replace", [.string, .string, .string, .int], .string) { arguments, budget throws(EvaluationError) in
            guard case .string(let text) = arguments[0], case .string(let old) = arguments[1],
                case .string(let new) = arguments[2], case .int(let limit) = arguments[3]
            else { throw Overload.mismatch("replace", arguments) }
            return .string(try replaced(text, old, new, atMost: limit, &budget))
        },
    ]

    private static let splitFunctions: [Overload] = [
        .native(
            .member, "split", gives: .list(.string)
        ) { (text: String, separator: String, budget) throws(EvaluationError) in
            try split(text, at: separator, atMost: -1, &budget)
        },
        .native(
            .member, "split", gives: .list(.string)
        ) { (text: String, separator: String, limit: Int64, budget) throws(EvaluationError) in
            try split(text, at: separator, atMost: limit, &budget)
        },
    ]

    private static let joinFunctions: [Overload] = [
        .native(
            .member, "join", takes: [.list(.string)]
        ) { (list: ListValue, budget) throws(EvaluationError) in
            try joined(list, with: "", &budget)
        },
        .native(
            .member, "join", takes: [.list(.string), .string]
        ) { (list: ListValue, separator: String, budget) throws(EvaluationError) in
            try joined(list, with: separator, &budget)
        },
    ]

    /// Returns the text with replacements.
    ///
    /// - Parameter limit: The largest number of replacements; unlimited if negative.
    private static func replaced(
        _ text: String, _ old: String, _ new: String, atMost limit: Int64, _ budget: inout Budget
    ) throws(EvaluationError) -> String {
        try budget.take(walking: text)
        try budget.take(walking: old)
        let offsets = offsets(of: old, in: text, atMost: limit < 0 ? .max : Int(limit))
        try budget.take(offsets.count)
        let (added, overflow) = offsets.count.multipliedReportingOverflow(by: new.utf8.count - old.utf8.count)
        try budget.take(bytes: overflow ? .max : text.utf8.count + added)
        let bytes = Array(text.utf8)
        var replaced: [UInt8] = []
        replaced.reserveCapacity(bytes.count + added)
        var start = 0
        for offset in offsets {
            replaced.append(contentsOf: bytes[start..<offset])
            replaced.append(contentsOf: new.utf8)
            start = offset + old.utf8.count
        }
        replaced.append(contentsOf: bytes[start...])
        return String(decoding: replaced, as: UTF8.self)
    }

    /// Returns the byte offsets of a part. An empty part matches before each scalar and at the end.
    private static func offsets(of part: String, in text: String, atMost limit: Int) -> [Int] {
        guard part.isEmpty else { return TextSearch(for: part).offsets(in: text, atMost: limit) }
        var offsets: [Int] = []
        var offset = 0
        for scalar in text.unicodeScalars where offsets.count < limit {
            offsets.append(offset)
            offset += UTF8.width(scalar)
        }
        if offsets.count < limit { offsets.append(offset) }
        return offsets
    }

    /// Returns the parts of a split text.
    ///
    /// - Parameter limit: The largest number of parts, the last of which is the rest; unlimited if negative.
    private static func split(
        _ text: String, at separator: String, atMost limit: Int64, _ budget: inout Budget
    ) throws(EvaluationError) -> ListValue {
        if limit == 0 { return .values([]) }
        try budget.take(walking: text)
        try budget.take(walking: separator)
        let most = limit < 0 ? Int.max : Int(limit)
        var offsets = offsets(of: separator, in: text, atMost: separator.isEmpty ? most : most - 1)
        if separator.isEmpty {
            // An empty separator splits between scalars, so neither at the start nor at the end.
            if offsets.last == text.utf8.count { offsets.removeLast() }
            if text.isEmpty { return .values([]) }
            offsets.removeFirst()
        }
        try budget.take(offsets.count + 1)
        var parts: [Value] = []
        parts.reserveCapacity(offsets.count + 1)
        var start = text.startIndex
        var startOffset = 0
        for offset in offsets {
            let end = text.utf8.index(start, offsetBy: offset - startOffset)
            parts.append(.string(String(text[start..<end])))
            start = text.utf8.index(end, offsetBy: separator.utf8.count)
            startOffset = offset + separator.utf8.count
        }
        parts.append(.string(String(text[start...])))
        return .values(parts)
    }

    private static func joined(
        _ list: ListValue, with separator: String, _ budget: inout Budget
    ) throws(EvaluationError) -> String {
        try budget.take(list.count)
        var bytes = max(0, list.count - 1).multipliedReportingOverflow(by: separator.utf8.count).partialValue
        for index in 0..<list.count {
            guard case .string(let part) = list[index] else {
                throw EvaluationError(
                    .noOverload,
                    "join takes a list of strings; its element \(index) is \(list[index].typeName.withArticle)")
            }
            bytes += part.utf8.count
        }
        try budget.take(bytes: bytes)
        var joined = ""
        joined.reserveCapacity(bytes)
        for index in 0..<list.count {
            if index > 0 { joined.append(separator) }
            if case .string(let part) = list[index] { joined.append(part) }
        }
        return joined
    }

    /// Returns the text as a string literal in double quotes.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\u{7}": quoted += #"\a"#
            case "\u{8}": quoted += #"\b"#
            case "\u{C}": quoted += #"\f"#
            case "\n": quoted += #"\n"#
            case "\r": quoted += #"\r"#
            case "\t": quoted += #"\t"#
            case "\u{B}": quoted += #"\v"#
            case "\\": quoted += #"\\"#
            case "\"": quoted += #"\""#
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
