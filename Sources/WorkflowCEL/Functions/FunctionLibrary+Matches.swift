extension FunctionLibrary {
    /// `matches(text, pattern)` and `text.matches(pattern)` for a pattern that comes as a value.
    ///
    /// A pattern that stands in the expression is compiled with it, to a `Pattern`.
    static let matchFunctions: [Overload] = Overload.Style.both.map { style in
        .native(style, "matches") { (text: String, pattern: String, budget) throws(EvaluationError) in
            try PatternCache.shared.pattern(pattern, &budget).matches(text, &budget)
        }
    }
}
