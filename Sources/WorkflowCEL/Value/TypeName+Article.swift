extension TypeName {
    /// The word with its article: `a string`, `an int`, `null`.
    var withArticle: String {
        switch self {
        case .null: word
        case .bytes: "bytes"
        case .int, .optional: "an \(word)"
        default: "a \(word)"
        }
    }
}
