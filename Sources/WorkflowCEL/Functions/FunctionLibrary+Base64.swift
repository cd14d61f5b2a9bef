extension FunctionLibrary {
    /// Bytes to text and back.
    static let base64Functions: [Overload] = [
        .native(.function, "base64.encode") { (bytes: [UInt8], budget) throws(EvaluationError) in
            try budget.take(bytes: (bytes.count + 2) / 3 * 4)
            return Base64.text(bytes)
        },
        .native(.function, "base64.decode") { (text: String, budget) throws(EvaluationError) in
            try budget.take(bytes: text.utf8.count)
            guard let bytes = Base64.bytes(text) else {
                throw EvaluationError(.invalidArgument, "the string is not base64, with '+', '/' and '=' at its end")
            }
            return bytes
        },
    ]
}
