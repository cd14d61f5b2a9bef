/// Why an expression has no value.
package struct EvaluationError: Error, Sendable, Equatable {
    /// What kind of failure this is.
    package enum Code: String, Sendable {
        /// No operator or function of this name takes values of these types.
        case noOverload
        /// A map has no such key, an object no such field.
        case noSuchKey
        /// A list has no such element.
        case invalidIndex
        /// A result does not fit its type.
        case overflow
        case divideByZero
        /// A text is no number, time, duration, pattern …
        case invalidArgument
        /// A bound of `CELLimits` was reached.
        case limit
        /// What the host said about one of its variables or functions.
        case host
    }

    package let code: Code
    /// What was found and what would fit; no full stop at its end.
    package let message: String
    /// Where in the expression, in bytes of UTF-8; nil until the evaluator knows.
    package var range: Range<Int>?
    private let withoutValues: String?

    /// - Parameter discreet: The message without what it quotes of values; nil where that follows from the code.
    package init(_ code: Code, _ message: String, discreet: String? = nil, range: Range<Int>? = nil) {
        self.code = code
        self.message = message
        self.range = range
        withoutValues = discreet
    }

    /// What may be logged and kept: the message without keys, texts and numbers of the data.
    package var discreet: String {
        if let withoutValues { return withoutValues }
        return switch code {
        // They name types and what the expression says.
        case .noOverload, .overflow, .divideByZero, .limit: message
        case .noSuchKey: "no such key"
        case .invalidIndex: "no such element"
        case .invalidArgument: "an argument of a function does not fit"
        case .host: "it has no value here"
        }
    }
}

extension EvaluationError {
    /// The same error, at this place when it has none yet.
    func at(_ place: Range<Int>) -> EvaluationError {
        if range != nil { return self }
        var error = self
        error.range = place
        return error
    }

    /// The same error, as one of this place: what the host throws may name a place of another text.
    func moved(to place: Range<Int>) -> EvaluationError {
        var error = self
        error.range = place
        return error
    }

    /// Whether `||`, `&&` and the macros must not go on after it.
    var isFinal: Bool { code == .limit }
}
