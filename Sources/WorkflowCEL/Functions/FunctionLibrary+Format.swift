extension FunctionLibrary {
    /// `'%s is %d'.format([name, number])`
    /// (https://github.com/google/cel-spec/blob/master/doc/extensions/strings.md).
    static let formatFunctions: [Overload] = [
        .native(.member, "format") { (format: String, arguments: ListValue, budget) throws(EvaluationError) in
            try budget.take(walking: format)
            var writer = FormatWriter(budget)
            defer { budget = writer.budget }
            return try writer.text(format, arguments)
        }
    ]
}
