extension Budget {
    /// Takes what it costs to write a message of this many parts, so that an expression that fails in a loop and goes
    /// on stays within its bounds.
    mutating func takeMessage(parts: Int = 0) throws(EvaluationError) {
        try take(100 + parts)
    }
}
