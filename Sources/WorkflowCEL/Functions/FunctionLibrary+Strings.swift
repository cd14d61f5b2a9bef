extension FunctionLibrary {
    /// The functions that search strings. Indices count Unicode scalars from 0.
    static let stringFunctions: [Overload] = searchFunctions + placeFunctions + partFunctions

    private static let searchFunctions: [Overload] = [
        .native(.member, "contains") { (text: String, part: String, budget) throws(EvaluationError) in
            try budget.take(walking: text)
            try budget.take(walking: part)
            return part.isEmpty || TextSearch(for: part).isFound(in: text)
        },
        .native(.member, "startsWith") { (text: String, start: String, budget) throws(EvaluationError) in
            try budget.take(walking: start)
            return text.utf8.starts(with: start.utf8)
        },
        .native(.member, "endsWith") { (text: String, end: String, budget) throws(EvaluationError) in
            try budget.take(walking: end)
            return text.utf8.count >= end.utf8.count && text.utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
        },
    ]

    private static let placeFunctions: [Overload] = [
        .native(.member, "indexOf") { (text: String, part: String, budget) throws(EvaluationError) in
            try firstPlace(of: part, in: text, from: 0, &budget)
        },
        .native(.member, "indexOf") { (text: String, part: String, from: Int64, budget) throws(EvaluationError) in
            try firstPlace(of: part, in: text, from: from, &budget)
        },
        .native(.member, "lastIndexOf") { (text: String, part: String, budget) throws(EvaluationError) in
            try lastPlace(of: part, in: text, upTo: nil, &budget)
        },
        .native(.member, "lastIndexOf") { (text: String, part: String, upTo: Int64, budget) throws(EvaluationError) in
            try lastPlace(of: part, in: text, upTo: upTo, &budget)
        },
    ]

    private static let partFunctions: [Overload] = [
        .native(.member, "charAt") { (text: String, number: Int64, budget) throws(EvaluationError) in
            try budget.take(walking: text)
            let place = try place(number, in: text)
            return place == text.endIndex ? "" : String(text.unicodeScalars[place])
        },
        .native(.member, "substring") { (text: String, from: Int64, budget) throws(EvaluationError) in
            try budget.take(walking: text)
            return String(text[try place(from, in: text)...])
        },
        .native(.member, "substring") { (text: String, from: Int64, to: Int64, budget) throws(EvaluationError) in
            try budget.take(walking: text)
            let (start, end) = (try place(from, in: text), try place(to, in: text))
            guard start <= end else {
                throw EvaluationError(.invalidIndex, "a substring cannot end at \(to), before its start at \(from)")
            }
            return String(text[start..<end])
        },
    ]

    private static func firstPlace(
        of part: String, in text: String, from number: Int64, _ budget: inout Budget
    ) throws(EvaluationError) -> Int64 {
        try budget.take(walking: text)
        try budget.take(walking: part)
        let start = try place(number, in: text)
        guard !part.isEmpty else { return number }
        let rest = String(text[start...])
        guard let offset = TextSearch(for: part).offsets(in: rest, atMost: 1).first else { return -1 }
        return number + codePoints(in: rest, before: offset)
    }

    private static func lastPlace(
        of part: String, in text: String, upTo number: Int64?, _ budget: inout Budget
    ) throws(EvaluationError) -> Int64 {
        try budget.take(walking: text)
        try budget.take(walking: part)
        let end = try number.map { number throws(EvaluationError) in try place(number, in: text) } ?? text.endIndex
        guard !part.isEmpty else { return number ?? Int64(text.codePointCount) }
        let furthest = text.utf8.distance(from: text.startIndex, to: end)
        var last: Int?
        TextSearch(for: part).matches(in: text, isOverlapping: true) { offset in
            if offset <= furthest { last = offset }
            return offset <= furthest
        }
        return last.map { codePoints(in: text, before: $0) } ?? -1
    }

    private static func codePoints(in text: String, before offset: Int) -> Int64 {
        let place = text.utf8.index(text.startIndex, offsetBy: offset)
        return Int64(String(text[..<place]).codePointCount)
    }

    private static func place(_ number: Int64, in text: String) throws(EvaluationError) -> String.Index {
        if let place = text.place(ofCodePoint: number) { return place }
        throw EvaluationError(
            .invalidIndex, "index \(number) is out of range: the string has \(text.codePointCount) characters")
    }
}
