extension FunctionLibrary {
    /// The function `size(x)` or `x.size()`: the number of scalars, bytes, elements or entries.
    static let sizeFunctions: [Overload] = Overload.Style.both.flatMap { style in
        [
            .native(style, "size") { (text: String, budget) throws(EvaluationError) in
                try budget.take(walking: text)
                return Int64(text.codePointCount)
            },
            .native(style, "size") { (bytes: [UInt8], _) in Int64(bytes.count) },
            .native(style, "size") { (list: ListValue, _) in Int64(list.count) },
            .native(style, "size") { (map: MapValue, _) in Int64(map.count) },
        ]
    }
}

extension Budget {
    /// Takes the cost of reading a whole string.
    mutating func take(walking text: String) throws(EvaluationError) {
        try take(1 + text.utf8.count / 64)
    }
}
