/// The content of optional elements and entries.
enum OptionalContent {
    static func of(_ value: Value, _ range: Range<Int>) throws(EvaluationError) -> Value? {
        guard case .optional(let content) = value else {
            throw EvaluationError(
                .noOverload, "'?' wants an optional, as a.?b gives it, not \(value.typeName.withArticle)", range: range)
        }
        return content
    }
}
