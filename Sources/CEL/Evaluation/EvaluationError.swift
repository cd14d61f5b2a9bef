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

    package init(_ code: Code, _ message: String, range: Range<Int>? = nil) {
        self.code = code
        self.message = message
        self.range = range
    }
}
