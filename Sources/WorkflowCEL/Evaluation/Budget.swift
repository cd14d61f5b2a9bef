/// How much an evaluation may still do. Every operation takes one unit, and everything that makes or walks over data
/// takes one more for each 64 bytes or each element, so that time and memory are bounded by one number.
package struct Budget: Sendable {
    /// Units that are left; below zero when it is used up.
    package var remaining: Int

    package init(_ units: Int = CELLimits.evaluation) {
        remaining = units
    }

    /// Takes units, or fails when there are not as many.
    @inline(__always)
    package mutating func take(_ units: Int) throws(EvaluationError) {
        if !takes(units) { throw Self.isUsedUp }
    }

    /// Takes units. Returns false when fewer are left; then none are left afterwards.
    @inlinable
    package mutating func takes(_ units: Int) -> Bool {
        remaining &-= units
        if remaining >= 0 { return true }
        remaining = 0
        return false
    }

    /// The failure of taking more units than were left.
    package static var isUsedUp: EvaluationError {
        EvaluationError(.limit, "the expression takes more than \(CELLimits.evaluation) steps")
    }

    /// Takes what a string or byte sequence of this size costs; fails past `CELLimits.valueBytes`.
    package mutating func take(bytes: Int) throws(EvaluationError) {
        guard bytes <= CELLimits.valueBytes else {
            throw EvaluationError(.limit, "a value of \(bytes) bytes is larger than \(CELLimits.valueBytes)")
        }
        try take(1 + bytes / 64)
    }
}

/// The bounds of the expression language.
package enum CELLimits {
    /// Length of an expression, in bytes of UTF-8.
    package static let sourceBytes = 64 << 10
    /// Levels of brackets, calls and operators within each other; at the deepest they take some 400 KB of stack.
    package static let nesting = 200
    /// Units of one evaluation: some 50 ms on a slow core.
    package static let evaluation = 1_000_000
    /// Size of one string or byte sequence, in bytes.
    package static let valueBytes = 1 << 20
    /// Compiled size of one regular expression, in bytes.
    package static let patternBytes = 256 << 10
}

extension Budget {
    /// Takes what it costs to write a message of this many parts, so that an expression that fails in a loop and goes
    /// on stays within its bounds.
    mutating func takeMessage(parts: Int = 0) throws(EvaluationError) {
        try take(100 + parts)
    }
}
