/// The work that an evaluation may still do. Every operation takes one unit. An operation that creates or walks data
/// takes one more for each 64 bytes or each element. So one number limits time and memory.
package struct Budget: Sendable {
    /// The units that are left; zero when the budget is used up.
    package var remaining: Int

    package init(_ units: Int = CELLimits.evaluation) {
        remaining = units
    }

    /// Takes units. Throws if fewer are left.
    @inline(__always)
    package mutating func take(_ units: Int) throws(EvaluationError) {
        if !takes(units) { throw Self.isUsedUp }
    }

    /// Takes units. Returns false if fewer are left, and then leaves none.
    @inlinable
    package mutating func takes(_ units: Int) -> Bool {
        remaining &-= units
        if remaining >= 0 { return true }
        remaining = 0
        return false
    }

    /// The error of taking more units than were left.
    package static var isUsedUp: EvaluationError {
        EvaluationError(.limit, "the expression takes more than \(CELLimits.evaluation) steps")
    }

    /// Takes the cost of a string or byte sequence of this size. Throws beyond `CELLimits.valueBytes`.
    package mutating func take(bytes: Int) throws(EvaluationError) {
        guard bytes <= CELLimits.valueBytes else {
            throw EvaluationError(.limit, "a value of \(bytes) bytes is larger than \(CELLimits.valueBytes)")
        }
        try take(1 + bytes / 64)
    }
}

/// The limits of the expression language.
package enum CELLimits {
    /// The length of an expression, in bytes of UTF-8.
    package static let sourceBytes = 64 << 10
    /// The nesting depth of brackets, calls and operators. The deepest expression takes some 400 KB of stack.
    package static let nesting = 200
    /// The units of one evaluation: some 50 ms on a slow core.
    package static let evaluation = 1_000_000
    /// The size of one string or byte sequence, in bytes.
    package static let valueBytes = 1 << 20
    /// The compiled size of one regular expression, in bytes.
    package static let patternBytes = 256 << 10
}

extension Budget {
    /// Takes the cost of a message with this many parts. So an expression that fails repeatedly in a loop stays within
    /// its budget.
    mutating func takeMessage(parts: Int = 0) throws(EvaluationError) {
        try take(100 + parts)
    }
}
