/// The reason that an expression has no value.
package struct EvaluationError: Error, Sendable, Equatable {
    /// The kind of failure.
    package enum Code: String, Sendable {
        /// No operator or function of this name accepts operands of these types.
        case noOverload
        /// A map lacks the key, or an object lacks the field.
        case noSuchKey
        /// A list lacks the element.
        case invalidIndex
        /// A result does not fit its type.
        case overflow
        case divideByZero
        /// A string is not a valid number, time, duration, pattern …
        case invalidArgument
        /// A limit of `CELLimits` was reached.
        case limit
        /// The host's error for one of its variables or functions.
        case host
    }

    package let code: Code
    /// The problem and the accepted values; without a full stop at the end.
    package let message: String
    /// The range of the failure in the expression, in bytes of UTF-8; `nil` until the evaluator sets it.
    package var range: Range<Int>?
    private let withoutValues: String?

    /// Creates an error.
    ///
    /// - Parameter discreet: The message without quoted values; `nil` if the code determines it.
    package init(_ code: Code, _ message: String, discreet: String? = nil, range: Range<Int>? = nil) {
        self.code = code
        self.message = message
        self.range = range
        withoutValues = discreet
    }

    /// The message without keys, strings and numbers of the data, so that the text may be logged and stored.
    package var discreet: String {
        if let withoutValues { return withoutValues }
        return switch code {
        // These messages name only types and parts of the expression.
        case .noOverload, .overflow, .divideByZero, .limit: message
        case .noSuchKey: "no such key"
        case .invalidIndex: "no such element"
        case .invalidArgument: "an argument of a function does not fit"
        case .host: "it has no value here"
        }
    }
}

extension EvaluationError {
    /// Returns the same error, with this range if it has none.
    func at(_ place: Range<Int>) -> EvaluationError {
        if range != nil { return self }
        var error = self
        error.range = place
        return error
    }

    /// Returns the same error with this range. An error of the host may have a range in another text.
    func moved(to place: Range<Int>) -> EvaluationError {
        var error = self
        error.range = place
        return error
    }

    /// True if `||`, `&&` and the macros must stop at this error.
    var isFinal: Bool { code == .limit }
}
